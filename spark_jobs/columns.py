"""Column helpers that several counts share."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

PLACE = ("topic", "partition", "offset")
"""Where a record stands in a log."""

FINAL_GROUP = "final"
"""The group of the final readers, which show what is there and are judged for little else."""


def is_final() -> Column:
    """Whether a row belongs to the final readers."""
    return F.coalesce(F.col("group") == FINAL_GROUP, F.lit(False))


def reader() -> Column:
    """Who reads, and keeps a position: a group, or a consumer that is in none."""
    consumer = F.concat(F.lit("consumer "), F.coalesce("consumer", F.lit("")))
    return F.coalesce(F.concat(F.lit("group "), "group"), consumer)


def flag(condition: Column) -> Column:
    """1 where the condition is true, 0 where it is false or null: to be summed."""
    return F.when(condition, F.lit(1)).otherwise(F.lit(0)).cast("bigint")


def shown_place() -> list[Column]:
    """Topic, partition and offset for an example; stand-ins for null become null again."""
    return [
        F.nullif(F.col("topic"), F.lit("")).alias("topic"),
        F.nullif(F.col("partition"), F.lit(-1)).alias("partition"),
        F.col("offset"),
    ]


def settled(frame: DataFrame) -> DataFrame:
    """The same rows, kept once computed, as the beginning of a plan of its own.

    `persist` would keep them too, but every frame made from them would still carry, and have
    analysed, how they came about: that was two thirds of the time for a small ledger.
    """
    return frame.localCheckpoint(eager=False)
