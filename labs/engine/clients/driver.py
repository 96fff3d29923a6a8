"""The Spark session of a driver that is a client of a run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from labs.engine.base import processes
from labs.engine.clients.control import report
from labs.engine.distributions.distribution import spark_connector
from labs.engine.judge.spark import spark_environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_END_S = 2.0  # for the kernel to reap a JVM that was killed


@contextmanager
def session(
    name: str, master: str, scratch: Path,
    workers: Sequence[str] = (), conf: Mapping[str, str] | None = None,
) -> Iterator[SparkSession]:  # fmt: skip
    """A Spark session in this process, with the Kafka connector; its files go to `scratch`.

    With `workers` it starts a standalone cluster on these addresses and ignores `master`. The JVM
    and the executors are in our process group and end with this process.
    """
    # Not imported at the top: the runner imports the drivers' configurations, and importing
    # pyspark takes a second.
    from spark_jobs.session import BRIEF, start

    scratch.mkdir(parents=True, exist_ok=True)
    os.environ.update(spark_environment(scratch))
    session_kind = replace(BRIEF, conf=conf or {}, workers=workers)
    spark = start(name, master, [str(jar) for jar in spark_connector()], session_kind)
    try:
        yield spark
    except Exception:
        _report_lost_jvm(spark)
        raise
    finally:
        spark.stop()


def _report_lost_jvm(spark: SparkSession) -> None:
    """Reports to our owner that the JVM is lost, if an outside signal ended it."""
    gateway: Any = spark.sparkContext._gateway
    with suppress(subprocess.TimeoutExpired):
        if processes.ended_by_signal(code := gateway.proc.wait(_END_S)):
            report(lost=("the JVM", processes.describe_exit(code)))
