"""Small histories, each with the counts that `docs/ledger.md` defines for it.

For each count there are histories that contain it and histories that almost do.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.spark.ledgers import Row, Tables, send


class Story(NamedTuple):
    """A history and its expected counts; other counts are not compared."""

    name: str
    tables: Tables
    counts: dict[str, Any]


def placed(value: int, offset: int, **more: Any) -> Row:
    """A send that was acknowledged with its partition and offset."""
    return send(value, topic="t", partition=0, offset=offset, **more)
