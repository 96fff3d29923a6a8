"""Time from the click to the verdicts of both arms, and whether these are right.

`python -m benchmarks.experiment [--seeds 5] [--first 1] [--scenario NAME] [--account]` runs a
scenario with acks=1 against acks=all with min.insync.replicas=2. Each seed is run twice: cold, and
by a runner that had booted before (`labs.engine.run.pool`). Prints a line for each: the seconds
until the result, the CPU-seconds by kind of process, and the loss and the verdict of each arm. The
peer is one arm alone, measured first in the same run. The judge is warm before the first run, and
has practised if the machine was idle, as some minutes after `make up`. With `--account` the
CPU-seconds are also printed at each phase of each arm.

Exit code 1 unless every recommended arm held without a loss and, in the default scenario, which
always loses messages, every described arm was broken with a loss.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from benchmarks.cpu import fields, spent_s
from benchmarks.warm import practised, warm_judge
from labs.engine.base.wait import until
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.launch import Launch
from labs.engine.run.pool import Pool
from tests.engine.arms import DESCRIBED, SCENARIO, experiment

_EVERY_S = 0.1
_JUDGE = "judge"
_KINDS = {
    "kafka.Kafka": "brokers",
    "labs.engine.clients.": "clients",
    "SparkSubmit": _JUDGE,
    "serve.py": _JUDGE,
    "labs.engine.": "runner",
}
"""A part of the command line → the kind of process; the first one that matches counts."""


class CpuBy:
    """The CPU time of a folder's processes within the block, by kind; see `total()`.

    A process belongs to the folder if its command names it, or its working folder is below it. The
    JVMs of judges have neither, so all of them count. The last tenth of a second of a process is
    missed.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder.resolve())
        self._used: dict[tuple[str, str], tuple[str, float]] = {}  # (pid, start) → kind, seconds
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._sample, daemon=True)
        self._before = self._sums()

    def __enter__(self) -> Self:
        self._read_processes()
        self._before = self._sums()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def total(self) -> dict[str, float]:
        """The CPU-seconds since the block began, by kind."""
        return {kind: used - self._before[kind] for kind, used in self._sums().items()}

    def _sums(self) -> dict[str, float]:
        sums = dict.fromkeys(_KINDS.values(), 0.0)
        for kind, used in list(self._used.values()):
            sums[kind] += used
        return sums

    def _sample(self) -> None:
        while not self._stopped.wait(_EVERY_S):
            self._read_processes()
        self._read_processes()

    def _read_processes(self) -> None:
        for process in Path("/proc").glob("[0-9]*"):
            try:
                stat, kind = fields(process.name), self._kind(process)
            except (OSError, IndexError):
                continue  # it has just ended, or is not ours
            if kind:
                self._used[process.name, stat[19]] = kind, spent_s(stat)

    def _kind(self, process: Path) -> str | None:
        # Read again each time: between fork and exec a child still looks like its parent.
        command = (process / "cmdline").read_bytes().decode("utf-8", "replace")
        kind = next((kind for part, kind in _KINDS.items() if part in command), None)
        ours = self._folder in command or self._folder in str((process / "cwd").readlink())
        return kind if ours or kind == _JUDGE else None


_POOL_LIMIT_S = 120.0

Took = tuple[float, dict[str, float], dict[str, Any]]
"""Seconds until the result, CPU-seconds by kind, and the arms' results by name."""


def timed(
    spec: ExperimentSpec, folder: Path, socket: Path, pool: Pool | None = None,
    *, account: bool = False,
) -> Took:  # fmt: skip
    """Runs an experiment until its result."""
    last: dict[str, Any] = {}
    with CpuBy(folder.parent) as used:
        began = time.monotonic()
        with Launch(spec, folder, socket, pool) as started:
            for last in started:
                if account and last["event"] == "phase":
                    at_s = time.monotonic() - began
                    print(f"  {at_s:5.1f} s  {last['arm']:<12} {last['phase']:<9} "
                          f"{kinds(used.total())}")  # fmt: skip
        seconds = time.monotonic() - began
    return seconds, used.total(), {arm["name"]: arm for arm in last["experiment"]["arms"]}


def kinds(used: dict[str, float]) -> str:
    """`57.0 CPU-s: brokers 30.1, judge 16.0, …`"""
    parts = ", ".join(f"{kind} {seconds:.1f}" for kind, seconds in used.items())
    return f"{sum(used.values()):.1f} CPU-s: {parts}"


def line(how: str, spec: ExperimentSpec, took: Took) -> bool:
    """Prints the outcome of one run; returns whether it is right."""
    seconds, used, arms = took
    described, recommended = arms["described"], arms["recommended"]
    lost, kept = described["counts"]["lost_write"], recommended["counts"]["lost_write"]
    right = (recommended["verdict"], kept) == ("holds", 0)
    if spec.scenario == SCENARIO:
        right = right and described["verdict"] == "broken" and bool(lost)
    print(
        f"seed {spec.seed:>3} {how:<6} {seconds:5.1f} s  {kinds(used)}  "
        f"described {described['verdict']}: {lost} of {described['counts']['ok']} lost  "
        f"recommended {recommended['verdict']}: {kept} of {recommended['counts']['ok']} lost"
        + ("" if right else f"  WRONG: {described['reason']} / {recommended['reason']}"),
        flush=True,
    )
    return right


@contextmanager
def filled(scratch: Path, socket: Path) -> Iterator[Pool]:
    """A pool whose clusters of three brokers have all booted."""
    pool = Pool(scratch, socket, quiet=0)
    pool.start()
    try:
        until(lambda: pool.booted, _POOL_LIMIT_S, "no clusters were booted ahead")
        yield pool
    finally:
        pool.stop()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--scenario", default=SCENARIO)
    parser.add_argument("--account", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as folder:
        scratch = Path(folder)
        with warm_judge(scratch) as judge:
            print(f"the judge has practised {practised(judge)} times", flush=True)
            one = experiment(DESCRIBED, scenario=options.scenario)
            alone, *_ = timed(one, scratch / "alone", judge.socket)
            print(f"one arm alone: {alone:.1f} s", flush=True)
            cold, pooled, right = [], [], True
            for seed in range(options.first, options.first + options.seeds):
                spec = experiment(seed=seed, scenario=options.scenario)
                took = timed(spec, scratch / f"cold-{seed}", judge.socket, account=options.account)
                right = line("cold", spec, took) and right
                cold.append(took[0])
                with filled(scratch, judge.socket) as pool:
                    took = timed(
                        spec, scratch / f"pool-{seed}", judge.socket, pool, account=options.account
                    )
                right = line("pooled", spec, took) and right
                pooled.append(took[0])
    for how, seconds in (("cold", cold), ("pooled", pooled)):
        middle = statistics.median(seconds)
        print(f"both arms, {how}: median {middle:.1f} s, worst {max(seconds):.1f} s; "
              f"{middle / alone:.2f} times one arm alone")  # fmt: skip
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
