"""Requests to one broker over a socket of our own, and what its answers are made of.

Every request of `labs.engine.protocol` goes out here. Headers and encodings are the "flexible" ones
of KIP-482: compact arrays and strings, tagged fields.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

Api = tuple[int, int]
"""The key of a request, and its version."""
Layout: TypeAlias = "str | list[Layout]"
TEXT, IDS = "text", "ids"


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

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.skip(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self) -> str:
        return self.skip(max(0, self.varint() - 1)).decode("utf-8", "replace")

    def fields(self, *layout: Layout) -> list[Any]:
        """Reads fields in order; an array is a tuple of its elements, or None if it is null.

        A layout is the forms of numbers as `struct` has them (`ih`), TEXT, IDS, or for an array a
        list: the layout of an element, after which come its tagged fields.
        """
        values: list[Any] = []
        for form in layout:
            if isinstance(form, list):
                values.append(self._array(form))
            elif form == TEXT:
                values.append(self.text())
            elif form == IDS:
                length = self.varint()
                values.append(self.take(f">{length - 1}i") if length else None)
            else:
                values += self.take(f">{form}")
        return values

    def _array(self, element: list[Layout]) -> tuple[list[Any], ...] | None:
        length, elements = self.varint(), []
        for _ in range(length - 1):
            elements.append(self.fields(*element))
            self.tags()
        return tuple(elements) if length else None

    def tags(self) -> None:
        for _ in range(self.varint()):
            self.varint()
            self.skip(self.varint())


def check_error(error: int, who: str = "broker") -> None:
    """Raises `ConnectionError` for an error code other than 0."""
    if error:
        raise ConnectionError(f"the {who} refused with error {error}")


def varint(value: int) -> bytes:
    """A number as an unsigned varint (KIP-482): seven bits a byte, the lowest first."""
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def compact(text: str) -> bytes:
    """A string of the flexible encoding."""
    data = text.encode()
    return varint(len(data) + 1) + data


def request(port: int, api: Api, body: bytes, limit_s: float) -> Reader:
    """The body of the answer to one request, asked of the broker at a loopback port.

    Raises `OSError` (`TimeoutError` included) if no answer came in `limit_s` seconds.
    """
    return requests(port, [(api, body)], limit_s)[0]


def requests(port: int, asked: Sequence[tuple[Api, bytes]], limit_s: float) -> list[Reader]:
    """The same for several, which go out at once on one connection; a broker keeps their order."""
    # Correlation 1, no client id, no tagged fields.
    frames = [struct.pack(">hhih", *api, 1, -1) + b"\0" + body for api, body in asked]
    with socket.create_connection(("127.0.0.1", port), timeout=limit_s) as wire:
        wire.sendall(b"".join(struct.pack(">i", len(data)) + data for data in frames))
        return [_body(frame(wire)) for _ in frames]


def _body(answer: bytes) -> Reader:
    reader = Reader(answer)
    reader.number(">i")  # correlation
    reader.tags()
    return reader


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
