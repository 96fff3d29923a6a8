"""What happened when: counts by time bucket, and how long acknowledgements took."""

from __future__ import annotations

from functools import reduce
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.columns import flag
from spark_jobs.history import History

BUCKET_MS = 200
MOST_BUCKETS = 1_000
"""A run longer than this many buckets gets wider ones, in whole multiples of `BUCKET_MS`."""

_NAMES = ("sent", "ok", "fail", "info", "lost", "delivered")


def bucket_ms(start_ns: int, end_ns: int) -> int:
    """The width of a bucket for a run between two moments.

    >>> bucket_ms(0, 20_000_000_000), bucket_ms(0, 3_600_000_000_000)
    (200, 3800)
    """
    span_ms = max(0, end_ns - start_ns) // 1_000_000
    return BUCKET_MS * (span_ms // (BUCKET_MS * MOST_BUCKETS) + 1)


def latencies(history: History) -> DataFrame:
    """One row: p50, p99 and longest acknowledgement, in milliseconds (nulls if there is none)."""
    took = (F.col("completed_ns") - F.col("invoked_ns")) / 1_000_000
    acknowledged = history.attempts.filter(F.col("acknowledged")).select(took.alias("ms"))
    quantiles = F.percentile_approx("ms", [0.5, 0.99], 10_000)
    return acknowledged.agg(
        F.round(quantiles[0], 3).alias("p50"),
        F.round(quantiles[1], 3).alias("p99"),
        F.round(F.max("ms"), 3).alias("max"),
    )


def buckets(history: History, values: DataFrame) -> DataFrame:
    """One row a bucket that is not empty.

    A send is counted when it was invoked, its outcome when it completed, a lost value when it
    was acknowledged, a delivery when a group (the final readers apart) was handed it.
    """
    sends = history.attempts
    lost = values.filter(F.col("standing") & (F.col("visible") == 0) & ~F.col("gone"))
    handed = history.deliveries.filter(~F.col("final"))
    sources = (
        (sends, "invoked_ns", F.lit("sent")),
        (sends, "completed_ns", F.col("outcome")),
        (lost, "acked_ns", F.lit("lost")),
        (handed, "time_ns", F.lit("delivered")),
    )
    selected = [
        rows.select(F.col(at).alias("at_ns"), what.alias("what")) for rows, at, what in sources
    ]
    happenings = reduce(DataFrame.unionAll, selected)
    start, width = scale(history)
    since_ms = F.floor((F.col("at_ns") - start) / 1_000_000)
    bucket = (F.floor(since_ms / width) * width).cast("bigint").alias("t_ms")
    timed = happenings.filter(F.col("at_ns").isNotNull())
    counts = [F.sum(flag(F.col("what") == name)).alias(name) for name in _NAMES]
    return timed.groupBy(bucket).agg(*counts)


def scale(history: History) -> tuple[int, int]:
    """(first moment in ns, width of a bucket in ms)."""
    seen = history.survey
    sends, deliveries = seen.facts.get("sends", {}), seen.facts.get("deliveries", {})
    moments = [facts.get(name) for facts in (sends, deliveries) for name in ("start_ns", "end_ns")]
    known = [moment for moment in moments if moment is not None]
    start = min(known, default=0)
    return start, bucket_ms(start, max(known, default=0))


def timeline(history: History, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The timeline as JSON data, from the rows of `buckets`."""
    start, width = scale(history)
    ordered = sorted(rows, key=lambda row: int(row["t_ms"]))
    return {"bucket_ms": width, "start_ns": start, "buckets": ordered}
