"""What was done and seen while an incident was played, with times."""

from __future__ import annotations

import time

from labs.incidents.model import Moment


class Timeline:
    """Moments in order. Their clock starts with the first one."""

    def __init__(self) -> None:
        self._noted: list[tuple[float, str]] = []

    def add(self, words: str) -> None:
        """Notes what was just done or seen."""
        self._noted.append((time.monotonic(), words))

    @property
    def moments(self) -> tuple[Moment, ...]:
        """All that was noted, in seconds since the first."""
        return tuple(Moment(round(at - self._noted[0][0], 2), words) for at, words in self._noted)
