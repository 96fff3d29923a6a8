"""Small histories, each with the counts that `docs/ledger.md` gives it: hits and near misses."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.spark.ledgers import Row, Tables, send


class Story(NamedTuple):
    """A history and what must be counted in it; other counts are not looked at."""

    name: str
    tables: Tables
    counts: dict[str, Any]


def placed(value: int, offset: int, **more: Any) -> Row:
    """A send that was told where it stands."""
    return send(value, topic="t", partition=0, offset=offset, **more)
