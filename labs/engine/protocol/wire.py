"""Requests to one broker over our own socket, and the encoding of its responses.

Every request of `labs.engine.protocol` is sent here. Headers and encodings are the "flexible" ones
of KIP-482: compact arrays and strings, tagged fields.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Sequence
from typing import Any, TypeAlias

Api = tuple[int, int]
"""The API key and the version of a request."""
Layout: TypeAlias = "str | list[Layout]"
TEXT, IDS = "text", "ids"


class Reader:
    """Reads a response from its start. Raises `ConnectionError` if it ends too early."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._position = 0

    def skip(self, count: int) -> bytes:
        self._position += count
        if self._position > len(self._data):
            raise ConnectionError("the broker's response ends too early")
        return self._data[self._position - count : self._position]

    def take(self, form: str) -> tuple[int, ...]:
        """Returns the next numbers, in a format of `struct`."""
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
        """Returns the next fields; an array is a tuple of its elements, or None if it is null.

        A layout is a `struct` format of numbers (`ih`), TEXT, IDS, or a list for an array: the
        layout of an element, which is followed by tagged fields.
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
    """Returns a number as an unsigned varint (KIP-482): seven bits per byte, lowest first."""
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])


def compact(text: str) -> bytes:
    """Returns a string in the flexible encoding."""
    data = text.encode()
    return varint(len(data) + 1) + data


def request(port: int, api: Api, body: bytes, limit_s: float) -> Reader:
    """Sends one request to the broker at a loopback port; returns the body of the response.

    Raises `OSError` (including `TimeoutError`) if there was no response in `limit_s` seconds.
    """
    return requests(port, [(api, body)], limit_s)[0]


def requests(port: int, bodies: Sequence[tuple[Api, bytes]], limit_s: float) -> list[Reader]:
    """Sends several requests at once on one connection; returns the response bodies in order."""
    # Correlation 1, no client id, no tagged fields.
    frames = [struct.pack(">hhih", *api, 1, -1) + b"\0" + body for api, body in bodies]
    with socket.create_connection(("127.0.0.1", port), timeout=limit_s) as connection:
        connection.sendall(b"".join(struct.pack(">i", len(data)) + data for data in frames))
        return [_body(frame(connection)) for _ in frames]


def _body(message: bytes) -> Reader:
    reader = Reader(message)
    reader.number(">i")  # correlation
    reader.tags()
    return reader


def frame(connection: socket.socket) -> bytes:
    """Returns the next message of a connection, without its length. Raises `OSError` if none."""
    (length,) = struct.unpack(">i", _exactly(connection, 4))
    return _exactly(connection, length)


def _exactly(connection: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        received = connection.recv(count - len(data))
        if not received:
            raise ConnectionError("the broker closed the connection")
        data += received
    return data
