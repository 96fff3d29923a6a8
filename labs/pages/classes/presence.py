"""The pupils whose browsers sent a request recently, in memory, so that reading writes nothing.

With several web processes, each knows only its own requests, as with the rate limits.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

PRESENT_S = 15.0
"""A page sends a request every 2 seconds; browsers may delay those of background tabs."""
_MOST = 20_000


@dataclass(slots=True)
class Presence:
    """The time of the last request of each visitor for a room, by its code."""

    clock: Callable[[], float] = time.monotonic
    _last_seen: dict[tuple[str, str], float] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def record(self, code: str, visitor: str) -> None:
        """Records a request of a visitor for a room."""
        now = self.clock()
        with self._lock:
            if len(self._last_seen) >= _MOST:
                self._last_seen = {
                    key: at for key, at in self._last_seen.items() if now - at < PRESENT_S
                }
            if len(self._last_seen) < _MOST:
                self._last_seen[code, visitor] = now

    def present(self, code: str) -> frozenset[str]:
        """Returns the visitors whose browsers are connected to a room."""
        now = self.clock()
        with self._lock:
            return frozenset(
                visitor
                for (room, visitor), at in self._last_seen.items()
                if room == code and now - at < PRESENT_S
            )


PRESENCE = Presence()
