"""A synthetic ledger in Parquet, of the same form as those of our runs, that warms up a session.

It has every anomaly that a ledger without transactions can have. Judging a ledger without anomalies
would plan and compile only a small part of the code, and most real ledgers have some.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

ROWS = 20_000
"""Enough for the JVM to find the inner loops worth compiling."""

LARGER_ROWS = 200_000
"""The rows of a ledger that is judged as not small: enough for the second compiler."""

RARE = 10_000
"""Each anomaly happens once in this many messages."""

_PARTITIONS = 4

_REDELIVERED, _LOST, _REFUSED, _UNSURE_GONE, _UNSURE_THERE = range(5)
_DOUBLED, _PHANTOM, _SKIPPED, _DIVERGED, _LATE = range(5, 10)
"""The messages, of every `RARE`, with an anomaly. `_LATE` is invoked after the next one."""

_EXTRA = f"(id DIV {RARE} + 1) * {RARE // _PARTITIONS + 2} - 2"
"""The first of two offsets that every partition has to spare, once in `RARE` messages."""

_OUTAGE_MS = 2_000
_PHANTOM_VALUE, _DIVERGED_VALUE = "value + 1000000000000", "value + 10000000000000"


def write(spark: SparkSession, ledger: Path, count: int = ROWS) -> None:
    """Writes a ledger of `count` sends: four partitions, one group, the final readers.

    In the middle nothing is acknowledged or delivered for two seconds.
    """
    for table, rows in _tables(spark, count).items():
        rows.write.mode("overwrite").options(**_encoding(rows)).parquet(
            str(ledger / f"{table}.parquet")
        )


def _encoding(rows: DataFrame) -> dict[str, str]:
    """Options of the Parquet writer: only texts have a dictionary, as in the ledgers of our runs.

    By default numbers would have one, too, and reading them would compile other code.
    """
    numbers = [name for name, kind in rows.dtypes if kind != "string"]
    return {f"parquet.enable.dictionary#{name}": "false" for name in numbers}


def _tables(spark: SparkSession, count: int) -> dict[str, DataFrame]:
    sends = _sends(spark, count)
    log = _log(sends)
    partitions = spark.range(_PARTITIONS).selectExpr("'t' AS topic", "CAST(id AS int) AS partition")
    one_row = spark.range(1)
    return {
        "sends": sends.drop("id", "rare", "place"),
        "log": log.select("topic", "partition", "offset", "value"),
        "deliveries": _deliveries(log),
        "commits": partitions.selectExpr(
            "'g' AS `group`", "'ok' AS outcome", "*", f"{count}L AS offset", "1L AS time_ns"
        ),
        "partitions": partitions.selectExpr("*", "0L AS log_start_offset"),
        "faults": one_row.selectExpr(
            "'kill' AS fault", "'complete' AS phase", "'made up' AS evidence"
        ),
        "meta": one_row.selectExpr("true AS final_read_completed"),
    }  # fmt: skip


def _sends(spark: SparkSession, count: int) -> DataFrame:
    """One message per millisecond, with its anomaly (`rare`) and its offset (`place`)."""
    outcome = f"""
        CASE WHEN rare = {_REFUSED} THEN 'fail'
        WHEN rare IN ({_UNSURE_GONE}, {_UNSURE_THERE}) THEN 'info' ELSE 'ok' END"""
    late = f"if(rare = {_LATE}, {_PARTITIONS * 3 // 2}, 0)"
    return (
        spark.range(0, count, 1, 2)
        .selectExpr("id", f"id % {RARE} AS rare")
        .selectExpr(
            "*", f"{outcome} AS outcome", "id AS value",
            "'t' AS topic", f"CAST(id % {_PARTITIONS} AS int) AS partition",
            f"id DIV {_PARTITIONS} + 2 * (id DIV {RARE}) AS place",
            f"concat('p', id % {_PARTITIONS // 2}) AS producer",
            f"{_moment(f'id + {late}', count)} AS invoked_ns",
            f"{_moment(f'id + {late} + 2', count)} AS completed_ns",
        )
        .selectExpr("*", "if(outcome = 'ok', place, NULL) AS offset")
    )  # fmt: skip


def _moment(ms: str, count: int) -> str:
    """A moment in nanoseconds, of an even flow with the outage in the middle."""
    return f"({ms} + if({ms} < {count // 2}, 0, {_OUTAGE_MS})) * 1000000"


def _log(sends: DataFrame) -> DataFrame:
    original = "named_struct('offset', place, 'value', value)"
    copy = f"named_struct('offset', {_EXTRA}, 'value', value)"
    phantom = f"named_struct('offset', {_EXTRA} + 1, 'value', {_PHANTOM_VALUE})"
    records = f"""
        CASE WHEN rare IN ({_LOST}, {_REFUSED}, {_UNSURE_GONE}) THEN array()
        WHEN rare = {_DOUBLED} THEN array({original}, {copy})
        WHEN rare = {_PHANTOM} THEN array({original}, {phantom})
        ELSE array({original}) END"""
    return sends.selectExpr("topic", "partition", "rare", "completed_ns", f"inline({records})")


def _deliveries(log: DataFrame) -> DataFrame:
    """Deliveries to the group and to the final readers; a redelivery comes with the next poll."""
    polls = f"""
        CASE WHEN rare = {_SKIPPED} THEN array(NULL)
        WHEN rare = {_REDELIVERED} THEN array(NULL, 0, 1)
        ELSE array(NULL, 0) END"""
    return log.selectExpr("*", f"explode({polls}) AS later").selectExpr(
        "topic", "partition", "offset", "if(later IS NULL, 'final', 'g') AS `group`",
        f"concat('c', partition % {_PARTITIONS // 2}) AS consumer",
        f"if(later = 0 AND rare = {_DIVERGED}, {_DIVERGED_VALUE}, value) AS value",
        "offset DIV 125 + coalesce(later, 0) AS poll", "completed_ns + 20000000 AS time_ns",
    )  # fmt: skip
