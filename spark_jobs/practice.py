"""A made-up ledger in Parquet, of the shape that our own runs write, to warm a session with.

Everything that a ledger without transactions can show happens in it. What is counted where nothing
is wrong is little of what a judging plans and compiles, and who asks has mostly seen a failure.
"""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame, SparkSession

ROWS = 20_000
"""Enough for the JVM to find the inner loops worth compiling."""

LARGER_ROWS = 200_000
"""Of a ledger that is judged as one that is not small: as it, so often that its loops are worth the
second compiler too."""

RARE = 10_000
"""In so many messages each thing goes wrong once."""

_PARTITIONS = 4

_REDELIVERED, _LOST, _REFUSED, _UNSURE_GONE, _UNSURE_THERE = range(5)
_DOUBLED, _PHANTOM, _SKIPPED, _DIVERGED, _LATE = range(5, 10)
"""The messages of every `RARE` to which it happens. `_LATE` is invoked after the next one."""

_EXTRA = f"(id DIV {RARE} + 1) * {RARE // _PARTITIONS + 2} - 2"
"""Where every partition has room for two records more than were sent, once in `RARE` messages."""

_OUTAGE_MS = 2_000
_PHANTOM_VALUE, _DIVERGED_VALUE = "value + 1000000000000", "value + 10000000000000"


def write(spark: SparkSession, ledger: Path, count: int = ROWS) -> None:
    """Writes the ledger of a small history: four partitions, one group, the final readers.

    Half-way nothing is acknowledged or handed out for two seconds.
    """
    for table, rows in _tables(spark, count).items():
        rows.write.mode("overwrite").options(**_encoding(rows)).parquet(
            str(ledger / f"{table}.parquet")
        )


def _encoding(rows: DataFrame) -> dict[str, str]:
    """Texts have a dictionary and numbers have none, as in our runs' ledgers.

    Spark would give both one, and a reader of dictionaries is not the code that a run's need.
    """
    numbers = [name for name, kind in rows.dtypes if kind != "string"]
    return {f"parquet.enable.dictionary#{name}": "false" for name in numbers}


def _tables(spark: SparkSession, count: int) -> dict[str, DataFrame]:
    sends = _sends(spark, count)
    log = _log(sends)
    partitions = spark.range(_PARTITIONS).selectExpr("'t' AS topic", "CAST(id AS int) AS partition")
    one = spark.range(1)
    return {
        "sends": sends.drop("id", "rare", "place"),
        "log": log.select("topic", "partition", "offset", "value"),
        "deliveries": _deliveries(log),
        "commits": partitions.selectExpr(
            "'g' AS `group`", "'ok' AS outcome", "*", f"{count}L AS offset", "1L AS time_ns"
        ),
        "partitions": partitions.selectExpr("*", "0L AS log_start_offset"),
        "faults": one.selectExpr(
            "'kill' AS fault", "'complete' AS phase", "'made up' AS evidence"
        ),
        "meta": one.selectExpr("true AS final_read_completed"),
    }  # fmt: skip


def _sends(spark: SparkSession, count: int) -> DataFrame:
    """A message a millisecond; beside its columns what happens to it, and where it stands."""
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
    """A moment in nanoseconds, of an even flow with the outage in its middle."""
    return f"({ms} + if({ms} < {count // 2}, 0, {_OUTAGE_MS})) * 1000000"


def _log(sends: DataFrame) -> DataFrame:
    own = "named_struct('offset', place, 'value', value)"
    again = f"named_struct('offset', {_EXTRA}, 'value', value)"
    nobodys = f"named_struct('offset', {_EXTRA} + 1, 'value', {_PHANTOM_VALUE})"
    records = f"""
        CASE WHEN rare IN ({_LOST}, {_REFUSED}, {_UNSURE_GONE}) THEN array()
        WHEN rare = {_DOUBLED} THEN array({own}, {again})
        WHEN rare = {_PHANTOM} THEN array({own}, {nobodys})
        ELSE array({own}) END"""
    return sends.selectExpr("topic", "partition", "rare", "completed_ns", f"inline({records})")


def _deliveries(log: DataFrame) -> DataFrame:
    """To the group and to the final readers; what comes again comes with the next poll."""
    handed = f"""
        CASE WHEN rare = {_SKIPPED} THEN array(NULL)
        WHEN rare = {_REDELIVERED} THEN array(NULL, 0, 1)
        ELSE array(NULL, 0) END"""
    return log.selectExpr("*", f"explode({handed}) AS later").selectExpr(
        "topic", "partition", "offset", "if(later IS NULL, 'final', 'g') AS `group`",
        f"concat('c', partition % {_PARTITIONS // 2}) AS consumer",
        f"if(later = 0 AND rare = {_DIVERGED}, {_DIVERGED_VALUE}, value) AS value",
        "offset DIV 125 + coalesce(later, 0) AS poll", "completed_ns + 20000000 AS time_ns",
    )  # fmt: skip
