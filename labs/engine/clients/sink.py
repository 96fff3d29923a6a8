"""The sink for the effects of processing: a SQLite table that outlives its writers.

`plain` inserts a row for every message. `idempotent` recognises a message by its value and keeps
one row, however often the message is applied (an upsert by the message's key). One poll is one
transaction of the database: a process that dies has applied all of the poll or nothing.

If the sink is a topic, the effects are the records that a reader of that topic receives.
"""

from __future__ import annotations

import sqlite3
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

from confluent_kafka import Message

from labs.engine.record.ledger import TableWriter

NAME = "sqlite"
Style = Literal["plain", "idempotent"]

_TABLE: dict[Style, str] = {
    "plain": "CREATE TABLE IF NOT EXISTS effects (value INTEGER NOT NULL, time_ns INTEGER)",
    "idempotent": "CREATE TABLE IF NOT EXISTS effects (value INTEGER PRIMARY KEY, time_ns INTEGER)",
}
_APPLY: dict[Style, str] = {
    "plain": "INSERT INTO effects VALUES (?, ?)",
    "idempotent": "INSERT INTO effects VALUES (?, ?) ON CONFLICT (value) DO NOTHING",
}
_BUSY_S = 30.0  # members of a group take turns


class Database:
    """One writer of the table, for the thread that created it."""

    def __init__(self, database: Path, style: Style) -> None:
        self._connection = sqlite3.connect(database, timeout=_BUSY_S)
        # WAL without a flush at every commit: in a run processes die, the machine does not.
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(_TABLE[style])
        self._apply = _APPLY[style]

    def apply(self, values: Iterable[int]) -> None:
        """Writes the effects of one poll; they are in the table when it returns."""
        now = time.monotonic_ns()
        with self._connection:
            self._connection.executemany(self._apply, ((value, now) for value in values))

    def close(self) -> None:
        self._connection.close()


def effects(database: Path) -> dict[str, list[Any]]:
    """Returns the table as columns of the ledger's `effects`; empty if nothing was written."""
    rows: list[tuple[int, int, int]] = []
    if database.exists():
        connection = sqlite3.connect(database)
        query = "SELECT value, count(*), min(time_ns) FROM effects GROUP BY value"
        rows = connection.execute(query).fetchall()
        connection.close()
    return {
        "sink": [NAME] * len(rows),
        "value": [value for value, _, _ in rows],
        "applied": [count for _, count, _ in rows],
        "time_ns": [first_ns for _, _, first_ns in rows],
    }


class TopicEffects:
    """The effects in an output topic: each value, and the number of records with it.

    A reader of the style `idempotent` recognises a value that it has received before. The time of
    an effect is unknown, because the timestamp of a record is from another clock.
    """

    def __init__(self, ledger: Path, topic: str, style: Style) -> None:
        self._ledger, self._topic, self._style = ledger, topic, style
        self._counts = Counter[int]()

    @property
    def count(self) -> int:
        """The number of records read so far."""
        return self._counts.total()

    def add(self, messages: Sequence[Message]) -> None:
        self._counts.update(int(message.value() or b"") for message in messages)

    def close(self) -> None:
        """Writes the ledger's table `effects`."""
        values, counts = list(self._counts), list(self._counts.values())
        TableWriter(self._ledger, "effects", "sink").flush(
            {
                "sink": [f"topic {self._topic}"] * len(values),
                "value": values,
                "applied": counts if self._style == "plain" else [1] * len(values),
            }
        )
