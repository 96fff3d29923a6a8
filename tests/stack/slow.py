"""Deliberately slow visitors: sockets on loopback that send or read next to nothing."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

HALF_HEADERS = b"GET / HTTP/1.1\r\nHost: localhost\r\nX-Half: "
HALF_BODY = (
    b"POST /describe/from-files/ HTTP/1.1\r\nHost: localhost\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 1000\r\n\r\ntext="
)
SILENCE = b""


def reader(path: str) -> bytes:
    """The request of a client that reads nothing of the answer."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


@contextmanager
def sockets(port: int, sent: bytes, count: int) -> Iterator[list[socket.socket]]:
    """Opens `count` connections that each send only `sent`; they are closed at the end."""
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            item = stack.enter_context(socket.socket())
            item.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            item.settimeout(10)
            item.connect(("127.0.0.1", port))
            item.sendall(sent)
            opened.append(item)
        yield opened


def is_open(client: socket.socket) -> bool:
    """Whether the other side has not closed the connection; discards what it sent."""
    client.settimeout(0.01)
    try:
        while client.recv(65536):
            pass
    except TimeoutError:
        return True
    except OSError:
        return False
    return False
