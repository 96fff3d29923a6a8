"""A picture in memory, and its PNG: rectangles, thick lines and strokes of letters, smoothed."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from itertools import pairwise
from math import ceil, floor, hypot

from labs.pages.lettering import Stroke, strokes

Colour = tuple[int, int, int]


class Canvas:
    """`width` × `height` points of one colour; places are points from the upper left corner."""

    def __init__(self, width: int, height: int, paper: Colour) -> None:
        self.width, self.height = width, height
        self._points = bytearray(bytes(paper) * (width * height))

    def fill(
        self, x: float, y: float, width: float, height: float, colour: Colour, share: float = 1.0
    ) -> None:
        """A rectangle, `share` of its colour mixed with what is there; to whole points."""
        left, right = max(0, round(x)), min(self.width, round(x + width))
        for row in range(max(0, round(y)), min(self.height, round(y + height))):
            for column in range(left, right):
                self._mix(column, row, colour, share)

    def frame(
        self, x: float, y: float, width: float, height: float, colour: Colour, thick: float = 2
    ) -> None:
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
        self.draw([tuple(corners)], colour, thick)

    def write(
        self, text: str, x: float, y: float, height: float, colour: Colour, thick: float = 0.0
    ) -> None:
        """A text with its baseline at `y`, its capitals `height` high."""
        self.draw(strokes(text, x, y, height), colour, thick or height * 0.12)

    def draw(self, lines: Iterable[Stroke], colour: Colour, thick: float) -> None:
        """Lines with round ends; where they cross, they are one."""
        covered: dict[tuple[int, int], float] = {}
        for line in lines:
            for begin, end in pairwise(line):
                _cover(covered, begin, end, thick / 2)
        for (column, row), share in covered.items():
            if 0 <= column < self.width and 0 <= row < self.height:
                self._mix(column, row, colour, share)

    def _mix(self, column: int, row: int, colour: Colour, share: float) -> None:
        at = 3 * (row * self.width + column)
        for part in range(3):
            there = self._points[at + part]
            self._points[at + part] = round(there + (colour[part] - there) * share)

    def png(self) -> bytes:
        """The picture as PNG (ISO/IEC 15948): 8 bits a colour, no filter, one chunk of data."""
        wide = 3 * self.width
        rows = b"".join(
            b"\0" + self._points[row * wide : (row + 1) * wide] for row in range(self.height)
        )
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*chunk) for chunk in chunks)


def _cover(
    covered: dict[tuple[int, int], float], begin: tuple[float, float], end: tuple[float, float],
    radius: float,
) -> None:  # fmt: skip
    """How much of each point the thick line covers, by the distance of its middle."""
    (x0, y0), (x1, y1) = begin, end
    along_x, along_y = x1 - x0, y1 - y0
    length = along_x * along_x + along_y * along_y
    reach = radius + 1
    for row in range(floor(min(y0, y1) - reach), ceil(max(y0, y1) + reach)):
        for column in range(floor(min(x0, x1) - reach), ceil(max(x0, x1) + reach)):
            px, py = column + 0.5 - x0, row + 0.5 - y0
            at = (px * along_x + py * along_y) / length if length else 0.0
            at = min(1.0, max(0.0, at))
            share = radius + 0.5 - hypot(px - at * along_x, py - at * along_y)
            if share > 0:
                place = (column, row)
                covered[place] = max(covered.get(place, 0.0), min(1.0, share))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
