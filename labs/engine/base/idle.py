"""Tells whether the machine is idle, because work done ahead must not slow down a run."""

from __future__ import annotations

from pathlib import Path

QUIET = 0.75
"""The share of all cores' time that must have been idle between two looks."""


class Idle:
    """The share of all cores' time that was idle since the last call (proc(5))."""

    def __init__(self) -> None:
        self._idle, self._all = self._read()

    def part(self) -> float:
        before_idle, before_all = self._idle, self._all
        self._idle, self._all = self._read()
        passed = self._all - before_all
        return (self._idle - before_idle) / passed if passed else 0.0

    @staticmethod
    def _read() -> tuple[int, int]:
        with Path("/proc/stat").open() as stat:
            times = [int(name) for name in stat.readline().split()[1:9]]
        return times[3] + times[4], sum(times)  # idle and iowait
