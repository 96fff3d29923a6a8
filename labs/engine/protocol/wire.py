"""What Kafka's answers are made of, as they come over a socket of our own."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Reader:
    """Reads an answer from its beginning. Raises `ConnectionError` where it ends too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def skip(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise ConnectionError("the broker's answer ends too early")
        return self._data[self._at - count : self._at]

    def take(self, form: str) -> tuple[int, ...]:
        """Numbers, as `struct` names their forms."""
        return struct.unpack(form, self.skip(struct.calcsize(form)))

    def number(self, form: str) -> int:
        (value,) = self.take(form)
        return value


class Classic(Reader):
    """Reads the encoding before KIP-482: lengths are numbers of a fixed size."""

    def text(self) -> None:
        self.skip(max(0, self.number(">h")))


class Flexible(Reader):
    """Reads the "flexible" encoding of KIP-482: compact arrays and strings, tagged fields."""

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.skip(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self) -> None:
        self.skip(max(0, self.varint() - 1))

    def array(self, item: Callable[[], T]) -> tuple[T, ...] | None:
        length = self.varint()
        return tuple(item() for _ in range(length - 1)) if length else None

    def ids(self) -> tuple[int, ...] | None:
        return self.array(lambda: self.number(">i"))

    def tags(self) -> None:
        for _ in range(self.varint()):
            self.varint()
            self.skip(self.varint())


def varint(value: int) -> bytes:
    """A number as compact lengths have it: seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def frame(wire: socket.socket) -> bytes:
    """The next message of a connection, after its length. Raises `OSError` if none comes."""
    (length,) = struct.unpack(">i", _exactly(wire, 4))
    return _exactly(wire, length)


def _exactly(wire: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = wire.recv(count - len(data))
        if not more:
            raise ConnectionError("the broker closed the connection")
        data += more
    return data
