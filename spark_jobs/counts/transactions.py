"""Torn transactions: a group was handed some of a transaction's values, and not all."""

from __future__ import annotations

from pyspark.sql import functions as F

from spark_jobs.columns import flag
from spark_jobs.counts import Family
from spark_jobs.history import History


def torn(history: History) -> Family:
    """One row a transaction that was not aborted.

    A send that definitely did not happen is no part of its transaction.
    """
    happened = F.col("transaction").isNotNull() & (F.col("outcome") != "fail")
    members = history.attempts.filter(happened & ~F.col("aborted"))
    parts = members.select("transaction", "value").distinct()
    sizes = parts.groupBy("transaction").agg(F.count("value").alias("size"))
    handed = history.deliveries.select("reader", "value").distinct()
    shares = parts.join(handed, "value", how="inner").groupBy("transaction", "reader")
    least = shares.agg(F.count("value").alias("handed")).groupBy("transaction")
    rows = sizes.join(least.agg(F.min("handed").alias("handed")), "transaction", how="inner")
    weight = flag(F.col("handed") < F.col("size"))
    return Family(rows, {"torn_transaction": weight}, [F.col(name) for name in rows.columns])
