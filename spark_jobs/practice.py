"""A made-up ledger in Parquet, of the shape that our own runs write, to warm a session with."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

ROWS = 20_000
"""Enough for the JVM to find the inner loops worth compiling."""

LARGER_ROWS = 200_000
"""Of a ledger that is judged as one that is not small: as it, so often that its loops are worth the
second compiler too."""

RARE = 1_000
"""One message of so many is lost, another one redelivered."""


def write(spark: SparkSession, ledger: Path, count: int = ROWS) -> None:
    """Writes the ledger of a small history: one partition, one group, the final readers.

    Some messages are lost and some redelivered, as in a run under settings that allow it.
    """
    for table, rows in _tables(spark, count).items():
        rows.write.mode("overwrite").parquet(str(ledger / f"{table}.parquet"))


def _tables(spark: SparkSession, count: int) -> dict[str, DataFrame]:
    number = F.col("id")
    values = spark.range(0, count, 1, 2)
    there = values.where(number % RARE != 1)
    one = spark.range(1)
    place = [
        F.lit("t").alias("topic"),
        F.lit(0).alias("partition"),
        number.alias("offset"),
        number.alias("value"),
    ]
    sent = [_text("p", "producer"), _text("ok", "outcome"), *_times(number)]
    again = F.when(number % RARE == 0, "g")
    groups = F.explode(F.array_compact(F.array(F.lit("g"), F.lit("final"), again))).alias("group")
    polled = F.floor(number / 500).alias("poll")
    time = (number * 1_000_000).alias("time_ns")
    read = [_text("c", "consumer"), groups, polled, time, *place]
    commit = [_text("g", "group"), _text("ok", "outcome"), *place[:2], F.lit(count).alias("offset")]
    fault = [_text("kill", "fault"), _text("complete", "phase"), _text("made up", "evidence")]
    return {
        "sends": values.select(*sent, *place),
        "log": there.select(*place),
        "deliveries": there.select(*read),
        "commits": one.select(*commit, F.lit(1).alias("time_ns")),
        "partitions": one.select(*place[:2], F.lit(0).alias("log_start_offset")),
        "faults": one.select(*fault),
        "meta": one.select(F.lit(True).alias("final_read_completed")),
    }


def _times(number: Column) -> list[Column]:
    invoked = number * 1_000_000
    return [invoked.alias("invoked_ns"), (invoked + 2_000_000).alias("completed_ns")]


def _text(text: str, name: str) -> Column:
    return F.lit(text).alias(name)
