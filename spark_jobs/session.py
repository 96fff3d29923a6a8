"""The Spark session of every job here.

The master is never named in code: it is `--master`, else `SPARK_MASTER`, else what spark-submit
or Spark itself decides. Everything is bound to the loopback unless `SPARK_DRIVER_HOST` says
by which address the executors of another machine reach this driver.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from spark_jobs import standalone

_CONF = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "WARN",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.shuffle.partitions": "2",
    # Statistics that are wrong would let rows be passed over; whoever judges reads all of them.
    "spark.sql.parquet.filterPushdown": "false",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
    # Hadoop sets the mode of what it writes, whatever the process's umask is.
    "spark.hadoop.fs.permissions.umask-mode": "077",
    # Nobody reads the plans as text, and each action would write its own.
    "spark.sql.maxPlanStringLength": "0",
    "spark.sql.maxToStringFields": "0",
    "spark.sql.ui.explainMode": "simple",
    # Ledgers are small: re-planning after each shuffle costs more than it brings.
    "spark.sql.adaptive.enabled": "false",
    # What is shuffled here is small and never leaves the machine's memory or page cache.
    "spark.shuffle.compress": "false",
    "spark.shuffle.checksum.enabled": "false",
    "spark.broadcast.compress": "false",
    # A second, generated hash map a grouping costs more to compile than it saves.
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
    # The same code at another place of another plan is found again by its text.
    "spark.sql.codegen.useIdInClassName": "false",
    # One judging compiles more classes than the default 100, and would never find them again.
    "spark.sql.codegen.cache.maxEntries": "2000",
    # A table may be written in many small parts; a file need not count as 4 MB of work.
    "spark.sql.files.openCostInBytes": "65536",
}


def master_of(argument: str | None) -> str | None:
    """The master to use, or None to leave it to Spark."""
    return argument or os.environ.get("SPARK_MASTER") or None


@dataclass(frozen=True, slots=True)
class Kind:
    """What a session is for: the options of the driver's JVM, and settings of Spark beside ours.

    With `workers` it has a standalone cluster of its own, one worker on each of these addresses.
    """

    jvm: str
    conf: Mapping[str, str] = field(default_factory=dict)
    workers: Sequence[str] = ()


BRIEF = Kind("-XX:+UseSerialGC -XX:TieredStopAtLevel=1", {"spark.driver.memory": "2g"})
"""For one judging of small ledgers: quick to start, never quick."""

MEDIUM = Kind(
    "-XX:+UseSerialGC -Xms2500m -Xmn1g -XX:MetaspaceSize=256m -XX:TieredStopAtLevel=1",
    {"spark.driver.memory": "3g"},
)
"""For one judging of a few million rows, which is over before the second compiler would pay."""

LARGE = Kind(
    "-XX:+UseParallelGC",
    {"spark.driver.memory": "3g", "spark.shuffle.compress": "true"},
)
"""For a ledger of many millions, whose shuffled rows would fill a disk."""

SECOND_COMPILER = Path(__file__).with_name("second_compiler.json")
"""Which methods the second compiler of a lasting session takes up: not those of planning, which are
thousands (docs/decisions/0142-planning-is-left-to-the-first-compiler.md)."""

LASTING = Kind(
    "-XX:+UseSerialGC -Xmn512m -XX:+UnlockDiagnosticVMOptions "
    f"-XX:CompilerDirectivesFile={json.dumps(str(SECOND_COMPILER), ensure_ascii=False)}",
    {"spark.buffer.pageSize": "1m"},
)
"""For small ledgers during hours: what one judging leaves behind dies young. Each sort and each
grouping takes a page at least; of 16 MB, as Spark would choose, they alone fill the heap."""


def start(
    name: str, master: str | None = None, jars: Sequence[str] = (), kind: Kind = LASTING
) -> SparkSession:
    """A session; `jars` are local files (`SPARK_JARS_PATHS`, colon-separated, if none are given).

    docs/decisions/0003-spark-judges-every-run.md measures what `kind` it should be.
    """
    host = os.environ.get("SPARK_DRIVER_HOST", "127.0.0.1")
    os.environ.setdefault("SPARK_LOCAL_IP", host)
    # Without it Spark would start the system's Python instead of this one.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    conf: dict[str, Any] = {
        **_CONF, **kind.conf, "spark.driver.host": host, "spark.driver.bindAddress": host,
        "spark.driver.extraJavaOptions": kind.jvm,
    }  # fmt: skip
    paths = [*jars] or [path for path in os.environ.get("SPARK_JARS_PATHS", "").split(":") if path]
    if paths:
        conf["spark.jars"] = ",".join(paths)
    builder = SparkSession.Builder().appName(name)
    if kind.workers:
        conf |= standalone.start(conf, kind.workers)
    elif (chosen := master_of(master)) is not None:
        builder = builder.master(chosen)
    return builder.config(map=conf).getOrCreate()
