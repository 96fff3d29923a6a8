"""The picture of a pipeline: how many copies the log has, and the guarantee on each leg."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from advisor.catalog import Value
from advisor.reasoning.guarantees import Boundary, Guarantee

_MOST_DRAWN = 5
_ROOM = (71, 36)
"""The position of the copies in the drawing of `picture.html`, and their total height."""


@dataclass(frozen=True, slots=True)
class Leg:
    """One leg of the pipeline: its guarantee, its extent, and its place in the drawing."""

    boundary: Boundary
    guarantee: Guarantee
    covers: str
    start: int
    end: int

    @property
    def middle(self) -> int:
        """The horizontal centre of its text."""
        return (self.start + self.end) // 2


@dataclass(frozen=True, slots=True)
class Picture:
    """The drawing of a pipeline. `copies` is None if their number is unknown."""

    legs: tuple[Leg, Leg]
    whole: Leg
    copies: int | None

    @property
    def bars(self) -> tuple[int, ...]:
        """The height in the drawing of each copy of the log; of many copies five are drawn."""
        top, room = _ROOM
        drawn = min(self.copies or 1, _MOST_DRAWN)
        return tuple(top + (2 * at + 1) * room // (2 * drawn) for at in range(drawn))


def picture(guarantees: Mapping[Boundary, Guarantee], copies: Value) -> Picture:
    """Returns the picture of an answer: the guarantees at its boundaries, and its copies."""

    def leg(boundary: Boundary, covers: str, start: int, end: int) -> Leg:
        return Leg(boundary, guarantees[boundary], covers, start, end)

    return Picture(
        (
            leg(Boundary.PRODUCER_TO_LOG, "one producer session, from send() to the log", 92, 132),
            leg(Boundary.LOG_TO_CONSUMER, "from the log to the processing", 228, 268),
        ),
        leg(Boundary.END_TO_END, "your code and the sink, too", 46, 314),
        copies if isinstance(copies, int) and not isinstance(copies, bool) else None,
    )
