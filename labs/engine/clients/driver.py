"""The session of a Spark driver that is a client of a run."""

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

_END_S = 2.0  # for a JVM that was killed, until the kernel is done with it


@contextmanager
def session(
    name: str, master: str, scratch: Path,
    workers: Sequence[str] = (), conf: Mapping[str, str] | None = None,
) -> Iterator[SparkSession]:  # fmt: skip
    """A session of this process, with Kafka's connector; what it puts on a disk is in `scratch`.

    With `workers` it has a standalone cluster of its own on these addresses, whatever `master`
    is. Its JVM is in our process group, and ends with us; so are its executors, and so do they.
    """
    # Not at the top: the runner imports drivers' configurations, and pyspark takes a second.
    from spark_jobs.session import BRIEF, start

    scratch.mkdir(parents=True, exist_ok=True)
    os.environ.update(spark_environment(scratch))
    kind = replace(BRIEF, conf=conf or {}, workers=workers)
    spark = start(name, master, [str(jar) for jar in spark_connector()], kind)
    try:
        yield spark
    except Exception:
        _tell_of_end(spark)
        raise
    finally:
        spark.stop()


def _tell_of_end(spark: SparkSession) -> None:
    """Reports to our owner if the failure was that a signal from outside ended the JVM."""
    gateway: Any = spark.sparkContext._gateway
    with suppress(subprocess.TimeoutExpired):
        if processes.ended_by_signal(code := gateway.proc.wait(_END_S)):
            report(lost=("the JVM", processes.describe_exit(code)))
