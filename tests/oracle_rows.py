"""Rows of a ledger in plain Python, with their place and their reader."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Ledger = Mapping[str, Sequence[Row]]


def place(row: Row) -> tuple[Any, ...]:
    return row.get("topic"), row.get("partition"), row.get("offset")


def reader(row: Row) -> tuple[str, Any]:
    """The group of the row, or its consumer if it has no group."""
    group = row.get("group")
    return ("consumer", row.get("consumer")) if group is None else ("group", group)


def is_final(row: Row) -> bool:
    return row.get("group") == "final"
