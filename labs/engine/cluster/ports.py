"""Reserved loopback ports."""

from __future__ import annotations

import socket


class Ports:
    """Reserves `count` free ports of 127.0.0.1.

    Each port is reserved by a socket that is bound but does not listen. Linux then assigns the port
    to no other process and to no outgoing connection. A broker of the lab can still bind it: both
    sockets have SO_REUSEADDR (Java sets it on listeners) and only one listens (socket(7)). So a
    port stays reserved while its broker is dead, until `release`.
    """

    def __init__(self, count: int) -> None:
        self._sockets = [_reserve() for _ in range(count)]
        self.numbers = tuple(int(reserved.getsockname()[1]) for reserved in self._sockets)

    def release(self) -> None:
        for reserved in self._sockets:
            reserved.close()


def _reserve() -> socket.socket:
    reserved = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    reserved.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    reserved.bind(("127.0.0.1", 0))
    return reserved
