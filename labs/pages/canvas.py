"""Draws a PNG: rectangles, lines and text in the font of the pages.

It is drawn at twice its size and scaled down, which smooths the lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from io import BytesIO

from django.conf import settings
from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Point = tuple[float, float]
Line = Sequence[Point]

_SCALE = 2
_CAPITAL = 0.727
"""The height of a capital of Inter, relative to the size of the font (its OS/2 table,
`sCapHeight`)."""
_WEIGHT, _BOLD = 400, 650


class Canvas:
    """`width` × `height` points of one colour; coordinates start in the upper left corner."""

    def __init__(self, width: int, height: int, paper: Colour) -> None:
        self._image = Image.new("RGB", (width * _SCALE, height * _SCALE), paper)
        self._draw = ImageDraw.Draw(self._image, "RGBA")
        self._size = width, height

    def fill(
        self, x: float, y: float, width: float, height: float, colour: Colour, share: float = 1.0
    ) -> None:
        """Fills a rectangle, rounded to whole points; `share` is the opacity of the colour."""
        left, top = round(x), round(y)
        right, bottom = round(x + width), round(y + height)
        if left < right and top < bottom:
            corners = _scaled([(left, top), (right, bottom)])
            box = (*corners[0], corners[1][0] - 1, corners[1][1] - 1)  # the last points are inside
            self._draw.rectangle(box, (*colour, round(255 * share)))

    def frame(
        self, x: float, y: float, width: float, height: float, colour: Colour, thick: float = 2
    ) -> None:
        """Draws the outline of a rectangle."""
        corners = [(x, y), (x + width, y), (x + width, y + height), (x, y + height), (x, y)]
        self.draw([corners], colour, thick)

    def write(
        self, text: str, x: float, y: float, height: float, colour: Colour,
        *, bold: bool = False, centred: bool = False,
    ) -> None:  # fmt: skip
        """Writes text with its baseline at `y` and capitals `height` high. It begins at `x`, or is
        centred there."""
        (place,) = _scaled([(x, y)])
        anchor = "ms" if centred else "ls"
        self._draw.text(place, text, colour, _font(height, bold=bold), anchor)

    def draw(self, lines: Iterable[Line], colour: Colour, thick: float) -> None:
        """Draws lines that are `thick` points wide."""
        for line in lines:
            self._draw.line(_scaled(line), colour, round(thick * _SCALE), joint="curve")

    def png(self) -> bytes:
        """Returns the picture as PNG."""
        out = BytesIO()
        self._image.resize(self._size, Image.Resampling.BOX).save(out, "PNG", optimize=True)
        return out.getvalue()


def width(text: str, height: float, *, bold: bool = False) -> float:
    """Returns the width of a text whose capitals are `height` high."""
    return _font(height, bold=bold).getlength(text) / _SCALE


def wrapped(text: str, height: float, room: float, most: int, *, bold: bool = False) -> list[str]:
    """Returns at most `most` lines that fit into `room`; longer text ends with an ellipsis."""
    lines: list[str] = []
    for word in text.split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and width(longer, height, bold=bold) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    if len(lines) > most:
        lines = lines[:most]
        while lines[-1] and width(f"{lines[-1]} …", height, bold=bold) > room:
            lines[-1] = lines[-1].rpartition(" ")[0]
        lines[-1] += " …"
    return lines


def _scaled(line: Line) -> list[Point]:
    return [(x * _SCALE, y * _SCALE) for x, y in line]


@cache
def _font(height: float, *, bold: bool) -> ImageFont.FreeTypeFont:
    path = settings.BASE_DIR / "config" / "static" / "fonts" / "inter.woff2"
    font = ImageFont.truetype(str(path), round(height * _SCALE / _CAPITAL))
    font.set_variation_by_axes([_BOLD if bold else _WEIGHT])
    return font
