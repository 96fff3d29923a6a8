"""The preview picture of a link to an answer: its verdict, the guarantee on each leg, the smallest
change, and the runs with these settings."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from advisor.pages.presentation import advice, in_short
from advisor.reasoning.guarantees import Guarantee
from advisor.reasoning.plural import counted
from advisor.services import Saved
from advisor.templatetags.look import GUARANTEES
from labs.pages.canvas import Canvas, Colour, width, wrapped
from labs.pages.experiments import preview, proofs

_BOXES = ((56, 200), (480, 240), (944, 200))
"""Producer, log and consumer: (left edge, width). The legs are between them."""
_TOP, _HIGH, _WHOLE = 236, 96, 388
_CHANGES_TOP = 450
_LETTERS = 19
_MOST = 3


@dataclass(frozen=True)
class Preview:
    title: str
    foot: str
    legs: tuple[Guarantee, Guarantee]
    whole: Guarantee
    copies: int | None
    lines: tuple[str, ...]
    """The changes, then the experiments."""


def content(saved: Saved) -> Preview:
    """Returns the content of the picture of a saved answer."""
    shown = advice(saved.answer)
    drawn, pipeline = shown["picture"], shown["pipeline"]
    first, second = drawn.legs
    lines = _changes(in_short(shown["steps"])), _run(str(saved.description.slug))
    return Preview(
        shown["verdict"],
        f"{shown['client']} on Kafka {pipeline.kafka} · rules {saved.rules_version}",
        (first.guarantee, second.guarantee), drawn.whole.guarantee, drawn.copies,
        tuple(filter(None, lines)),
    )  # fmt: skip


def _changes(changes: tuple[str, ...]) -> str:
    more = f" and {len(changes) - _MOST} more" if len(changes) > _MOST else ""
    return f"Smallest change: {', '.join(changes[:_MOST])}{more}" if changes else ""


def _run(slug: str) -> str:
    latest = next(iter(proofs.proofs(slug)), None)
    if latest is None:
        return ""
    arms = "; ".join(f"{arm.label.lower()} {arm.words}" for arm in latest.arms)
    return f"Run: {arms}"


@lru_cache(maxsize=32)
def png(shown: Preview) -> bytes:
    """Returns the picture as PNG, 1200 × 630 points."""
    canvas = preview.sheet(shown.title, shown.foot)
    copies = "log"
    if shown.copies is not None:
        copies += f": {counted(shown.copies, 'copy', 'copies')}"
    for (left, wide), name in zip(_BOXES, ("producer", copies, "consumer"), strict=True):
        canvas.fill(left, _TOP, wide, _HIGH, preview.SURFACE)
        canvas.frame(left, _TOP, wide, _HIGH, preview.INK, 3)
        canvas.write(name, left + wide / 2, _TOP + 57, 20, preview.INK, bold=True, centred=True)
    for place, guarantee in enumerate(shown.legs):
        (left, wide), (right, _) = _BOXES[place], _BOXES[place + 1]
        _leg(canvas, guarantee, left + wide, right)
    _whole(canvas, shown.whole)
    for row, line in enumerate(shown.lines):
        (words,) = wrapped(line, _LETTERS, preview.SIZE[0] - 2 * preview.EDGE, 1)
        y = _CHANGES_TOP + 34 + 52 * row
        canvas.write(words, preview.EDGE, y, _LETTERS, preview.INK)
    return canvas.png()


def _colour(guarantee: Guarantee) -> Colour:
    return preview.LOST if guarantee is Guarantee.NONE else preview.HOLDS


def _leg(canvas: Canvas, guarantee: Guarantee, left: float, right: float) -> None:
    colour, y = _colour(guarantee), _TOP + _HIGH / 2
    canvas.draw([((left + 10, y), (right - 10, y))], colour, 5)
    canvas.draw([((right - 24, y - 11), (right - 10, y), (right - 24, y + 11))], colour, 5)
    canvas.write(
        GUARANTEES[guarantee], (left + right) / 2, _TOP + 26, 18, colour, bold=True, centred=True
    )


def _whole(canvas: Canvas, guarantee: Guarantee) -> None:
    colour, (first, wide), (last, far) = _colour(guarantee), _BOXES[0], _BOXES[-1]
    left, right, top = first + wide / 2, last + far / 2, _TOP + _HIGH + 6
    canvas.draw([((left, top), (left, _WHOLE), (right, _WHOLE), (right, top))], colour, 4)
    words = f"end to end: {GUARANTEES[guarantee]}"
    room = width(words, 20, bold=True) + 48
    middle = preview.SIZE[0] / 2
    canvas.fill(middle - room / 2, _WHOLE - 26, room, 52, preview.PAPER)
    canvas.write(words, middle, _WHOLE + 10, 20, colour, bold=True, centred=True)
