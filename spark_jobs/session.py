"""The Spark session of every job here.

The master is never set in code: it is `--master`, else `SPARK_MASTER`, else the choice of
spark-submit or Spark itself. Everything binds to the loopback, unless `SPARK_DRIVER_HOST` is the
address at which the executors of another machine reach this driver.
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
    # With wrong statistics, filters would skip rows; the judge reads all of them.
    "spark.sql.parquet.filterPushdown": "false",
    "spark.hadoop.parquet.page.verify-checksum.enabled": "true",
    # Hadoop sets the mode of its files itself and ignores the umask of the process.
    "spark.hadoop.fs.permissions.umask-mode": "077",
    # Nobody reads the plans as text, and each action would write its own.
    "spark.sql.maxPlanStringLength": "0",
    "spark.sql.maxToStringFields": "0",
    "spark.sql.ui.explainMode": "simple",
    # Ledgers are small: re-planning after each shuffle costs more than it saves.
    "spark.sql.adaptive.enabled": "false",
    # Shuffled data is small and never leaves the memory or page cache of the machine.
    "spark.shuffle.compress": "false",
    "spark.shuffle.checksum.enabled": "false",
    "spark.broadcast.compress": "false",
    # A second, generated hash map for each grouping costs more to compile than it saves.
    "spark.sql.codegen.aggregate.map.twolevel.enabled": "false",
    # Without ids in class names, the same code of another plan is found in the cache.
    "spark.sql.codegen.useIdInClassName": "false",
    # One judging compiles more classes than the default of 100, and would evict its own.
    "spark.sql.codegen.cache.maxEntries": "2000",
    # A table may consist of many small parts; each should not count as 4 MB of work.
    "spark.sql.files.openCostInBytes": "65536",
}


def resolve_master(argument: str | None) -> str | None:
    """The master to use, or None to leave it to Spark."""
    return argument or os.environ.get("SPARK_MASTER") or None


@dataclass(frozen=True, slots=True)
class Kind:
    """The purpose of a session: options of the driver's JVM, and Spark settings besides `_CONF`.

    With `workers` the session has its own standalone cluster, with a worker on each address.
    """

    jvm: str
    conf: Mapping[str, str] = field(default_factory=dict)
    workers: Sequence[str] = ()


BRIEF = Kind("-XX:+UseSerialGC -XX:TieredStopAtLevel=1", {"spark.driver.memory": "2g"})
"""For one judging of small ledgers: starts fast, and never reaches full speed."""

MEDIUM = Kind(
    "-XX:+UseSerialGC -Xms2500m -Xmn1g -XX:MetaspaceSize=256m -XX:TieredStopAtLevel=1",
    {"spark.driver.memory": "3g", "spark.buffer.pageSize": "1m"},
)
"""For one judging of a few million rows, which ends before the second compiler would pay. With
Spark's default pages of 64 MB, each sort and grouping would touch a page of memory anew."""

LARGE = Kind(
    "-XX:+UseParallelGC",
    {"spark.driver.memory": "3g", "spark.shuffle.compress": "true"},
)
"""For a ledger of many millions of rows. Its shuffles are compressed, or they could fill a disk."""

SECOND_COMPILER = Path(__file__).with_name("second_compiler.json")
"""The methods that the second compiler of a lasting session compiles, which are not the thousands
of planning (docs/decisions/0142-query-planning-is-compiled-by-c1.md)."""

LASTING = Kind(
    "-XX:+UseSerialGC -Xmn512m -XX:+UnlockDiagnosticVMOptions "
    f"-XX:CompilerDirectivesFile={json.dumps(str(SECOND_COMPILER), ensure_ascii=False)}",
    {"spark.buffer.pageSize": "1m"},
)
"""For small ledgers over hours: the young generation holds all garbage of a judging. Each sort and
grouping takes at least one page; with Spark's default of 16 MB they alone would fill the heap."""


def start(
    name: str, master: str | None = None, jars: Sequence[str] = (), kind: Kind = LASTING
) -> SparkSession:
    """Starts a session; `jars` are local files (default: `SPARK_JARS_PATHS`, colon-separated).

    docs/decisions/0003-spark-judges-every-run.md has the measurements behind each `kind`.
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
    elif (chosen := resolve_master(master)) is not None:
        builder = builder.master(chosen)
    return builder.config(map=conf).getOrCreate()
