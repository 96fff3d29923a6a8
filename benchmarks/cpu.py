"""The processor time of processes, from `/proc/PID/stat` (proc(5))."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 11, 12


def fields(pid: int | str) -> list[str]:
    """The fields of a process's `stat` after its name; the first is field 3 of proc(5).

    Raises `FileNotFoundError` or `ProcessLookupError` if the process has ended.
    """
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def spent_s(stat: list[str]) -> float:
    """The CPU-seconds in `fields`, user and system together."""
    return (int(stat[_USER]) + int(stat[_SYSTEM])) / _TICKS


def cpu_s(*pids: int) -> float:
    """The total CPU-seconds of running processes."""
    return sum(spent_s(fields(pid)) for pid in pids)
