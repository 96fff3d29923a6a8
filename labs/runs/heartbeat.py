"""Detects missing heartbeats by whether they change, since the wall clock can be set."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

_Key = TypeVar("_Key", bound=Hashable)


class HeartbeatAges:
    """The age of each heartbeat, measured with the monotonic clock of this process.

    A beat is only compared with the previous one. So a wall clock that is set forward ends no live
    run, and one that is set back keeps no dead one. The price: a process that has just started, or
    was stopped itself, has to wait again.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[Hashable, tuple[object, float]] = {}
        self._checked_at = clock()
        self._lock = threading.Lock()

    def overdue(self, beats: Mapping[_Key, object], least_s: float) -> list[_Key]:
        """Returns the keys whose beat has not changed for `least_s` seconds; drops absent keys."""
        return [key for key, age_s in self.seconds(beats, least_s).items() if age_s >= least_s]

    def seconds(self, beats: Mapping[_Key, object], blind_s: float) -> dict[_Key, float]:
        """Returns the seconds since each heartbeat changed. Absent keys are dropped.

        If there was no call for `blind_s` seconds, all ages start again at 0.
        """
        with self._lock:
            now = self._clock()
            if now - self._checked_at >= blind_s:
                self._since = {}
            self._checked_at = now
            self._since = {key: self._last_change(key, beat, now) for key, beat in beats.items()}
            return {key: now - self._since[key][1] for key in beats}

    def _last_change(self, key: Hashable, beat: object, now: float) -> tuple[object, float]:
        before = self._since.get(key)
        return before if before and before[0] == beat else (beat, now)
