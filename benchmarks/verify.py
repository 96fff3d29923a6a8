"""How long `manage.py verify` takes for one ledger: cold, and with the warm session of a worker.

`python -m benchmarks.verify [--sends 1000000] [--repeat 3]` generates a ledger with known anomalies
(`benchmarks.scale.generated`, which needs numpy: `make scale` installs it) and runs the command on
it, from its start to its end. CPU-seconds are those of all processes involved, including Spark's
JVM until its end. The warm session is as it is after some idle minutes of a worker. Prints a row
per run, then the medians. Exit code 1 if a count is not as planned. If the machine is shared,
CPU-seconds are the steadier measure; its load is printed.
"""

from __future__ import annotations

import argparse
import ctypes
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from benchmarks.cpu import cpu_s
from benchmarks.scale.generated import write
from benchmarks.warm import practised, warm_judge
from labs.engine.base.processes import ROOT, process_tree

_PR_SET_CHILD_SUBREAPER = 36  # linux/prctl.h


class Took(NamedTuple):
    seconds: float
    cpu_s: float


def reaped_s() -> float:
    """The CPU-seconds of all processes that were started here and have ended.

    This process adopts orphans (prctl(2)), because PySpark does not wait for its JVM.
    """
    while True:
        try:
            os.wait()
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def verify(ledger: Path, data: Path, expected: dict[str, int], *options: str) -> float:
    """The seconds of one call. Raises `SystemExit` if it fails or a count is wrong."""
    command = [sys.executable, "manage.py", "verify", *options, "--json", str(ledger)]
    began = time.monotonic()
    process = subprocess.run(
        command, cwd=ROOT, env={**os.environ, "LAB_DATA_DIR": str(data)},
        stdout=subprocess.PIPE, check=False,
    )  # fmt: skip
    seconds = time.monotonic() - began
    counts = json.loads(process.stdout)["counts"] if process.returncode == 0 else {}
    wrong = {name: counts.get(name) for name, n in expected.items() if counts.get(name) != n}
    if wrong:
        raise SystemExit(f"wrong (code {process.returncode}): {wrong}")
    return seconds


def measured(name: str, spent_s: Callable[[], float], call: Callable[[], float]) -> Took:
    before, load = spent_s(), os.getloadavg()[0]
    seconds = call()
    took = Took(seconds, spent_s() - before)
    print(f"| {name} | {took.seconds:.1f} s | {took.cpu_s:.1f} s | {load:.1f} |", flush=True)
    return took


def print_row(name: str, took: list[Took]) -> None:
    wall, cpu = (statistics.median(column) for column in zip(*took, strict=True))
    print(f"{name}: median {wall:.1f} s, {cpu:.1f} CPU-seconds")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sends", type=int, default=1_000_000)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", choices=["cold", "warm"], help="default: both")
    options = parser.parse_args()
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as scratch:
        ledger, data = Path(scratch, "ledger"), Path(scratch, "data")
        data.mkdir()
        expected = write(ledger, options.sends)
        print(f"{options.sends:,} sends, {os.cpu_count()} cores\n\n| verify | time | CPU | load |")
        print("|---|---|---|---|")
        cold, warm = [], []
        if options.only != "warm":
            cold = [
                measured("cold", reaped_s, lambda: verify(ledger, data, expected, "--cold"))
                for _ in range(options.repeat)
            ]
        if options.only != "cold":
            with warm_judge(data) as judge:
                times = practised(judge)

                def spent_s() -> float:
                    used = resource.getrusage(resource.RUSAGE_CHILDREN)
                    return used.ru_utime + used.ru_stime + cpu_s(*process_tree(judge.pid or 0))

                warm = [
                    measured("warm", spent_s, lambda: verify(ledger, data, expected))
                    for _ in range(options.repeat)
                ]
            print(f"\nThe session had practised {times} times.")
        for name, took in (("cold", cold), ("warm", warm)):
            if took:
                print_row(name, took)


if __name__ == "__main__":
    main()
