"""Why an acknowledged record may rightly be absent: retention took it, or compaction."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.history import History

_PARTITION = ["topic", "partition"]


def with_reasons(history: History) -> DataFrame:
    """The attempts with `expired` (below the partition's log start) and `replaced` (compacted)."""
    attempts = history.attempts
    if history.survey.fact("partitions", "started"):
        starts = history.partitions.groupBy(*_PARTITION)
        start = starts.agg(F.max("log_start_offset").alias("start"))
        below = F.coalesce(F.col("offset") < F.col("start"), F.lit(False))
        joined = attempts.join(F.broadcast(start), _PARTITION, how="left")
        attempts = joined.withColumn("expired", below).drop("start")
    else:
        attempts = attempts.withColumn("expired", F.lit(False))
    if history.survey.fact("partitions", "compacted"):
        return _replaced(history, attempts)
    return attempts.withColumn("replaced", F.lit(False))


def _replaced(history: History, attempts: DataFrame) -> DataFrame:
    """Attempts in a compacted partition whose key has a later visible record there.

    Later is a higher offset; where the attempt's own is unknown, a later first attempt.
    """
    policy = history.partitions.filter(F.col("cleanup_policy").contains("compact"))
    compacted = F.broadcast(policy.select(*_PARTITION).distinct())
    keyed = attempts.filter(F.col("key").isNotNull())
    firsts = keyed.groupBy("value", "key").agg(F.min("invoked_ns").alias("first_ns"))
    visible = history.copies.filter(F.col("visible")).join(compacted, _PARTITION, how="inner")
    latest = (
        visible.join(firsts, "value", how="inner")
        .groupBy(*_PARTITION, "key")
        .agg(F.max("offset").alias("last_offset"), F.max("first_ns").alias("last_ns"))
    )
    by_offset = F.col("last_offset") > F.col("offset")
    by_time = F.col("offset").isNull() & (F.col("last_ns") > F.col("invoked_ns"))
    replaced = F.coalesce(by_offset, F.lit(False)) | F.coalesce(by_time, F.lit(False))
    joined = attempts.join(latest, [*_PARTITION, "key"], how="left")
    return joined.withColumn("replaced", replaced).drop("last_offset", "last_ns")
