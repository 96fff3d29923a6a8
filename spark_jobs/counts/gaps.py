"""Time without progress: sends that waited unacknowledged, records that waited undelivered."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_jobs.columns import flag
from spark_jobs.counts import Family
from spark_jobs.history import History

SHORTEST_NS = 500_000_000
"""Gaps up to this length are the ordinary breathing of a healthy cluster, and not counted."""


_UNAVAILABLE = "unavailable_ms"
_BLOCKED = "blocked_ms"
_EVER_NS = 2**61
"""Before and after all moments; the distance between the two still has 64 bits."""


def gaps(history: History, values: DataFrame) -> Family:
    """Both kinds of gaps, one row a stretch in which something waited and nothing moved."""
    (sends, answers), (records, handed) = _sends(history), _deliveries(history, values)
    silences = F.broadcast(_silences(answers.unionByName(handed)))
    waits = sends.unionByName(records).join(silences, "kind", how="inner")
    overlap = (F.col("from_ns") < F.col("ends_ns")) & (F.col("to_ns") > F.col("begins_ns"))
    clipped = waits.filter(overlap).select(
        "kind",
        "begins_ns",
        F.greatest("from_ns", "begins_ns").alias("from_ns"),
        F.least("to_ns", "ends_ns").alias("to_ns"),
    )
    rows = _merged(clipped)
    span_ns = F.col("to_ns") - F.col("from_ns")
    length = F.when(span_ns > SHORTEST_NS, F.floor(span_ns / 1_000_000)).otherwise(F.lit(0))
    weights = {
        kind: F.when(F.col("kind") == kind, length).otherwise(F.lit(0))
        for kind in (_UNAVAILABLE, _BLOCKED)
    }
    return Family(rows, weights, [F.col("from_ns"), F.col("to_ns")])


def _silences(marks: DataFrame) -> DataFrame:
    """Where no mark falls for longer than the shortest gap, before the first and after the last.

    Marks are first gathered into bins of half that length: a silence that matters lies between
    two bins, and of a bin only its ends are needed. This leaves few rows of many.
    """
    bins = marks.groupBy("kind", F.floor(F.col("at_ns") / (SHORTEST_NS // 2)).alias("bin"))
    ends = bins.agg(F.min("at_ns").alias("first_ns"), F.max("at_ns").alias("last_ns"))
    edges = ends.sparkSession.createDataFrame(
        [(kind, at, at, at) for kind in (_UNAVAILABLE, _BLOCKED) for at in (-_EVER_NS, _EVER_NS)],
        ends.schema,
    )
    line = Window.partitionBy("kind").orderBy("first_ns")
    pairs = ends.unionByName(edges).select(
        "kind",
        F.lag("last_ns").over(line).alias("begins_ns"),
        F.col("first_ns").alias("ends_ns"),
    )
    return pairs.filter(F.col("ends_ns") - F.col("begins_ns") > SHORTEST_NS)


def _merged(waits: DataFrame) -> DataFrame:
    """Overlapping and touching waits of one silence as one stretch."""
    line = Window.partitionBy("kind", "begins_ns").orderBy("from_ns", "to_ns")
    reached = F.max("to_ns").over(line.rowsBetween(Window.unboundedPreceding, -1))
    fresh = flag(F.col("reached").isNull() | (F.col("from_ns") > F.col("reached")))
    pieces = waits.withColumn("reached", reached).withColumn("fresh", fresh)
    piece = F.sum("fresh").over(line.rowsBetween(Window.unboundedPreceding, 0))
    return (
        pieces.withColumn("piece", piece)
        .groupBy("kind", "begins_ns", "piece")
        .agg(F.min("from_ns").alias("from_ns"), F.max("to_ns").alias("to_ns"))
    )


def _sends(history: History) -> tuple[DataFrame, DataFrame]:
    """Sends wait from invocation to completion, and are answered by acknowledgements.

    One that never completed waits to the last moment that the sends tell of.
    """
    end = F.lit(history.survey.fact("sends", "end_ns"))
    sends = history.attempts.filter(F.col("invoked_ns").isNotNull())
    acknowledged = sends.filter(F.col("acknowledged") & F.col("completed_ns").isNotNull())
    waits = _waits(_UNAVAILABLE, sends, F.col("invoked_ns"), F.coalesce("completed_ns", end))
    return waits, _marks(_UNAVAILABLE, acknowledged, "completed_ns")


def _deliveries(history: History, values: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Acknowledged records that are to be visible wait until a group is handed them.

    One that no group was ever handed waits until the last delivery or completed send. The final
    readers, which come when the run is over, count for nothing here.
    """
    facts = history.survey
    end = F.lit(max(facts.fact("sends", "end_ns"), facts.fact("deliveries", "end_ns")))
    records = values.filter((F.col("visible") > 0) & F.col("acked_ns").isNotNull())
    handed = history.deliveries.filter(~F.col("final") & F.col("time_ns").isNotNull())
    waits = _waits(_BLOCKED, records, F.col("acked_ns"), F.coalesce("handed_ns", end))
    return waits, _marks(_BLOCKED, handed, "time_ns")


def _waits(kind: str, rows: DataFrame, start: Column, end: Column) -> DataFrame:
    named = rows.select(F.lit(kind).alias("kind"), start.alias("from_ns"), end.alias("to_ns"))
    return named.filter(F.col("to_ns") > F.col("from_ns"))


def _marks(kind: str, rows: DataFrame, at: str) -> DataFrame:
    return rows.select(F.lit(kind).alias("kind"), F.col(at).alias("at_ns"))
