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

_KEPT = ("sends", "log", "deliveries")
"""Tables that are read by several counts, and so are kept in memory once read."""


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
    """Reads a ledger; raises `MalformedLedger` for the first row or file that is no ledger's."""
    if not ledger.is_dir():
        raise tables.MalformedLedger(f"{ledger} is no folder")
    frames = {table: _kept(spark, ledger, table) for table in tables.TABLES}
    seen = Survey(ledger, frames, _facts(frames))
    _complain(seen)
    return seen


def _kept(spark: SparkSession, ledger: Path, table: str) -> DataFrame | None:
    frame = tables.read(spark, ledger, table)
    return settled(frame) if frame is not None and table in _KEPT else frame


def _facts(frames: Mapping[str, DataFrame | None]) -> dict[str, dict[str, Any]]:
    looks = [_look(table, frame) for table, frame in frames.items() if frame is not None]
    if not looks:
        return {}
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), looks)
    first = F.first("bad", ignorenulls=True).alias("bad")
    timed = {"start_ns": F.min, "end_ns": F.max}
    known = [name for name in rows.columns if name not in ("table", "bad")]
    facts = [timed.get(name, F.sum)(name).alias(name) for name in known]
    found = rows.groupBy("table").agg(first, *facts).collect()
    return {row["table"]: row.asDict(recursive=True) for row in found}


def _look(table: str, frame: DataFrame) -> DataFrame:
    """The rows of a table, each as what it adds to the facts."""
    return frame.select(
        F.lit(table).alias("table"),
        F.lit(1).alias("rows"),
        F.when(F.col("_problem").isNotNull(), F.struct("_problem", "_line")).alias("bad"),
        *[flag(yes).alias(name) for name, yes in _flags().get(table, {}).items()],
        *[time.alias(name) for name, time in _moments().get(table, {}).items()],
    )


def _complain(seen: Survey) -> None:
    for table, facts in seen.facts.items():
        bad = facts.get("bad")
        path = tables.table_path(seen.ledger, table)
        if bad and path is not None:
            raise tables.complaint(path, table, bad["_problem"], bad.get("_line"))


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
