"""Runs a program in a process of its own, and measures its time, CPU time and memory."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.cpu import fields, spent_s

_EVERY_S = 0.1
_PAGE = os.sysconf("SC_PAGE_SIZE")


class Measured(NamedTuple):
    """`peak` is the largest sum of resident bytes over the program and all that it started."""

    code: int
    late: bool
    seconds: float
    cpu_s: float
    peak: int
    output: str
    errors: str


def run(
    command: Sequence[str | Path], env: Mapping[str, str], limit: int, limit_s: float
) -> Measured:
    """Runs a program with at most `limit` bytes of data in each of its processes.

    The limit is RLIMIT_DATA (setrlimit(2)): reserved memory and mapped files do not count. After
    `limit_s` seconds the program is killed with all its processes.
    """

    def confine() -> None:
        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))

    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as errors:
        began = time.monotonic()
        program = subprocess.Popen(
            list(map(str, command)), env=dict(env), stdout=answer, stderr=errors,
            start_new_session=True, preexec_fn=confine,
        )  # fmt: skip
        spent, peak, late = _watch(program, began + limit_s)
        seconds = time.monotonic() - began
        texts = []
        for file in (answer, errors):
            file.seek(0)
            texts.append(file.read().decode(errors="replace"))
        return Measured(program.returncode, late, seconds, spent, peak, *texts)


def _watch(program: subprocess.Popen[bytes], until: float) -> tuple[float, int, bool]:
    """CPU-seconds and peak memory of the program's session, and whether it exceeded the limit."""
    spent: dict[int, float] = {}
    peak = 0
    while program.poll() is None:
        together = 0
        for pid, (used_s, pages) in _session(program.pid).items():
            spent[pid] = max(used_s, spent.get(pid, 0.0))
            together += pages * _PAGE
        peak = max(peak, together)
        if time.monotonic() > until:
            for pid in _session(program.pid):
                os.kill(pid, signal.SIGKILL)
            program.wait()
            return sum(spent.values()), peak, True
        time.sleep(_EVERY_S)
    return sum(spent.values()), peak, False


def _session(leader: int) -> dict[int, tuple[float, int]]:
    """CPU-seconds and resident pages of each process of a session, by its id."""
    results = {}
    for process in Path("/proc").glob("[0-9]*"):
        try:
            stat = fields(process.name)
        except (FileNotFoundError, ProcessLookupError):
            continue  # it ended after it was listed
        if int(stat[3]) == leader:
            results[int(process.name)] = spent_s(stat), int(stat[21])
    return results
