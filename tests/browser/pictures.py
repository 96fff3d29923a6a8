"""Reduced pictures of pages, and the differences between two of them.

A picture is reduced to one square per 16 × 16 pixels, with their mean colour. So another shade at
the edge of a letter, as between browser releases, is no difference; a missing plot, a mark of
another colour or a card in another place is one.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from playwright.sync_api import Page

SQUARE_PX = 16
BAND = 4
"""The number of rows of squares that are compared together, at the position of the best match."""
MAX_SHIFT = 4
"""How many rows a band may move up or down: one more line of text is reported only once."""
MAX_SHADE = 28
"""The largest difference that a colour channel may have, of 255."""
MAX_SQUARES = 3
"""The number of squares in a band that may differ."""

REDUCE = """async ([png, side]) => {
  const image = new Image()
  image.src = "data:image/png;base64," + png
  await image.decode()
  const width = Math.floor(image.width / side), height = Math.floor(image.height / side)
  const canvas = Object.assign(document.createElement("canvas"), image.width && {
    width: width * side, height: height * side,
  })
  const context = canvas.getContext("2d", { willReadFrequently: true })
  context.drawImage(image, 0, 0)
  const from = context.getImageData(0, 0, canvas.width, canvas.height).data
  const small = Object.assign(document.createElement("canvas"), { width, height })
  const into = small.getContext("2d"), made = into.createImageData(width, height)
  for (let at = 0; at < width * height; at += 1) {
    const left = (at % width) * side, top = Math.floor(at / width) * side, sum = [0, 0, 0]
    for (let y = top; y < top + side; y += 1)
      for (let x = left; x < left + side; x += 1)
        for (let c = 0; c < 3; c += 1) sum[c] += from[4 * (y * canvas.width + x) + c]
    for (let c = 0; c < 3; c += 1) made.data[4 * at + c] = sum[c] / (side * side)
    made.data[4 * at + 3] = 255
  }
  into.putImageData(made, 0, 0)
  return [small.toDataURL("image/png").split(",")[1], width, [...made.data]]
}"""

FIX_TEXTS = """slug => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  const clock = /\\d{4}-\\d\\d-\\d\\d( \\d\\d:\\d\\d(:\\d\\d)?)?/g
  for (let node; (node = texts.nextNode());) {
    let text = node.data.replace(clock, found => "2026-01-01 00:00:00".slice(0, found.length))
    if (slug) text = text.replaceAll(slug, "a".repeat(slug.length))
    if (text !== node.data) node.data = text
  }
}"""
"""Replaces dates and slugs, which differ from run to run."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A reduced picture: rows of squares with red, green and blue, and the same as PNG."""

    rows: tuple[tuple[tuple[int, int, int], ...], ...]
    png: bytes


def take_picture(page: Page, slug: str = "") -> Picture:
    """A reduced picture of the whole page."""
    page.evaluate(FIX_TEXTS, slug)
    png = page.screenshot(full_page=True, animations="disabled", caret="hide")
    return reduce_png(page, png, SQUARE_PX)


def reduce_png(page: Page, png: bytes, side: int) -> Picture:
    """Reduces a PNG to one square per side × side pixels, in the browser."""
    blank = page.context.new_page()
    small, width, data = blank.evaluate(REDUCE, [base64.b64encode(png).decode(), side])
    blank.close()
    squares = [(data[at], data[at + 1], data[at + 2]) for at in range(0, len(data), 4)]
    rows = tuple(tuple(squares[at : at + width]) for at in range(0, len(squares), width))
    return Picture(rows, base64.b64decode(small))


def differences(before: Picture, now: Picture) -> list[str]:
    """The bands in which two pictures differ, one line each; empty if none does."""
    if len(before.rows[0]) != len(now.rows[0]):
        return [f"it was {len(before.rows[0])} squares wide and is {len(now.rows[0])}"]
    lines, shift = [], 0
    for top in range(0, len(before.rows), BAND):
        band = before.rows[top : top + BAND]
        tries = [
            (
                _differing_squares(band, now.rows[max(top + by, 0) : max(top + by, 0) + BAND]),
                abs(by - shift),
                by,
            )
            for by in range(shift - MAX_SHIFT, shift + MAX_SHIFT + 1)
        ]
        off, _, best = min(tries)
        if off > MAX_SQUARES:
            lines.append(f"{off} squares from {top * SQUARE_PX} px on")
        else:
            shift = best
    if abs(len(now.rows) - len(before.rows) - shift) > MAX_SHIFT:
        lines.append(
            f"it was {len(before.rows) * SQUARE_PX} px high, is {len(now.rows) * SQUARE_PX}"
        )
    return lines


def _differing_squares(
    one: Sequence[Sequence[tuple[int, int, int]]], other: Sequence[Sequence[tuple[int, int, int]]]
) -> int:
    missing = (len(one) - len(other)) * len(one[0]) if one else 0
    return missing + sum(
        max(abs(a - b) for a, b in zip(left, right, strict=True)) > MAX_SHADE
        for row, other_row in zip(one, other, strict=False)
        for left, right in zip(row, other_row, strict=True)
    )
