"""What a row of runs leaves behind: open files, threads, memory, processes, files.

After each run: our open files and threads, our memory and the judge's, processes that anything in
the scratch folder belongs to, and files of brokers, or outside the runs' own folders.
"""

from __future__ import annotations

import os
import statistics
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from labs.engine.base import processes
from labs.engine.judge.warm import WarmJudge

_GROWTH = 1.1
_FEW = 20


@dataclass(frozen=True, slots=True)
class Left:
    """What is there after a run."""

    open_files: int
    threads: int
    memory_mb: int
    judge_mb: int
    processes: int
    files: int


def left(scratch: Path, runs: Path, judge: WarmJudge) -> Left:
    """Counts it, by the kernel's word."""
    own = Path("/proc/self")
    judges = processes.process_tree(judge.pid or 0)
    return Left(
        open_files=len(list((own / "fd").iterdir())),
        threads=len(list((own / "task").iterdir())),
        memory_mb=_memory_mb(os.getpid()),
        judge_mb=sum(_memory_mb(pid) for pid in judges),
        processes=len(_at_home_in(scratch) - {os.getpid(), *judges}),
        files=sum(path.is_file() for path in scratch.rglob("*") if not _belongs(path, runs)),
    )


def _belongs(path: Path, runs: Path) -> bool:
    """Whether a run keeps it, or the judge while it lives: all but what brokers wrote."""
    if path.is_relative_to(runs):
        return "cluster" not in path.parts
    return path.stem == "judge" or "judge.scratch" in path.parts


def _at_home_in(scratch: Path) -> set[int]:
    """The processes whose command or working folder names the scratch folder."""
    results = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            text = (process / "cmdline").read_bytes().decode("utf-8", "replace")
            home = str((process / "cwd").readlink())
        except OSError:
            continue  # it ended while we looked, or is not ours to look at
        if str(scratch) in text or home.startswith(str(scratch)):
            results.add(int(process.name))
    return results


def _memory_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def nothing_grew(seen: list[Left]) -> bool:
    """Whether no run left a process or a file, and nothing grew by more than a tenth.

    Prints each figure's median in the second quarter of the runs, and in the last: in the first
    the judge's JVM still compiles what it has found to be hot
    (docs/decisions/0003-spark-judges-every-run.md). Growth is judged from twenty runs on, and
    printed from four.
    """
    quarter = len(seen) // 4
    more = []
    for number, field in enumerate(fields(Left) if quarter else ()):
        first, last = (
            statistics.median(astuple(one)[number] for one in part)
            for part in (seen[quarter : 2 * quarter], seen[-quarter:])
        )
        print(f"{field.name}: {first:g} in the second quarter, {last:g} in the last")
        if len(seen) >= _FEW and last > first * _GROWTH:
            more.append(field.name)
    behind = [remainder for remainder in seen if remainder.processes or remainder.files]
    print(f"{len(behind)} of {len(seen)} runs left something; grew: {', '.join(more) or 'nothing'}")
    return not behind and not more
