"""Where the groups stand, which records they passed over, and what stands at one offset.

`skipped` is counted in `spark_jobs.counts.values`, from what `passed` says here.
"""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.columns import PLACE, flag, shown_place
from spark_jobs.counts import Family
from spark_jobs.history import History

_STAND = ["reader", "topic", "partition"]


def passed(history: History) -> DataFrame:
    """(reader, copy): the group's position is beyond this visible copy.

    The position is the last `ok` commit, which names the next offset to read; where the group
    has none in that partition, the highest offset that it was handed.
    """
    good = ~F.col("final") & (F.col("outcome") == "ok")
    last = F.max_by("offset", F.struct(F.coalesce("time_ns", F.lit(-1)), "offset"))
    committed = history.commits.filter(good).groupBy(*_STAND).agg(last.alias("committed"))
    handed = history.deliveries.filter(~F.col("final")).groupBy(*_STAND)
    reached = handed.agg(F.max("offset").alias("reached"))
    position = F.coalesce("committed", "reached").alias("position")
    stands = committed.join(reached, _STAND, how="full").select(*_STAND, position)
    visible = history.copies.filter(F.col("visible"))
    beside = visible.join(F.broadcast(stands), ["topic", "partition"], how="inner")
    return beside.filter(F.col("offset") < F.col("position"))


def places(history: History) -> Family:
    """What happened at one offset: repeated deliveries to a group, and values that differ.

    Values are compared over all replicas and all deliveries; acknowledged offsets do not count.
    """
    records = history.records.select(*PLACE, "value")
    deliveries = history.deliveries.select(
        *PLACE, "value", F.when(~F.col("final"), F.col("reader")).alias("reader")
    )
    everywhere = records.unionByName(deliveries, allowMissingColumns=True).repartition(*PLACE)
    handed = everywhere.groupBy(*PLACE, "value", "reader").agg(F.count(F.lit(1)).alias("times"))
    repeats = F.when(F.col("reader").isNotNull(), F.col("times") - 1)
    rows = handed.groupBy(*PLACE).agg(
        F.sum(repeats).alias("repeats"), F.min("value").alias("one"), F.max("value").alias("other")
    )
    differ = F.col("offset").isNotNull() & (F.col("one") != F.col("other"))
    weights = {"redelivery": F.col("repeats"), "diverged": flag(differ)}
    return Family(rows, weights, [*shown_place(), *map(F.col, ("one", "other", "repeats"))])


def aborted_read(history: History) -> Family:
    """Deliveries of aborted records, at whatever isolation level."""
    rows = history.deliveries.filter(F.col("aborted"))
    shown = [F.col("reader"), *shown_place(), F.col("value"), F.col("time_ns")]
    return Family(rows, {"aborted_read": flag(F.col("aborted"))}, shown)
