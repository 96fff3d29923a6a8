"""The steps of a play on a timeline, with the sides of a bug below each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from labs.incidents.model import Moment

_COUNT = re.compile(r"\b\d{4,}(?= (?:of|more|acknowledged|messages|offsets)\b)")


@dataclass(frozen=True, slots=True)
class Step:
    """A moment; `along` is its position on the timeline in percent.

    `is_harm` marks the step in which the harm happened, `is_count` the one in which it was counted
    afterwards. If no step shows when it happened, the last one is both.
    """

    at_s: float
    words: str
    along: float
    is_harm: bool = False
    is_count: bool = False


@dataclass(frozen=True, slots=True)
class Lane:
    """The steps of one release."""

    release: str
    label: str
    steps: tuple[Step, ...]


def _grouped(words: str) -> str:
    """Returns `40,000 messages` for `40000 messages`; offsets and setting values are unchanged."""
    return _COUNT.sub(lambda count: f"{int(count[0]):,}", words)


def lanes(
    sides: Sequence[tuple[str, str, Sequence[Moment], int]],
    harm_in: Callable[[Sequence[Moment]], int | None],
) -> tuple[Lane, ...]:
    """Returns a lane for each (release, label, moments, harmed messages) with moments.

    All have the scale of the longest; the last moment of a play is its count. `harm_in` is
    `Incident.harm_in`.
    """
    timed = [side for side in sides if side[2]]
    whole = max((side[2][-1].at_s for side in timed), default=0.0) or 1.0
    return tuple(
        Lane(release, label, tuple(_steps(moments, whole, harmed, harm_in)))
        for release, label, moments, harmed in timed
    )


def _steps(
    moments: Sequence[Moment], whole: float, harmed: int,
    harm_in: Callable[[Sequence[Moment]], int | None],
) -> Iterator[Step]:  # fmt: skip
    last = len(moments) - 1
    harm = (harm_in(moments) or last) if harmed else None
    for number, moment in enumerate(moments):
        along = 99 * moment.at_s / whole
        is_count = harmed > 0 and number == last
        yield Step(moment.at_s, _grouped(moment.words), along, number == harm, is_count)
