"""Checks a line of JSON as a row of a table, before Spark, which would ignore errors.

Spark reads the first object of a line and not what stands behind it; of a name that is there twice
it takes one; and it takes `false` or `[]` for a text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from spark_jobs.ledger_schema import LEDGER

_LONGEST = 2**63
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def wrong(table: str, line: str) -> str:
    """Why a line is not exactly one row of its table; empty if it is."""
    try:
        row = _DECODER.decode(line)
    except ValueError as error:
        return f"this is no JSON: {error}"
    except RecursionError:
        return "this is nested too deeply"
    if not isinstance(row, dict):
        return "this is no JSON object"
    fits = _FITS[table]
    for name, value in row.items():
        if name not in fits:
            if meant := ALMOST[table].get(plain(name)):
                return f"`{name}` would not be read; the column is `{meant}`"
        elif value is not None and (wanted := fits[name](value)):
            return f"`{name}` is {json.dumps(value)}, and must be {wanted}"
    return ""


def plain(name: str) -> str:
    """A name without what people and programs write differently: `Transaction-ID`."""
    return re.sub(r"[\W_]", "", name).lower()


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    row = dict(pairs)
    if len(row) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"`{twice}` is there twice")
    return row


def _integer(value: Any) -> str:
    # A boolean is an int in Python.
    fits = type(value) is int and -_LONGEST <= value < _LONGEST
    return "" if fits else "an integer of 64 bits"


def _boolean(value: Any) -> str:
    return "" if type(value) is bool else "true or false"


def _text(value: Any) -> str:
    if type(value) is not str:
        return "a text"
    # Half a character: Spark reads each such as the same question mark.
    return "a text of whole characters" if _SURROGATE.search(value) else ""


_CHECKS = {"text": _text, "int64": _integer, "int32": _integer, "boolean": _boolean}
_FITS: Mapping[str, Mapping[str, Any]] = {
    name: {column: _CHECKS[table.columns[column].kind] for column in table.judged}
    for name, table in LEDGER.items()
}
ALMOST: Mapping[str, Mapping[str, str]] = {
    name: {plain(column): column for column in table.judged} for name, table in LEDGER.items()
}
"""The columns of each table that judging reads, by their plain names."""
_DECODER = json.JSONDecoder(object_pairs_hook=_once)


def decoded_once(text: str) -> Any:
    """The value of a JSON text. Raises `ValueError` where an object has a name twice."""
    return _DECODER.decode(text)
