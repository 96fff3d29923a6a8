"""How long one judging takes: in a process of its own, and in the warm session.

`python -m benchmarks.judge [--messages 40000] [--repeat 5]` writes a ledger of a sound history and
has it judged: cold, warm for the first time, warm again, and twice in parallel, as for the two arms
of an experiment. The peer, in the same run, is plain Python that reads the same files and computes
four of the counts with sets; Spark computes all of them. The last line is the ratio of a warm
judging to the peer. Exit code 1 if the four counts differ.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.warm import warm_judge
from labs.engine.judge.spark import judge, judge_cold

WANT = "at-least-once"
PLACE = {"topic": "orders", "partition": 0}
_NAMES = ("ok", "in_log", "lost_write", "redelivery")


def history(messages: int) -> dict[str, list[dict[str, Any]]]:
    """The tables of a run of one partition and one group, with its final readers."""
    numbers = range(messages)
    place = [{**PLACE, "offset": n, "value": n} for n in numbers]
    times = [{"invoked_ns": n * 500_000, "completed_ns": n * 500_000 + 3_000_000} for n in numbers]
    send = {"producer": "producer-1", "outcome": "ok"}
    groups = [{"consumer": name, "group": name} for name in ("app", "final")]
    return {
        "sends": [{**send, **at, **when} for at, when in zip(place, times, strict=True)],
        "log": [dict(at) for at in place],
        "deliveries": [
            {**PLACE, **who, "offset": n, "value": n, "poll": n // 500, "time_ns": n * 500_000}
            for who in groups for n in numbers
        ],
        "commits": [{**PLACE, "group": "app", "offset": messages, "outcome": "ok", "time_ns": 1}],
        "partitions": [{**PLACE, "log_start_offset": 0}],
        "faults": [{"fault": "kill", "phase": "complete", "evidence": "made up"}],
        "meta": [{"final_read_completed": True}],
    }  # fmt: skip


def write(ledger: Path, tables: dict[str, list[dict[str, Any]]]) -> Path:
    ledger.mkdir()
    for name, rows in tables.items():
        pq.write_table(pa.Table.from_pylist(rows), ledger / f"{name}.parquet")
    return ledger


def by_sets(ledger: Path) -> dict[str, Any]:
    """The peer's counts, from the same files."""
    sends, log, read = (
        pq.read_table(ledger / f"{name}.parquet").to_pylist()
        for name in ("sends", "log", "deliveries")
    )
    ok = {row["value"] for row in sends if row["outcome"] == "ok"}
    in_log = {row["value"] for row in log}
    delivered = [(row["group"], row["offset"], row["value"]) for row in read]
    counted = [place for place in delivered if place[0] != "final"]
    return {
        "counts": {
            "ok": len(ok), "in_log": len(in_log), "lost_write": len(ok - in_log),
            "redelivery": len(counted) - len(set(counted)),
        }
    }  # fmt: skip


def timed(work: Callable[[], dict[str, Any]]) -> tuple[float, dict[str, Any]]:
    """The seconds of a call, and the counts to compare."""
    began = time.monotonic()
    counts = work()["counts"]
    return time.monotonic() - began, {name: counts[name] for name in _NAMES}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=40_000)
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="delivery-lab-") as scratch:
        ledger = write(Path(scratch, "ledger"), history(options.messages))
        peer_s, peer = timed(lambda: by_sets(ledger))
        print(f"{options.messages:,} messages; plain Python: {peer_s:.1f} s", flush=True)
        cold_s, cold = timed(lambda: judge_cold([ledger], WANT)[0])
        print(f"Spark, a process of its own: {cold_s:.1f} s", flush=True)
        with warm_judge(Path(scratch)) as keeper:
            answers = [timed(lambda: judge(ledger, WANT, socket=keeper.socket))
                       for _ in range(options.repeat)]  # fmt: skip
            with ThreadPoolExecutor(2) as pool:
                began = time.monotonic()
                list(pool.map(lambda _: judge(ledger, WANT, socket=keeper.socket), range(2)))
                both_s = time.monotonic() - began
    warm_s = statistics.median(seconds for seconds, _ in answers[1:])
    print(f"Spark, the warm session: first {answers[0][0]:.1f} s, then {warm_s:.1f} s; "
          f"two in parallel {both_s:.1f} s; {warm_s / peer_s:.2f} times plain Python, "
          f"{warm_s / cold_s:.2f} times a process of its own")  # fmt: skip
    return 0 if all(counts == peer for counts in (cold, *(seen for _, seen in answers))) else 1


if __name__ == "__main__":
    sys.exit(main())
