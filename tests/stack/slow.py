"""Visitors who are slow on purpose: sockets that send or read next to nothing, on loopback."""

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
    """The request of somebody who then reads nothing."""
    return f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()


@contextmanager
def sockets(port: int, sent: bytes, count: int) -> Iterator[list[socket.socket]]:
    """So many connections that each send this and no more; closed at the end."""
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


def is_open(case: socket.socket) -> bool:
    """Whether the other side has not closed it; reads what it sent."""
    case.settimeout(0.01)
    try:
        while case.recv(65536):
            pass
    except TimeoutError:
        return True
    except OSError:
        return False
    return False
