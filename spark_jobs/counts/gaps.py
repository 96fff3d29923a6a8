"""Time without progress: sends that waited unacknowledged, records that waited undelivered."""

from __future__ import annotations

from functools import reduce

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_jobs.columns import flag
from spark_jobs.counts import Family
from spark_jobs.history import History

SHORTEST_NS = 500_000_000
"""Gaps up to this length are the ordinary breathing of a healthy cluster, and not counted."""


_UNAVAILABLE = "unavailable_ms"
_BLOCKED = "blocked_ms"


def gaps(history: History, values: DataFrame) -> Family:
    """Both kinds of gaps, one row a gap."""
    events = reduce(DataFrame.unionByName, (*_sends(history), *_deliveries(history, values)))
    # One clock, one line of moments a kind: these windows have few partitions by their nature.
    line = Window.partitionBy("kind").orderBy("at_ns")
    upto = line.rowsBetween(Window.unboundedPreceding, 0)
    moments = events.repartition("kind").groupBy("kind", "at_ns")
    steps = moments.agg(F.sum("delta").alias("delta"), F.max("mark").alias("mark")).withColumns(
        {"waiting": F.sum("delta").over(upto), "next_ns": F.lead("at_ns").over(line)}
    )
    breaks = flag((F.col("mark") == 1) | (F.col("waiting") == 0))
    pieces = steps.withColumn("piece", F.sum(breaks).over(upto)).filter(F.col("waiting") > 0)
    rows = pieces.groupBy("kind", "piece").agg(
        F.min("at_ns").alias("from_ns"), F.max("next_ns").alias("to_ns")
    )
    span_ns = F.col("to_ns") - F.col("from_ns")
    length = F.when(span_ns > SHORTEST_NS, F.floor(span_ns / 1_000_000)).otherwise(F.lit(0))
    weights = {
        kind: F.when(F.col("kind") == kind, length).otherwise(F.lit(0))
        for kind in (_UNAVAILABLE, _BLOCKED)
    }
    return Family(rows, weights, [F.col("from_ns"), F.col("to_ns")])


def _sends(history: History) -> tuple[DataFrame, ...]:
    """Sends wait from invocation to completion, and are answered by acknowledgements.

    One that never completed waits to the last moment that the sends tell of.
    """
    end = F.lit(history.survey.fact("sends", "end_ns"))
    sends = history.attempts.filter(F.col("invoked_ns").isNotNull())
    acknowledged = sends.filter(F.col("acknowledged") & F.col("completed_ns").isNotNull())
    return (
        *_waits(_UNAVAILABLE, sends, F.col("invoked_ns"), F.coalesce("completed_ns", end)),
        _marks(_UNAVAILABLE, acknowledged, "completed_ns"),
    )


def _deliveries(history: History, values: DataFrame) -> tuple[DataFrame, ...]:
    """Acknowledged records that are to be visible wait until a group is handed them.

    One that no group was ever handed waits until the last delivery or completed send. The final
    readers, which come when the run is over, count for nothing here.
    """
    facts = history.survey
    end = F.lit(max(facts.fact("sends", "end_ns"), facts.fact("deliveries", "end_ns")))
    records = values.filter((F.col("visible") > 0) & F.col("acked_ns").isNotNull())
    handed = history.deliveries.filter(~F.col("final") & F.col("time_ns").isNotNull())
    return (
        *_waits(_BLOCKED, records, F.col("acked_ns"), F.coalesce("handed_ns", end)),
        _marks(_BLOCKED, handed, "time_ns"),
    )


def _waits(kind: str, rows: DataFrame, start: Column, end: Column) -> tuple[DataFrame, DataFrame]:
    real = rows.filter(end > start)
    return _events(kind, real, start, delta=1), _events(kind, real, end, delta=-1)


def _marks(kind: str, rows: DataFrame, at: str) -> DataFrame:
    return _events(kind, rows, F.col(at), mark=1)


def _events(kind: str, rows: DataFrame, at: Column, delta: int = 0, mark: int = 0) -> DataFrame:
    return rows.select(
        F.lit(kind).alias("kind"),
        at.alias("at_ns"),
        F.lit(delta).alias("delta"),
        F.lit(mark).alias("mark"),
    )
