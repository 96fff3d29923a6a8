"""What the processing left in its sinks, and what its state forgot."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.columns import flag
from spark_jobs.counts import Family
from spark_jobs.history import History


def effects(history: History, values: DataFrame) -> Family:
    """(sink, value): expected of each obliged value in every sink, and applied once.

    `applied` is summed over the rows of a pair; a row without it is one application.
    """
    applied = F.sum(F.coalesce("applied", F.lit(1))).alias("applied")
    named = history.effects.withColumn("sink", F.coalesce("sink", F.lit("")))
    done = named.groupBy("sink", "value").agg(applied)
    sinks = F.broadcast(named.select("sink").distinct())
    wanted = values.filter(F.col("standing")).select("value").crossJoin(sinks)
    expected = wanted.withColumn("expected", F.lit(True))
    rows = expected.join(done, ["sink", "value"], how="full")
    nothing = F.coalesce("applied", F.lit(0)) <= 0
    weights = {
        "effect_missing": flag(F.col("expected") & nothing),
        "effect_duplicated": flag(F.col("applied") > 1),
    }
    return Family(rows, weights, [F.col(name) for name in ("sink", "value", "applied")])


def state_lost(history: History) -> Family:
    """Keys whose state is smaller than what was put in; no state at all is smaller."""
    smaller = F.coalesce("actual", F.lit(-(2**63))) < F.col("expected")
    shown = [F.col(name) for name in ("store", "key", "expected", "actual")]
    return Family(history.state, {"state_lost": flag(smaller)}, shown)
