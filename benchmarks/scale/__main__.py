"""Ledgers of millions of sends, judged by Spark and counted by pandas, Polars and DuckDB.

`make scale` or `python -m benchmarks.scale [--millions 1 10] [--memory 4] [--only spark duckdb]`
generates each ledger with known anomalies and runs each engine on it in a process of its own, with
two threads and at most `--memory` GiB of data per process (RLIMIT_DATA). All compute the same
counts, latencies and timeline; Spark also returns examples and groups.

`spark` is the judge in a warm session, timed for the judging alone; `verify` is the same judge as a
program that starts, judges and ends. Prints a Markdown table with the ratio to DuckDB in brackets:
wall time, CPU time, peak resident memory, and whether the answer is right: equal to the planted
anomalies and to the other engines. Exit code 1 if one is not. The ledgers, 40 bytes per send, are
removed.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.scale.generated import CHUNK, write
from benchmarks.scale.measured import Measured, run
from labs.engine.judge.spark import PROGRAMS, spark_environment

_PEERS = ("duckdb", "polars", "pandas")
_ENGINES = ("spark", "verify", *_PEERS)
_GIB = 2**30
_BYTES_PER_SEND = 150
"""The most bytes of disk per send: the ledger, and the temporary files of an engine."""


def count(engine: str, ledger: Path, practice: Path, options: argparse.Namespace) -> Measured:
    """Runs one engine on one ledger."""
    command: list[str | Path] = [sys.executable]
    if engine in _PEERS:
        command += ["-m", f"benchmarks.scale.by_{engine}", ledger, str(options.memory)]
    elif engine == "spark":
        command += ["-m", "benchmarks.scale.by_spark", ledger, practice]
    else:
        command += [PROGRAMS / "verify.py", ledger, "--master", "local[2]"]
    folders = {"POLARS_MAX_THREADS": "2", "TMPDIR": str(ledger.parent),
               "SPARK_LOCAL_DIRS": str(ledger.parent / "spark")}  # fmt: skip
    limit = int(options.memory * _GIB)
    return run(command, {**spark_environment(), **folders}, limit, options.limit_s)


def failure(measured: Measured) -> str:
    """The reason why there is no answer."""
    if measured.late:
        return "no answer in time"
    words = measured.errors.lower()
    short = any(word in words for word in ("memory", "alloc")) or measured.code == -9
    return "out of memory" if short else f"ended with {measured.code}"


def wrong(answer: dict[str, Any], expected: dict[str, int], others: dict[str, Any] | None) -> str:
    """The errors of an answer; empty if there are none."""
    names = [f"{name} {answer['counts'][name]}, not {n}" for name, n in expected.items()
             if answer["counts"][name] != n]  # fmt: skip
    timeline = answer["timeline"]
    buckets = timeline["buckets"] if isinstance(timeline, dict) else timeline
    if others is not None and buckets != others["timeline"]:
        names.append("another timeline")
    took = others["ack_latency_ms"] if others is not None else answer["ack_latency_ms"]
    # A quantile between two neighbours may be either.
    if any(abs(answer["ack_latency_ms"][name] - ms) > 0.01 for name, ms in took.items()):
        names.append(f"latencies {answer['ack_latency_ms']}, not {took}")
    return "; ".join(names)


def table(millions: int, folder: Path, practice: Path, options: argparse.Namespace) -> bool:
    """Prints the rows of one size; returns whether all answers were right."""
    ledger, others, right = folder / "ledger", None, True
    expected = write(ledger, millions * 1_000_000)
    base: tuple[float, float] | None = None
    for name in sorted(options.only, key=("duckdb", *_ENGINES).index):
        measured = count(name, ledger, practice, options)
        seconds, cpu_s = measured.seconds, measured.cpu_s
        try:
            answer = json.loads(measured.output.splitlines()[0])
        except (IndexError, ValueError):
            status = failure(measured)
            print(measured.errors[-2000:], file=sys.stderr)
        else:
            seconds, cpu_s = answer.get("seconds", seconds), answer.get("cpu_s", cpu_s)
            bad = wrong(answer, expected, others)
            status, right = f"WRONG: {bad}" if bad else "right", right and not bad
            if name == "duckdb" and not bad:
                base, others = (seconds, cpu_s), answer
        cells = [f"{seconds:.1f} s", f"{cpu_s:.1f} s"]
        if base is not None:
            cells = [
                f"{cells[0]} ({seconds / base[0]:.2f}×)",
                f"{cells[1]} ({cpu_s / base[1]:.2f}×)",
            ]
        cells += [f"{measured.peak / _GIB:.1f} GiB", status]
        print(f"| {millions} million | {name} | {' | '.join(cells)} |", flush=True)
    return right


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--millions", type=int, nargs="+", default=[1, 10])
    parser.add_argument("--memory", type=float, default=4.0, help="GiB of data for each process")
    parser.add_argument("--only", nargs="+", choices=_ENGINES, default=list(_ENGINES))
    parser.add_argument("--limit-s", type=float, default=1800.0, help="seconds for each engine")
    parser.add_argument("--folder", type=Path, help="where to put the ledgers meanwhile")
    options = parser.parse_args()
    needed = max(options.millions) * 1_000_000 * _BYTES_PER_SEND
    if shutil.disk_usage(options.folder or tempfile.gettempdir()).free < needed:
        parser.error(f"this needs {needed / _GIB:.0f} GiB of disk; see --folder")
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores, "
          f"load {os.getloadavg()[0]:.1f}, {options.memory:g} GiB each\n\n"
          "| sends | engine | time | CPU time | memory | answer |\n|---|---|---|---|---|---|",
          flush=True)  # fmt: skip
    right = True
    with tempfile.TemporaryDirectory(prefix="delivery-lab-", dir=options.folder) as practice:
        write(Path(practice), CHUNK)
        for millions in options.millions:
            with tempfile.TemporaryDirectory(prefix="delivery-lab-", dir=options.folder) as scratch:
                right = table(millions, Path(scratch), Path(practice), options) and right
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
