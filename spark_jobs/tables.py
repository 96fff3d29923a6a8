"""The tables of a ledger as DataFrames: Parquet or JSON lines, schemas as in `docs/ledger.md`.

A table without a file was not recorded and reads as None; an empty file is a table of no rows.
Rows that break the schema are not dropped: each carries its complaint in `_problem`, and
`spark_jobs.inspect` turns the first one into a `MalformedLedger`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path

from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, DataType, LongType, StringType, StructField, StructType

_INT = LongType()
_TEXT = StringType()
_BOOL = BooleanType()

_PLACE: Mapping[str, DataType] = {"topic": _TEXT, "partition": _INT, "offset": _INT}

TABLES: Mapping[str, Mapping[str, DataType]] = {
    "sends": {
        "producer": _TEXT, "value": _INT, **_PLACE, "key": _TEXT, "transaction": _TEXT,
        "invoked_ns": _INT, "completed_ns": _INT, "outcome": _TEXT,
    },
    "transactions": {"transaction": _TEXT, "producer": _TEXT, "outcome": _TEXT},
    "log": {**_PLACE, "value": _INT, "transaction_state": _TEXT, "replica": _INT},
    "deliveries": {
        "consumer": _TEXT, "group": _TEXT, "assignment": _TEXT, "poll": _INT, **_PLACE,
        "value": _INT, "time_ns": _INT,
    },
    "commits": {"consumer": _TEXT, "group": _TEXT, **_PLACE, "outcome": _TEXT, "time_ns": _INT},
    "effects": {"sink": _TEXT, "value": _INT, "applied": _INT},
    "state": {"store": _TEXT, "key": _TEXT, "expected": _INT, "actual": _INT},
    "faults": {"fault": _TEXT, "target": _TEXT, "phase": _TEXT, "evidence": _TEXT},
    "partitions": {
        "topic": _TEXT, "partition": _INT, "log_start_offset": _INT, "cleanup_policy": _TEXT,
    },
    "meta": {"final_read_completed": _BOOL, "given_up_breaks": _BOOL},
}  # fmt: skip
"""The columns that judging reads, by table. Other columns may be there and are left alone."""

_REQUIRED: Mapping[str, tuple[str, ...]] = {
    "sends": ("value", "outcome"),
    "transactions": ("transaction", "outcome"),
    "log": ("value",),
    "deliveries": ("value",),
    "commits": ("offset",),
    "effects": ("value",),
}

_WORDS: Mapping[str, tuple[str, ...]] = {
    "sends": ("ok", "fail", "info"),
    "transactions": ("committed", "aborted", "unknown"),
    "commits": ("ok", "fail", "info"),
}
"""What `outcome` may say, by table."""

_CORRUPT = "_corrupt"


class MalformedLedger(Exception):
    """A ledger that cannot be read as one; the message names the file, and the line or column."""


def table_path(ledger: Path, table: str) -> Path | None:
    """Where a table is: `<table>.parquet` (file or folder) before `<table>.jsonl`, or nowhere."""
    for ending in ("parquet", "jsonl"):
        path = ledger / f"{table}.{ending}"
        if path.exists():
            return path
    return None


def read(spark: SparkSession, ledger: Path, table: str) -> DataFrame | None:
    """One table with all its columns (an absent one is null), `_problem` and `_line`."""
    path = table_path(ledger, table)
    if path is None:
        return None
    if path.suffix == ".jsonl" and not path.is_file():
        raise MalformedLedger(f"{path} is no file")
    rows = _parquet(spark, path, table) if path.suffix == ".parquet" else _lines(spark, path, table)
    placed = {
        name: F.coalesce(name, F.lit(nothing))
        for name, nothing in (("topic", ""), ("partition", -1))
        if name in TABLES[table]
    }
    # Nulls would not meet in a join: a ledger of one topic may leave topic and partition out.
    return rows.withColumns(placed)


def empty(spark: SparkSession, table: str) -> DataFrame:
    """The table without rows."""
    return spark.createDataFrame([], schema(table)).withColumns(
        {"_problem": F.lit(None).cast(_TEXT), "_line": F.lit(None).cast(_TEXT)}
    )


def schema(table: str) -> StructType:
    """The columns of a table, all of them nullable."""
    return StructType([StructField(name, kind) for name, kind in TABLES[table].items()])


def _parquet(spark: SparkSession, path: Path, table: str) -> DataFrame:
    # A stated schema spares the job that would infer one, and makes absent columns null.
    rows = spark.read.schema(schema(table)).parquet(_no_glob(path))
    return rows.withColumns({"_problem": _problem(table), "_line": F.lit(None).cast(_TEXT)})


def _lines(spark: SparkSession, path: Path, table: str) -> DataFrame:
    fields = StructType([*schema(table).fields, StructField(_CORRUPT, _TEXT)])
    parsed = F.from_json("value", fields, {"columnNameOfCorruptRecord": _CORRUPT})
    lines = spark.read.text(_no_glob(path)).filter(F.trim("value") != "")
    rows = lines.select(parsed.alias("row"), F.col("value").alias("_line"))
    corrupt = F.when(F.col(_CORRUPT).isNotNull(), F.lit(_CORRUPT))
    problem = F.coalesce(corrupt, _problem(table))
    return rows.select("row.*", "_line").withColumn("_problem", problem).drop(_CORRUPT)


def _problem(table: str) -> Column:
    """What is wrong with a row, in words, or null."""
    complaints = [
        F.when(F.col(name).isNull(), F.lit(f"`{name}` is missing"))
        for name in _REQUIRED.get(table, ())
    ]
    if table in _WORDS:
        known = F.col("outcome").isin(*_WORDS[table])
        words = ", ".join(_WORDS[table])
        text = F.concat(F.lit("`outcome` is '"), "outcome", F.lit(f"', which is none of: {words}"))
        complaints.append(F.when(~known, text))
    return F.coalesce(*complaints, F.lit(None).cast(_TEXT))


def complaint(path: Path, table: str, problem: str, line: str | None) -> MalformedLedger:
    """The error for the first bad row; finds the number of its line in the file."""
    if line is None:
        return MalformedLedger(f"{path}: a row is malformed: {problem}")
    with path.open(encoding="utf-8", errors="replace") as file:
        numbers = (number for number, text in enumerate(file, 1) if text.rstrip("\r\n") == line)
        number = next(numbers, 0)
    said = _misread(table, line) if problem == _CORRUPT else problem
    return MalformedLedger(f"{path}, line {number}: {said}")


def _misread(table: str, line: str) -> str:
    """Why a line could not be read as a row of its table."""
    try:
        row = json.loads(line)
    except ValueError as error:
        return f"this is no JSON: {error}"
    if not isinstance(row, dict):
        return "this is no JSON object"
    for name, kind in TABLES[table].items():
        value = row.get(name)
        fits = {"bigint": type(value) is int, "boolean": type(value) is bool}
        if value is not None and not fits.get(kind.simpleString(), True):
            wanted = "true or false" if kind == _BOOL else "an integer of 64 bits"
            return f"`{name}` is {json.dumps(value)}, and must be {wanted}"
    return "a value does not fit its column (integers have 64 bits)"


def _no_glob(path: Path) -> str:
    """The path as Hadoop takes it, which would read `[`, `{`, `*` and `?` as patterns."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", str(path.resolve()))
