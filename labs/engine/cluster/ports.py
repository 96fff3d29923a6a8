"""Loopback ports, reserved while they are held."""

from __future__ import annotations

import socket


class Ports:
    """Holds `count` free ports of 127.0.0.1.

    Each is held by a socket that is bound but does not listen. Linux then assigns the port to no
    process and to no outgoing connection, while a broker of ours can still bind it:
    both sockets have SO_REUSEADDR (Java sets it on listeners) and only one listens (socket(7)).
    So a port stays ours while its broker is dead, and until `release`.
    """

    def __init__(self, count: int) -> None:
        self._held = [_hold() for _ in range(count)]
        self.numbers = tuple(int(held.getsockname()[1]) for held in self._held)

    def release(self) -> None:
        for held in self._held:
            held.close()


def _hold() -> socket.socket:
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    held.bind(("127.0.0.1", 0))
    return held
