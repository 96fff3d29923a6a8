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
    sent = attempts.groupBy("value").agg(
        F.min("invoked_ns").alias("invoked_ns"), F.first("producer").alias("producer")
    )
    line = Window.partitionBy(*_PARTITION, "producer").orderBy("offset")
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
    who = ["consumer", "reader", "assignment"]
    handed = (
        _ranked(history)
        .groupBy(*_PARTITION, *who, "poll")
        .agg(
            F.min("offset").alias("first"),
            F.max("offset").alias("last"),
            F.min("below").alias("below_first"),
            F.max("upto").alias("upto_last"),
        )
    )
    line = Window.partitionBy(*_PARTITION, *who).orderBy("poll")
    pairs = handed.withColumns(
        {
            "before": F.lag("last").over(line),
            "upto_before": F.lag("upto_last").over(line),
        }
    )
    back = flag(F.col("first") <= F.col("before"))
    beyond = flag(F.col("below_first") > F.col("upto_before"))
    rows = pairs.groupBy(*who, "poll").agg(
        F.max(back).alias("back"),
        F.max(beyond).alias("beyond"),
        F.min("first").alias("first_offset"),
        F.max("before").alias("offset_before"),
    )
    weights = {"nonmonotonic_poll": F.col("back"), "poll_skip": F.col("beyond")}
    shown = ("consumer", "reader", "poll", "first_offset", "offset_before")
    return Family(rows, weights, [F.col(name) for name in shown])


def _ranked(history: History) -> DataFrame:
    """Deliveries with the number of visible records `below` and `upto` (with) their offset."""
    visible = history.copies.filter(F.col("visible") & F.col("offset").isNotNull())
    marks = visible.select(*_PARTITION, "offset", F.lit(1).alias("mark"))
    polled = F.col("poll").isNotNull() & F.col("offset").isNotNull()
    columns = [*_PARTITION, "offset", "consumer", "reader", "assignment", "poll"]
    handed = history.deliveries.filter(polled).select(*columns)
    rows = marks.unionByName(handed, allowMissingColumns=True)
    # By range, not rows: a record and its deliveries stand at one offset, in no order.
    along = Window.partitionBy(*_PARTITION).orderBy("offset")
    before = along.rangeBetween(Window.unboundedPreceding, 0)
    upto = F.coalesce(F.sum("mark").over(before), F.lit(0))
    here = F.coalesce(F.sum("mark").over(along.rangeBetween(0, 0)), F.lit(0))
    ranked = rows.withColumns({"upto": upto, "below": upto - here})
    return ranked.filter(F.col("poll").isNotNull())
