"""Whether many runs in a row leave anything behind: `python -m benchmarks.soak [--runs 100]`.

One arm again and again in this process, under another seed each time, judged by one warm session.
After each run: our open files and threads, our memory and the judge's, processes that anything in
the scratch folder belongs to, and files of brokers, or outside the runs' own folders. The last
quarter of the runs is compared with the first. Exit code 1 if a run left a process or a file, or
if open files, threads or memory grew by more than a tenth from one median to the other.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import tempfile
from dataclasses import astuple, dataclass, fields
from pathlib import Path

from benchmarks.warm import warm_judge
from labs.engine.launch import launch
from labs.engine.warm import WarmJudge
from tests.engine.arms import RECOMMENDED, experiment

_GROWTH = 1.1
_SCENARIO = "leader-killed"


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
    known = {os.getpid(), judge.pid, *_below(judge.pid or 0)}
    return Left(
        open_files=len(list((own / "fd").iterdir())),
        threads=len(list((own / "task").iterdir())),
        memory_mb=_memory_mb(os.getpid()),
        judge_mb=sum(_memory_mb(pid) for pid in (judge.pid or 0, *_below(judge.pid or 0))),
        processes=len(_at_home_in(scratch) - known),
        files=sum(path.is_file() for path in scratch.rglob("*") if not _belongs(path, runs)),
    )


def _belongs(path: Path, runs: Path) -> bool:
    """Whether a run keeps it, or the judge while it lives: all but what brokers wrote."""
    if path.is_relative_to(runs):
        return "cluster" not in path.parts
    return path.stem == "judge" or "judge.scratch" in path.parts


def _at_home_in(scratch: Path) -> set[int]:
    """The processes whose command or working folder names the scratch folder."""
    found = set()
    for process in Path("/proc").glob("[0-9]*"):
        try:
            told = (process / "cmdline").read_bytes().decode("utf-8", "replace")
            home = str((process / "cwd").readlink())
        except OSError:
            continue  # it ended while we looked, or is not ours to look at
        if str(scratch) in told or home.startswith(str(scratch)):
            found.add(int(process.name))
    return found


def _below(pid: int) -> list[int]:
    """The children of a process, and theirs."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    direct = [int(each) for each in children.read_text().split()] if children.exists() else []
    return direct + [below for each in direct for below in _below(each)]


def _memory_mb(pid: int) -> int:
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return sum(int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS"))


def grown(seen: list[Left]) -> list[str]:
    """What grew by more than a tenth between the first quarter of the runs and the last."""
    quarter = max(1, len(seen) // 4)
    told = []
    for number, each in enumerate(fields(Left)):
        first, last = (
            statistics.median(astuple(one)[number] for one in part)
            for part in (seen[:quarter], seen[-quarter:])
        )
        print(f"{each.name}: {first:g} in the first quarter, {last:g} in the last")
        if last > first * _GROWTH:
            told.append(each.name)
    return told


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    count = parser.parse_args().runs
    seen: list[Left] = []
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as folder:
        scratch = Path(folder)
        with warm_judge(scratch) as judge:
            for number in range(1, count + 1):
                spec = experiment(RECOMMENDED, seed=number, scenario=_SCENARIO)
                with launch(spec, scratch / "runs" / str(number), judge.socket) as running:
                    *_, last = running
                seen.append(left(scratch, scratch / "runs", judge))
                (arm,) = last["experiment"]["arms"]
                print(f"run {number:>3}: {arm['verdict']}  {seen[-1]}", flush=True)
    behind = [each for each in seen if each.processes or each.files]
    more = grown(seen)
    print(f"{len(behind)} of {count} runs left something; grew: {', '.join(more) or 'nothing'}")
    return 1 if behind or more else 0


if __name__ == "__main__":
    sys.exit(main())
