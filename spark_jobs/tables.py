"""The tables of a ledger as views: Parquet or JSON lines, schemas as in `docs/ledger.md`.

A table without a file was not recorded and reads as empty; an empty file is a table of no rows.
Rows that violate the schema are not dropped: their column `_problem` says what is wrong, and
`spark_jobs.survey` turns the first one into a `MalformedLedger`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from spark_jobs import lines
from spark_jobs.ledger_schema import LEDGER, Kind
from spark_jobs.views import Views

_SPARK: Mapping[Kind, str] = {
    "text": "string", "int64": "bigint", "int32": "bigint", "boolean": "boolean",
    "int32 list": "array<bigint>",
}  # fmt: skip

TABLES: Mapping[str, Mapping[str, str]] = {
    name: {column: _SPARK[table.columns[column].kind] for column in table.judged}
    for name, table in LEDGER.items()
    if table.judged
}
"""The columns that judging reads, with their Spark types, by table. Others are ignored."""

_NEVER_NEGATIVE = ("offset", "log_start_offset", "log_end_offset", "applied")
_FURTHEST_NS = 2**61
"""Moments are within this distance of 0 (73 years), so that no difference exceeds 64 bits."""

_NO_POLICY = r"cleanup_policy NOT RLIKE r'^\W*((compact|delete)\W*)*$'"

_CORRUPT = "_corrupt"


class MalformedLedger(Exception):
    """A ledger that cannot be read as one; the message names the file, and the line or column."""


def table_path(ledger: Path, table: str) -> Path | None:
    """The path of a table: `<table>.parquet` (file or folder), else `<table>.jsonl`, else None."""
    for ending in ("parquet", "jsonl"):
        path = ledger / f"{table}.{ending}"
        if path.exists():
            return path
    return None


def define(views: Views, ledger: Path, table: str) -> bool:
    """Defines the view `table` with the columns `_problem` and `_line`; absent columns are null.

    Returns whether the table was recorded. If it was not, its view has no rows. Raises
    `MalformedLedger` if the table is neither a file nor a folder of Parquet parts.
    """
    path = table_path(ledger, table)
    if path is None:
        views.define(table, _select(table, f"SELECT {_nulls(table)} WHERE false"))
    elif path.suffix == ".parquet":
        # An explicit schema saves the job that would infer one, and makes absent columns null.
        read = views.session.read.schema(schema(table)).parquet(_no_glob(path))
        views.register(f"file_{table}", read)
        select = f"SELECT {views.coalesce_hint} *, CAST(NULL AS string) AS _line FROM file_{table}"
        # Read once if it fits into memory: each scan costs the driver more than the rows do.
        views.define(table, _select(table, select), checkpointed=views.small)
    elif path.is_file():
        views.register(f"file_{table}", views.session.read.text(_no_glob(path)))
        # JSON is slow to parse, and every count would parse it again.
        views.define(table, _parsed(views, table), checkpointed=True)
    else:
        raise MalformedLedger(f"{path} is not a file")
    return path is not None


def schema(table: str) -> str:
    """The columns of a table as Spark DDL, all of them nullable."""
    return ", ".join(f"`{name}` {kind}" for name, kind in TABLES[table].items())


def _nulls(table: str) -> str:
    columns = {**TABLES[table], "_line": "string"}
    return ", ".join(f"CAST(NULL AS {kind}) AS `{name}`" for name, kind in columns.items())


def _parsed(views: Views, table: str) -> str:
    fields = f"{schema(table)}, {_CORRUPT} string"
    options = f"map('columnNameOfCorruptRecord', '{_CORRUPT}')"
    lines = f"""
        SELECT row.*, _line FROM (
            SELECT {views.coalesce_hint}
                from_json(value, '{fields}', {options}) AS row, value AS _line
            FROM file_{table} WHERE trim(value) <> ''
        )"""
    return _select(table, lines, f"if({_CORRUPT} IS NULL, NULL, '{_CORRUPT}')")


def _select(table: str, rows: str, *problems: str) -> str:
    """A SELECT of the table's columns. A ledger of one topic may omit topic and partition. They get
    stand-ins then, because nulls do not match in a join."""
    stand_ins = {"topic": "''", "partition": "-1L"}
    columns = [
        f"coalesce({name}, {stand_ins[name]}) AS {name}" if name in stand_ins else f"`{name}`"
        for name in TABLES[table]
    ]
    problem = ", ".join([*problems, *_problems(table), "CAST(NULL AS string)"])
    return f"SELECT {', '.join(columns)}, coalesce({problem}) AS _problem, _line FROM ({rows})"


def _problems(table: str) -> list[str]:
    """Expressions that say what is wrong with a row, in words; null if nothing is."""
    nothing = " AND ".join(f"`{name}` IS NULL" for name in TABLES[table])
    problems = [f"if({nothing}, 'it has no column of the table `{table}`', NULL)"]
    problems += [
        f"if(`{name}` IS NULL, '`{name}` is missing', NULL)" for name in LEDGER[table].required
    ]
    for name, words in LEDGER[table].words.items():
        known = ", ".join(f"'{word}'" for word in words)
        end = f"', which is none of: {', '.join(words)}"
        text = f'"`{name}` is \'" || {name} || "{end}"'
        problems.append(f"if({name} NOT IN ({known}), {text}, NULL)")
    return [*problems, *_contradictions(table)]


def _contradictions(table: str) -> list[str]:
    """The same expressions for single values that are impossible, and for times in wrong order."""
    wrong: dict[str, str] = {}
    for name in TABLES[table]:
        if name in _NEVER_NEGATIVE:
            wrong[f"`{name}` < 0"] = f"`{name}` is negative"
        elif name == "partition" and table != "sends":  # -1 in a send: it got no partition
            wrong["partition < 0"] = "`partition` is negative"
        elif name.endswith("_ns"):
            wrong[f"`{name}` NOT BETWEEN -{_FURTHEST_NS}L AND {_FURTHEST_NS}L"] = (
                f"`{name}` is not a time: it exceeds 73 years"
            )
        elif name == "cleanup_policy":
            wrong[_NO_POLICY] = "`cleanup_policy` has other words than delete and compact"
    if span := LEDGER[table].span:
        first, second = span
        wrong[f"`{second}` < `{first}`"] = f"`{second}` is before `{first}`"
    return [f"if({condition}, '{text}', NULL)" for condition, text in wrong.items()]


def row_error(path: Path, table: str, problem: str, line: str | None) -> MalformedLedger:
    """The error for the first malformed row, with the number of its line in the file."""
    if line is None:
        return MalformedLedger(f"{path}: a row is malformed: {problem}")
    with path.open(encoding="utf-8", errors="replace") as file:
        numbers = (number for number, text in enumerate(file, 1) if text.rstrip("\r\n") == line)
        number = next(numbers, 0)
    text = (
        lines.find_problem(table, line) or "this is not a row" if problem == _CORRUPT else problem
    )
    return MalformedLedger(f"{path}, line {number}: {text}")


def _no_glob(path: Path) -> str:
    """The path escaped for Hadoop, which would read `[`, `{`, `*` and `?` as patterns."""
    return re.sub(r"([\\*?\[\]{}])", r"\\\1", str(path.resolve()))
