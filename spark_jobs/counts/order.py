"""Counts about order: one producer's values in a partition, and one consumer's polls."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from spark_jobs.columns import flag, shown_place
from spark_jobs.counts import Family
from spark_jobs.history import History

_PARTITION = ["topic", "partition"]


def reordered(history: History) -> Family:
    """Neighbours of one producer in a partition, of which the later was invoked earlier.

    A value stands where its first visible copy in the partition is, and its time is that of its
    first attempt. A value without a time has no place in the order.
    """
    visible = history.order.filter(F.col("visible") & F.col("offset").isNotNull())
    copies = visible.groupBy("value", *_PARTITION).agg(F.min("offset").alias("offset"))
    attempts = history.attempts.filter(F.col("invoked_ns").isNotNull())
    sent = attempts.groupBy("value", "producer").agg(F.min("invoked_ns").alias("invoked_ns"))
    # Two values at one offset (a diverged log) have no order of their own: time gives them one.
    line = Window.partitionBy(*_PARTITION, "producer").orderBy("offset", "invoked_ns")
    rows = copies.join(sent, "value", how="inner").withColumns(
        {
            "before_ns": F.lag("invoked_ns").over(line),
            "before": F.lag("value").over(line),
        }
    )
    weight = flag(F.col("invoked_ns") < F.col("before_ns"))
    names = ("producer", "value", "invoked_ns", "before", "before_ns")
    return Family(rows, {"reordered": weight}, [*shown_place(), *[F.col(name) for name in names]])


def polls(history: History) -> Family:
    """Polls of one consumer that start at or before where the one before ended, or beyond it.

    A poll skips when a visible record stands between the two. One row is one poll, whatever the
    number of its partitions.
    """
    polled = F.col("poll").isNotNull() & F.col("offset").isNotNull()
    line = [*_PARTITION, "consumer", "reader", "assignment"]
    spans = (
        history.deliveries.filter(polled)
        .groupBy(*line, "poll")
        .agg(F.min("offset").alias("first"), F.max("offset").alias("last"))
    )
    before = F.lag("last").over(Window.partitionBy(*line).orderBy("poll"))
    pairs = spans.withColumn("before", before).filter(F.col("before").isNotNull())
    back = pairs.filter(F.col("first") <= F.col("before")).withColumn("back", F.lit(1))
    beyond = _leaving_out(history, pairs).withColumn("beyond", F.lit(1))
    rows = (
        back.unionByName(beyond, allowMissingColumns=True)
        .groupBy(*line[2:], "poll")
        .agg(
            F.max("back").alias("back"),
            F.max("beyond").alias("beyond"),
            F.min("first").alias("first_offset"),
            F.max("before").alias("offset_before"),
        )
    )
    weights = {"nonmonotonic_poll": F.col("back"), "poll_skip": F.col("beyond")}
    shown = ("consumer", "reader", "poll", "first_offset", "offset_before")
    return Family(rows, weights, [F.col(name) for name in shown])


def _leaving_out(history: History, pairs: DataFrame) -> DataFrame:
    """The pairs of polls between which a visible record stands."""
    # Few polls leave a hole at all, and their rows are few enough to be everywhere.
    holes = F.broadcast(pairs.filter(F.col("first") > F.col("before") + 1))
    visible = history.copies.filter(F.col("visible")).select(*_PARTITION, "offset")
    beside = visible.join(holes, _PARTITION, how="inner")
    between = (F.col("before") < F.col("offset")) & (F.col("offset") < F.col("first"))
    return beside.filter(between).select(*pairs.columns)
