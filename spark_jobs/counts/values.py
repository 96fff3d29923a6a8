"""Counts about values: lost, expired, compacted, unseen, skipped, duplicated, phantom, given up.

All that is known of one value is brought together once, in one shuffle by value: its attempts,
its copies in the log, who passed it over and who was handed it.
"""

from __future__ import annotations

from functools import reduce

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_jobs.columns import flag
from spark_jobs.counts import Family
from spark_jobs.counts.gone import with_reasons
from spark_jobs.counts.positions import passed
from spark_jobs.history import History

_NUMBERS = ("attempts", "copies", "visible", "handed")
_ANY = ("ok", "standing", "info")
"""True of a value if of any of its attempts."""
_ALL = ("hollow", "expired", "gone")
"""True of a value if of all attempts that it concerns."""
_TIMES = ("invoked_ns", "acked_ns", "handed_ns")
"""The first one counts."""


def values(history: History) -> DataFrame:
    """One row a value; `spark_jobs.judging` keeps it in memory, since much is read from it."""
    sources = (_sent(history), _copied(history), _passed(history), _handed(history))
    rows = reduce(lambda one, other: one.unionByName(other, allowMissingColumns=True), sources)
    # Both groupings find their rows where this puts them: no further shuffle.
    by_reader = (
        rows.repartition("value")
        .groupBy("value", "reader")
        .agg(
            *[F.sum(name).alias(name) for name in (*_NUMBERS, "passed")],
            *[F.max(name).alias(name) for name in _ANY],
            *[F.min(name).alias(name) for name in (*_ALL, *_TIMES)],
        )
    )
    not_handed = F.coalesce("handed", F.lit(0)) == 0
    return by_reader.groupBy("value").agg(
        *[F.coalesce(F.sum(name), F.lit(0)).alias(name) for name in _NUMBERS],
        *[F.coalesce(F.max(name), F.lit(False)).alias(name) for name in _ANY],
        *[F.coalesce(F.min(name), F.lit(False)).alias(name) for name in _ALL],
        *[F.min(name).alias(name) for name in _TIMES],
        F.coalesce(F.max(F.when(not_handed, F.col("passed"))), F.lit(0)).alias("passed"),
    )


def family(rows: DataFrame) -> Family:
    """The counts of `values`."""
    sent = F.col("attempts") > 0
    unsure = sent & ~F.col("ok") & F.col("info")
    absent = F.col("standing") & (F.col("visible") == 0)
    replaced = F.col("gone") & ~F.col("expired")
    there = F.col("visible") > 0
    passed_over = there & (F.col("passed") == F.col("visible"))
    unhanded = F.col("standing") & there & (F.col("handed") == 0)
    never_sent = ~sent | F.col("hollow")
    known = (F.col("copies") > 0) | (F.col("handed") > 0)
    given_up = sent & ~F.col("ok") & (F.col("copies") == 0)
    weights = {
        "sent": flag(sent),
        "ok": flag(F.col("ok")),
        "info": flag(unsure),
        "fail": flag(sent & ~F.col("ok") & ~unsure),
        "obliged": flag(F.col("standing")),
        "in_log": flag(F.col("copies") > 0),
        "delivered": flag(F.col("handed") > 0),
        "lost_write": flag(absent & ~F.col("gone")),
        "expired": flag(absent & F.col("expired")),
        "compacted": flag(absent & replaced),
        "skipped": flag(passed_over),
        "unseen": flag(unhanded & ~passed_over),
        "duplicate": F.greatest(F.col("visible") - 1, F.lit(0)),
        "phantom": flag(known & never_sent),
        "given_up": flag(given_up),
    }
    shown = ("value", "attempts", "invoked_ns", "acked_ns", "copies", "handed")
    return Family(rows, weights, [F.col(name) for name in shown])


def _sent(history: History) -> DataFrame:
    """Attempts. `standing`: acknowledged, and not in an aborted transaction: an obligation."""
    ok = F.col("outcome") == "ok"
    standing = ok & ~F.col("aborted")
    failed_outside = (F.col("outcome") == "fail") & F.col("transaction").isNull()
    return with_reasons(history).select(
        "value",
        F.lit(1).alias("attempts"),
        ok.alias("ok"),
        standing.alias("standing"),
        (F.col("outcome") == "info").alias("info"),
        failed_outside.alias("hollow"),
        F.when(standing, F.col("expired")).alias("expired"),
        F.when(standing, F.col("expired") | F.col("replaced")).alias("gone"),
        "invoked_ns",
        F.when(ok, F.col("completed_ns")).alias("acked_ns"),
    )


def _copied(history: History) -> DataFrame:
    visible = flag(F.col("visible")).alias("visible")
    return history.copies.select("value", F.lit(1).alias("copies"), visible)


def _passed(history: History) -> DataFrame:
    return passed(history).select("value", "reader", F.lit(1).alias("passed"))


def _handed(history: History) -> DataFrame:
    # The final readers come after the run: theirs is no time of delivery.
    time = F.when(~F.col("final"), F.col("time_ns")).alias("handed_ns")
    return history.deliveries.select("value", "reader", F.lit(1).alias("handed"), time)
