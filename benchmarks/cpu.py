"""The processor time of processes, by the kernel's word (`stat` of proc(5))."""

from __future__ import annotations

import os
from pathlib import Path

_TICKS = os.sysconf("SC_CLK_TCK")
_USER, _SYSTEM = 11, 12


def fields(pid: int | str) -> list[str]:
    """What `stat` has of a process after its name: field 3 of proc(5) is the first.

    Raises `FileNotFoundError` or `ProcessLookupError` for one that is gone.
    """
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()


def spent_s(stat: list[str]) -> float:
    """The CPU-seconds in `fields`, of user and system."""
    return (int(stat[_USER]) + int(stat[_SYSTEM])) / _TICKS


def cpu_s(*pids: int) -> float:
    """The CPU-seconds of processes that live, together."""
    return sum(spent_s(fields(pid)) for pid in pids)
