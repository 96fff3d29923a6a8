"""The progress of an arm and its remaining time, by its phases: pure.

Times are seconds since the experiment's first event, as the runner tells them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

PHASES: Mapping[str, str] = {
    "waiting": "Waiting for a place",
    "booting": "Starting brokers",
    "ready": "Brokers ready",
    "producing": "Sending",
    "faulting": "Failing",
    "healing": "Healing",
    "reading": "Reading back",
    "judging": "Counting",
    "done": "Done",
}
"""The phases of an arm in order, in words."""

USUAL_S: Mapping[str, float] = {
    "booting": 8, "ready": 1, "producing": 4, "faulting": 8, "healing": 8, "reading": 5,
    "judging": 11,
}  # fmt: skip
"""The duration of each phase on 2 cores; used until this installation has its own runs."""

_WAITING = ("", "waiting")
_LATE = 1.5
"""A phase is late when it has taken so many times what it usually takes, and 2 s."""


@dataclass(frozen=True, slots=True)
class Pace:
    """An arm has spent `spent_s` in its phase, which usually takes `usual_s`; the phases after it
    take `later_s`."""

    phase: str
    spent_s: float
    usual_s: float
    later_s: float

    @property
    def left_s(self) -> float:
        """Seconds to the arm's verdict; for one that waits, from when it has its place."""
        return max(self.usual_s - self.spent_s, 0.0) + self.later_s

    @property
    def words(self) -> str:
        """What its phase is called."""
        return PHASES.get(self.phase, self.phase)

    @property
    def waits(self) -> bool:
        """Whether it has no place for its brokers yet."""
        return self.phase in _WAITING

    @property
    def late(self) -> bool:
        """Whether its phase takes clearly longer than usual."""
        return not self.waits and self.spent_s > _LATE * self.usual_s + 2


def usual(earlier: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """The median time of each phase, of arms that are done: by arm, when each phase began."""
    took: dict[str, list[float]] = {}
    for began in earlier:
        ordered = sorted(began.items(), key=lambda row: row[1])
        for (phase, at_s), (_, next_s) in pairwise(ordered):
            took.setdefault(phase, []).append(next_s - at_s)
    return {phase: median(took.get(phase, [time_s])) for phase, time_s in USUAL_S.items()}


def pace(
    phase: str, began: Mapping[str, float], now_s: float, usual_s: Mapping[str, float]
) -> Pace:
    """Where an arm stands; `began` says when each of its phases began."""
    if phase in _WAITING:
        return Pace(phase, 0.0, 0.0, sum(usual_s.values()))
    names = list(usual_s)
    later = names[names.index(phase) + 1 :] if phase in names else []
    # A scenario that heals and fails again is past what it was in before.
    spent_s = now_s - began.get(phase, now_s)
    return Pace(
        phase, max(spent_s, 0.0), usual_s.get(phase, 0.0), sum(usual_s[name] for name in later)
    )
