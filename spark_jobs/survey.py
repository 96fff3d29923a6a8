"""A first look at a ledger: is it well formed, and which questions does it raise at all?

One Spark action over all tables. What it finds lets `spark_jobs.history` leave whole joins out
of a plan: most ledgers know no transactions, no retention and no replica dumps.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from spark_jobs import tables
from spark_jobs.columns import flag, is_final, settled

HEALS = ("heal", "resume", "restart", "start", "restore", "recover", "reconnect")
"""First words of `faults.fault` that undo a fault; they never prove that one happened."""


@dataclass(frozen=True, slots=True)
class Survey:
    """What one ledger holds: its tables as frames (None where not recorded) and first facts."""

    ledger: Path
    frames: Mapping[str, DataFrame | None]
    facts: Mapping[str, Mapping[str, Any]]

    def recorded(self, table: str) -> bool:
        """Whether the table has a file, empty or not."""
        return self.frames[table] is not None

    def frame(self, spark: SparkSession, table: str) -> DataFrame:
        """The table; without rows if it was not recorded."""
        frame = self.frames[table]
        return (tables.empty(spark, table) if frame is None else frame).drop("_problem", "_line")

    def fact(self, table: str, name: str) -> int:
        """A number of the first look; 0 where nothing was recorded."""
        return int(self.facts.get(table, {}).get(name) or 0)


def survey(spark: SparkSession, ledger: Path) -> Survey:
    """Reads a ledger; raises `MalformedLedger` for a row or a file that is no ledger's."""
    if not ledger.is_dir():
        raise tables.MalformedLedger(f"{ledger} is no folder")
    frames = {table: _kept(spark, ledger, table) for table in tables.TABLES}
    seen = Survey(ledger, frames, _facts(frames))
    for table, frame in frames.items():
        if frame is not None and seen.fact(table, "bad"):
            raise _complaint(ledger, table, frame)
    return seen


def _kept(spark: SparkSession, ledger: Path, table: str) -> DataFrame | None:
    """The table; JSON lines are parsed once and kept, Parquet is read as quickly again."""
    frame = tables.read(spark, ledger, table)
    path = tables.table_path(ledger, table)
    return settled(frame) if frame is not None and path and path.suffix == ".jsonl" else frame


def _facts(frames: Mapping[str, DataFrame | None]) -> dict[str, dict[str, Any]]:
    """What the tables hold, by table; each row adds to it."""
    flags, moments = _flags(), _moments()
    looks = [
        frame.select(
            F.lit(table).alias("table"),
            flag(F.col("_problem").isNotNull()).alias("bad"),
            *[flag(yes).alias(name) for name, yes in flags.get(table, {}).items()],
            *[time.alias(name) for name, time in moments.get(table, {}).items()],
        )
        for table, frame in frames.items()
        if frame is not None
    ]
    if not looks:
        return {}
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), looks)
    # Numbers only: a text among these would make Spark sort every row of the ledger.
    timed = {"start_ns": F.min, "end_ns": F.max}
    known = [name for name in rows.columns if name != "table"]
    facts = [timed.get(name, F.sum)(name).alias(name) for name in known]
    return {row["table"]: row.asDict() for row in rows.groupBy("table").agg(*facts).collect()}


def _complaint(ledger: Path, table: str, frame: DataFrame) -> tables.MalformedLedger:
    bad = frame.filter(F.col("_problem").isNotNull()).select("_problem", "_line").first()
    path = tables.table_path(ledger, table)
    if bad is None or path is None:  # the file changed under our eyes
        return tables.MalformedLedger(f"{ledger}: `{table}` is malformed")
    return tables.complaint(path, table, bad["_problem"], bad["_line"])


def _is_proof() -> Column:
    heal = F.lower("fault").rlike(rf"^\s*({'|'.join(HEALS)})\b")
    evident = F.length(F.trim("evidence")) > 0
    return (F.col("phase") == "complete") & evident & ~F.coalesce(heal, F.lit(False))


def _flags() -> dict[str, dict[str, Column]]:
    """Conditions on single rows; a fact is the number of rows that fulfil one."""
    reads = ~is_final()
    gone = {"aborted": F.col("transaction_state") == "aborted"}
    replica = F.col("replica")
    return {
        "sends": {"transactional": F.col("transaction").isNotNull()},
        "log": {"readable": replica.isNull(), "replicas": replica.isNotNull(), **gone},
        "transactions": {"aborted": F.col("outcome") == "aborted"},
        "deliveries": {"readers": reads},
        "commits": {"readers": reads},
        "partitions": {
            "started": F.col("log_start_offset") > 0,
            "compacted": F.col("cleanup_policy").contains("compact"),
        },
        "faults": {"proved": _is_proof()},
        "meta": {
            "completed": F.col("final_read_completed"),
            "given_up_breaks": F.col("given_up_breaks"),
        },
    }


def _moments() -> dict[str, dict[str, Column]]:
    """Times of rows; the facts are the first `start_ns` and the last `end_ns`."""
    return {
        "sends": {
            "start_ns": F.col("invoked_ns"),
            "end_ns": F.greatest("invoked_ns", "completed_ns"),
        },
        "deliveries": {
            "start_ns": F.when(~is_final(), F.col("time_ns")),
            "end_ns": F.when(~is_final(), F.col("time_ns")),
        },
    }
