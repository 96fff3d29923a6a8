"""Detects missing heartbeats by whether they change, since the wall clock can be set."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

_Who = TypeVar("_Who", bound=Hashable)


class HeartbeatAges:
    """How long each heartbeat has not changed, on this process's own monotonic clock.

    A beat is only compared with the one before. So a wall clock that is set forward ends no live
    run, and one that is set back keeps no dead one. The price: a process that looks for the first
    time, or was stopped itself, has to wait again.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._since: dict[Hashable, tuple[object, float]] = {}
        self._looked = clock()
        self._alone = threading.Lock()

    def overdue(self, beats: Mapping[_Who, object], least_s: float) -> list[_Who]:
        """Those whose beat has not changed for `least_s` seconds; absent names are forgotten."""
        return [who for who, for_s in self.seconds(beats, least_s).items() if for_s >= least_s]

    def seconds(self, beats: Mapping[_Who, object], blind_s: float) -> dict[_Who, float]:
        """The seconds since each heartbeat changed. Names that are absent are forgotten.

        A caller that has not looked for `blind_s` seconds starts over.
        """
        with self._alone:
            now = self._clock()
            if now - self._looked >= blind_s:
                self._since = {}
            self._looked = now
            self._since = {who: self._last_change(who, beat, now) for who, beat in beats.items()}
            return {who: now - self._since[who][1] for who in beats}

    def _last_change(self, who: Hashable, beat: object, now: float) -> tuple[object, float]:
        before = self._since.get(who)
        return before if before and before[0] == beat else (beat, now)
