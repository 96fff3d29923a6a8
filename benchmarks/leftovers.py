"""What a series of runs leaves behind: open files, threads, memory, processes, files.

After each run it counts our open files and threads, our memory and the judge's, the processes to
which something in the scratch folder belongs, and files of brokers or outside the folders of runs.
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
class Leftovers:
    """The resources that are in use after a run."""

    open_files: int
    threads: int
    memory_mb: int
    judge_mb: int
    processes: int
    files: int


def count_leftovers(scratch: Path, runs: Path, judge: WarmJudge) -> Leftovers:
    """Counts the resources, from /proc."""
    process = Path("/proc/self")
    judges = processes.process_tree(judge.pid or 0)
    return Leftovers(
        open_files=len(list((process / "fd").iterdir())),
        threads=len(list((process / "task").iterdir())),
        memory_mb=_memory_mb(os.getpid()),
        judge_mb=sum(_memory_mb(pid) for pid in judges),
        processes=len(_processes_in(scratch) - {os.getpid(), *judges}),
        files=sum(path.is_file() for path in scratch.rglob("*") if not _belongs(path, runs)),
    )


def _belongs(path: Path, runs: Path) -> bool:
    """Whether a file belongs to a run, without its brokers, or to the running judge."""
    if path.is_relative_to(runs):
        return "cluster" not in path.parts
    return path.stem == "judge" or "judge.scratch" in path.parts


def _processes_in(scratch: Path) -> set[int]:
    """The processes with the scratch folder in their command, or as a working folder."""
    results = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            text = (process / "cmdline").read_bytes().decode("utf-8", "replace")
            home = str((process / "cwd").readlink())
        except OSError:
            continue  # it has just ended, or is not ours
        if str(scratch) in text or home.startswith(str(scratch)):
            results.add(int(process.name))
    return results


def _memory_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def nothing_grew(runs: list[Leftovers]) -> bool:
    """Whether no run left a process or a file, and nothing grew by more than a tenth.

    Prints the median of each figure in the second and in the last quarter of the runs. In the first
    quarter the judge's JVM still compiles hot code (docs/decisions/0003-spark-judges-every-run.md).
    Medians are printed if there are at least four runs, growth is judged if there are twenty.
    """
    quarter = len(runs) // 4
    grown = []
    for number, field in enumerate(fields(Leftovers) if quarter else ()):
        first, last = (
            statistics.median(astuple(one)[number] for one in part)
            for part in (runs[quarter : 2 * quarter], runs[-quarter:])
        )
        print(f"{field.name}: {first:g} in the second quarter, {last:g} in the last")
        if len(runs) >= _FEW and last > first * _GROWTH:
            grown.append(field.name)
    unclean = [remainder for remainder in runs if remainder.processes or remainder.files]
    print(
        f"{len(unclean)} of {len(runs)} runs left something; grew: {', '.join(grown) or 'nothing'}"
    )
    return not unclean and not grown
