"""What was done in a play, step by step on a line of time, the sides of a bug under each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from labs.incidents.model import Moment


@dataclass(frozen=True, slots=True)
class Step:
    """A moment; `along` is its place on the line, in per cent. `is_harm` where harm was counted."""

    at_s: float
    words: str
    along: float
    is_harm: bool


@dataclass(frozen=True, slots=True)
class Lane:
    """The steps of one release."""

    release: str
    label: str
    steps: tuple[Step, ...]


def lanes(sides: Sequence[tuple[str, str, Sequence[Moment], int]]) -> tuple[Lane, ...]:
    """A lane for each (release, label, moments, messages harmed) that has moments.

    All are on one scale, that of the longest; the last moment of a play is its count.
    """
    timed = [side for side in sides if side[2]]
    whole = max((side[2][-1].at_s for side in timed), default=0.0) or 1.0
    return tuple(
        Lane(release, label, tuple(
            Step(moment.at_s, moment.words, 99 * moment.at_s / whole,
                 harmed > 0 and moment is moments[-1])
            for moment in moments
        ))
        for release, label, moments, harmed in timed
    )  # fmt: skip
