"""Where processing leaves its effects: a table in a SQLite database that outlives its writers.

`plain` inserts a row for whatever it is given; `idempotent` knows a message by its value and
leaves one row however often that is applied (an upsert by the message's own key). One poll is
one transaction of the database: a process that dies has applied all of it or nothing.

Where the sink is a topic, its effects are what a reader of that topic is handed.
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
    """One writer of the table, in the thread that made it."""

    def __init__(self, database: Path, style: Style) -> None:
        self._connection = sqlite3.connect(database, timeout=_BUSY_S)
        # Written ahead and not flushed at every commit: processes die here, machines do not.
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = NORMAL")
        self._connection.execute(_TABLE[style])
        self._apply = _APPLY[style]

    def apply(self, values: Iterable[int]) -> None:
        """Leaves the effects of one poll; they are there when it returns."""
        now = time.monotonic_ns()
        with self._connection:
            self._connection.executemany(self._apply, ((value, now) for value in values))

    def close(self) -> None:
        self._connection.close()


def effects(database: Path) -> dict[str, list[Any]]:
    """What is in the table, as columns of the ledger's `effects`; empty if nothing was written."""
    rows: list[tuple[int, int, int]] = []
    if database.exists():
        connection = sqlite3.connect(database)
        query = "SELECT value, count(*), min(time_ns) FROM effects GROUP BY value"
        rows = connection.execute(query).fetchall()
        connection.close()
    return {
        "sink": [NAME] * len(rows),
        "value": [value for value, _, _ in rows],
        "applied": [times for _, times, _ in rows],
        "time_ns": [first_ns for _, _, first_ns in rows],
    }


class TopicEffects:
    """The effects in an output topic: each value, and how many records have it.

    A reader of the style `idempotent` knows a value that it was handed before. When an effect was
    left is not known: a record's own time is of another clock.
    """

    def __init__(self, ledger: Path, topic: str, style: Style) -> None:
        self._ledger, self._topic, self._style = ledger, topic, style
        self._times = Counter[int]()

    @property
    def count(self) -> int:
        """The records read so far."""
        return self._times.total()

    def add(self, messages: Sequence[Message]) -> None:
        self._times.update(int(message.value() or b"") for message in messages)

    def close(self) -> None:
        """Writes the ledger's `effects`."""
        values, times = list(self._times), list(self._times.values())
        TableWriter(self._ledger, "effects", "sink").flush(
            {
                "sink": [f"topic {self._topic}"] * len(values),
                "value": values,
                "applied": times if self._style == "plain" else [1] * len(values),
            }
        )
