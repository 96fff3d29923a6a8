"""The pupils whose browsers sent a request recently. Kept in memory, so that looking writes
nothing.

With several web processes each knows only its own requests, as with the rate limits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

HERE_S = 15.0
"""A browser asks every 2 seconds; one in the background may be held back by its own browser."""
_MOST = 20_000


@dataclass(slots=True)
class Presence:
    """When each visitor last asked for a room, by its code."""

    clock: Callable[[], float] = time.monotonic
    _asked: dict[tuple[str, str], float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def record(self, code: str, visitor: str) -> None:
        """Notes a request of a visitor for a room."""
        now = self.clock()
        with self._lock:
            if len(self._asked) >= _MOST:
                self._asked = {key: at for key, at in self._asked.items() if now - at < HERE_S}
            if len(self._asked) < _MOST:
                self._asked[code, visitor] = now

    def present(self, code: str) -> frozenset[str]:
        """The visitors whose browsers are there."""
        now = self.clock()
        with self._lock:
            return frozenset(
                visitor
                for (room, visitor), at in self._asked.items()
                if room == code and now - at < HERE_S
            )


PRESENCE = Presence()
