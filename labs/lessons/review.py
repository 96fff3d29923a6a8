"""What comes back some days later: predictions and answers that were wrong, the worst first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

WAITS = (timedelta(days=2), timedelta(days=7))
"""After the miss, and after each time that it was got right; then it does not come back."""
MOST = 5
"""As many at once: a review is short."""

_HARM = {"sure": 0, "think": 1, "": 1, "guess": 2}
"""To be sure and wrong is the worst; answers to questions have no confidence."""


@dataclass(frozen=True, slots=True)
class Miss:
    """Something that was wrong: in which lab, which item, how sure one was.

    `since` is when it was missed or last asked again, `times_right` how often it was right in a
    row since.
    """

    lesson: str
    item: str
    confidence: str
    since: datetime
    times_right: int

    def is_due(self, now: datetime) -> bool:
        """Whether it has to be asked again."""
        learned = self.times_right >= len(WAITS)
        return not learned and now >= self.since + WAITS[self.times_right]


def due(misses: Iterable[Miss], now: datetime) -> list[Miss]:
    """The questions to ask now: the worst first, and of these the oldest."""
    requests = [miss for miss in misses if miss.is_due(now)]
    return sorted(requests, key=lambda miss: (_HARM.get(miss.confidence, 1), miss.since))[:MOST]
