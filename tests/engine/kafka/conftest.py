"""A server that answers Kafka requests with prepared bytes, for tests of the wire protocol."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest

from labs.engine.protocol.wire import frame


class Server:
    """Accepts one connection, and answers as many requests as it has answers."""

    def __init__(self, *answers: bytes) -> None:
        self._answers = answers
        self.requests: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def _serve(self) -> None:
        wire, _ = self._socket.accept()
        with wire:
            for answer in self._answers:
                self.requests.append(frame(wire))
                key = struct.unpack_from(">h", self.requests[-1])[0]
                wire.sendall(struct.pack(">ii", len(answer) + 4, key) + answer)

    def close(self) -> None:
        self._thread.join(60)
        self._socket.close()


Serve = Callable[..., Server]
"""Starts a server with these answers."""


@pytest.fixture
def serve() -> Iterator[Serve]:
    with ExitStack() as servers:

        def serve(*answers: bytes) -> Server:
            return servers.enter_context(closing(Server(*answers)))

        yield serve
