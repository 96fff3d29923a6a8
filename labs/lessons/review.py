"""Selects wrong predictions and answers that are asked again some days later."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

WAITS = (timedelta(days=2), timedelta(days=7))
"""The times after a miss and after each right answer; then it is not asked again."""
MOST = 5
"""The most questions in a review."""

_HARM = {"sure": 0, "think": 1, "": 1, "guess": 2}
"""Sort keys by confidence: to be sure and wrong is the worst; questions have no confidence."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A wrong answer: its lab, its item, and the confidence in it.

    `since` is the time of the miss or of the last review, `times_right` the number of successive
    right answers since.
    """

    lesson: str
    item: str
    confidence: str
    since: datetime
    times_right: int

    def is_due(self, now: datetime) -> bool:
        """Whether it should be asked again."""
        learned = self.times_right >= len(WAITS)
        return not learned and now >= self.since + WAITS[self.times_right]


def due(misses: Iterable[Miss], now: datetime) -> list[Miss]:
    """Returns the misses to ask now: the worst first, and of these the oldest."""
    due_misses = [miss for miss in misses if miss.is_due(now)]
    return sorted(due_misses, key=lambda miss: (_HARM.get(miss.confidence, 1), miss.since))[:MOST]
