"""Measures whether the machine is idle, because work in advance must not slow down a run."""

from __future__ import annotations

from pathlib import Path

QUIET = 0.75
"""The minimum idle share of all cores' time between two measurements."""


class Idle:
    """The idle share of all cores' time since the last call (proc(5))."""

    def __init__(self) -> None:
        self._idle, self._all = self._read()

    def part(self) -> float:
        before_idle, before_all = self._idle, self._all
        self._idle, self._all = self._read()
        elapsed = self._all - before_all
        return (self._idle - before_idle) / elapsed if elapsed else 0.0

    @staticmethod
    def _read() -> tuple[int, int]:
        with Path("/proc/stat").open() as stat:
            times = [int(field) for field in stat.readline().split()[1:9]]
        return times[3] + times[4], sum(times)  # idle and iowait
