"""The actions and observations of a play, with times."""

from __future__ import annotations

import time

from labs.incidents.model import Moment


class Timeline:
    """Moments in order. Their clock starts with the first one."""

    def __init__(self) -> None:
        self._entries: list[tuple[float, str]] = []

    def add(self, words: str) -> None:
        """Adds an action or observation of this moment."""
        self._entries.append((time.monotonic(), words))

    @property
    def moments(self) -> tuple[Moment, ...]:
        """All entries, in seconds since the first."""
        return tuple(
            Moment(round(at - self._entries[0][0], 2), words) for at, words in self._entries
        )
