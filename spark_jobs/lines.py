"""Checks a line of JSON as a row of a table. Spark, which reads it later, would ignore errors.

Spark reads the first object of a line and ignores the rest, uses one of two values of the same
name, and accepts `false` or `[]` as a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from spark_jobs.ledger_schema import LEDGER

_INT64_LIMIT = 2**63
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def find_problem(table: str, line: str) -> str:
    """The reason why a line is not exactly one row of its table; empty if it is."""
    try:
        row = _DECODER.decode(line)
    except ValueError as error:
        return f"this is not JSON: {error}"
    except RecursionError:
        return "this is nested too deeply"
    if not isinstance(row, dict):
        return "this is not a JSON object"
    fits = _FITS[table]
    for name, value in row.items():
        if name not in fits:
            if column := NORMALIZED_COLUMNS[table].get(normalized(name)):
                return f"`{name}` would not be read; the column is `{column}`"
        elif value is not None and (expected := fits[name](value)):
            return f"`{name}` is {json.dumps(value)}, and must be {expected}"
    return ""


def normalized(name: str) -> str:
    """A name in lower case, without punctuation: `Transaction-ID` becomes `transactionid`."""
    return re.sub(r"[\W_]", "", name).lower()


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"`{twice}` is there twice")
    return row


def _integer(value: Any) -> str:
    # A boolean is an int in Python.
    fits = type(value) is int and -_INT64_LIMIT <= value < _INT64_LIMIT
    return "" if fits else "an integer of 64 bits"


def _boolean(value: Any) -> str:
    return "" if type(value) is bool else "true or false"


def _text(value: Any) -> str:
    if type(value) is not str:
        return "a text"
    # Half a surrogate pair: Spark reads all of them as the same question mark.
    return "a text of whole characters" if _SURROGATE.search(value) else ""


_CHECKS = {"text": _text, "int64": _integer, "int32": _integer, "boolean": _boolean}
_FITS: Mapping[str, Mapping[str, Any]] = {
    name: {column: _CHECKS[table.columns[column].kind] for column in table.judged}
    for name, table in LEDGER.items()
}
NORMALIZED_COLUMNS: Mapping[str, Mapping[str, str]] = {
    name: {normalized(column): column for column in table.judged} for name, table in LEDGER.items()
}
"""The columns of each table that judging reads, by their normalized names."""
_DECODER = json.JSONDecoder(object_pairs_hook=_unique_names)


def decode_unique(text: str) -> Any:
    """The value of a JSON text. Raises `ValueError` if an object has a name twice."""
    return _DECODER.decode(text)
