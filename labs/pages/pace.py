"""The progress and the remaining time of an arm, by its phases. Pure.

Times are seconds since the first event of the experiment, as reported by the runner.
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
"""A phase is late if it has taken this many times its usual duration plus 2 s."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The progress of an arm: `spent_s` so far in its phase, which usually takes `usual_s`; the
    phases after it take `later_s`."""

    phase: str
    spent_s: float
    usual_s: float
    later_s: float

    @property
    def remaining_s(self) -> float:
        """The seconds to the arm's verdict; for a waiting arm from the time when it has a place."""
        return max(self.usual_s - self.spent_s, 0.0) + self.later_s

    @property
    def words(self) -> str:
        """The name of its phase on the page."""
        return PHASES.get(self.phase, self.phase)

    @property
    def waits(self) -> bool:
        """Whether it is still waiting for a place for its brokers."""
        return self.phase in _WAITING

    @property
    def late(self) -> bool:
        """Whether its phase takes considerably longer than usual."""
        return not self.waits and self.spent_s > _LATE * self.usual_s + 2


def usual(earlier: Iterable[Mapping[str, float]]) -> dict[str, float]:
    """Returns the median duration of each phase; `earlier` has the starts of phases by arm."""
    took: dict[str, list[float]] = {}
    for began in earlier:
        ordered = sorted(began.items(), key=lambda row: row[1])
        for (phase, at_s), (_, next_s) in pairwise(ordered):
            took.setdefault(phase, []).append(next_s - at_s)
    return {phase: median(took.get(phase, [time_s])) for phase, time_s in USUAL_S.items()}


def pace(
    phase: str, began: Mapping[str, float], now_s: float, usual_s: Mapping[str, float]
) -> Pace:
    """Returns the pace of an arm; `began` has the start of each of its phases."""
    if phase in _WAITING:
        return Pace(phase, 0.0, 0.0, sum(usual_s.values()))
    names = list(usual_s)
    later = names[names.index(phase) + 1 :] if phase in names else []
    # A scenario may return to an earlier phase, such as failing again after healing.
    spent_s = now_s - began.get(phase, now_s)
    return Pace(
        phase, max(spent_s, 0.0), usual_s.get(phase, 0.0), sum(usual_s[name] for name in later)
    )
