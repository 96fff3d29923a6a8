"""The answer by `spark_jobs`: `python -m benchmarks.scale.by_spark LEDGER PRACTICE` prints JSON.

The session is warm, like the judge of this project: it first judges a smaller ledger some times, as
if that were a large one. The answer has the `seconds` and `cpu_s` of the judging alone; the caller
measures those of the process.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from benchmarks.cpu import cpu_s
from spark_jobs.judging import judge
from spark_jobs.session import LARGE, start
from spark_jobs.size import WARM_ROWS, row_count

PRACTICES = 2


def main() -> None:
    ledger, practice = Path(sys.argv[1]), Path(sys.argv[2])
    spark = start("benchmark", "local[2]", kind=LARGE)
    pids = os.getpid(), spark.sparkContext._gateway.proc.pid  # type: ignore[union-attr]
    large = row_count(ledger) > WARM_ROWS
    for _ in range(PRACTICES):
        judge(spark, practice, small=False, large=large)
    spent, began = cpu_s(*pids), time.monotonic()
    answers = judge(spark, ledger, small=False, large=large)
    measured = {"seconds": time.monotonic() - began, "cpu_s": cpu_s(*pids) - spent}
    answer = {name: answers[name] for name in ("counts", "ack_latency_ms")}
    print(json.dumps({**answer, "timeline": answers["timeline"]["buckets"], **measured}))
    spark.stop()


if __name__ == "__main__":
    main()
