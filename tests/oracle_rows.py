"""Rows of a ledger in plain Python, and who and where they speak of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Row = Mapping[str, Any]
Ledger = Mapping[str, Sequence[Row]]


def place(row: Row) -> tuple[Any, ...]:
    return row.get("topic"), row.get("partition"), row.get("offset")


def reader(row: Row) -> tuple[str, Any]:
    """A group; a consumer without one is its own."""
    group = row.get("group")
    return ("consumer", row.get("consumer")) if group is None else ("group", group)


def is_final(row: Row) -> bool:
    return row.get("group") == "final"
