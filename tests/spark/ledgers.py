"""Builders of rows and tables, and a writer that saves them as JSON lines."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]
Tables = dict[str, Sequence[Row]]

MS = 1_000_000
PROVED_FAULT: Row = {
    "fault": "kill",
    "phase": "complete",
    "evidence": "pid 4711 gone after SIGKILL",
}


def write(folder: Path, tables: Mapping[str, Sequence[Row]]) -> Path:
    """Writes one file per table and returns the folder; a table without rows is an empty file."""
    folder.mkdir(parents=True, exist_ok=True)
    for table, rows in tables.items():
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{table}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def send(value: int, outcome: str = "ok", at_ms: int | None = None, **more: Any) -> Row:
    """A send, invoked at `at_ms` (by default its value) and completed 2 ms later."""
    invoked = (value if at_ms is None else at_ms) * MS
    times = {"invoked_ns": invoked, "completed_ns": invoked + 2 * MS}
    return {"producer": "p1", "value": value, "outcome": outcome, **times, **more}


def record(offset: int, value: int, partition: int = 0, **more: Any) -> Row:
    """A record of the log."""
    return {"topic": "t", "partition": partition, "offset": offset, "value": value, **more}


def delivery(
    offset: int, value: int, group: str | None = "g", poll: int | None = None, **more: Any
) -> Row:
    """A delivery, in a poll of its own unless `poll` is given."""
    membership = {} if group is None else {"group": group}
    number = offset if poll is None else poll
    return {"consumer": "c1", **membership, "poll": number, **record(offset, value), **more}


def commit(
    offset: int, group: str = "g", outcome: str = "ok", time_ns: int = 1, **more: Any
) -> Row:
    """A commit of the next offset to read."""
    place = {"topic": "t", "partition": 0, "offset": offset}
    return {"group": group, **place, "outcome": outcome, "time_ns": time_ns, **more}


def sound(values: Iterable[int] = range(4), **replaced: Sequence[Row]) -> Tables:
    """A history in which nothing went wrong; `replaced` replaces whole tables."""
    numbers = list(values)
    tables: Tables = {
        "sends": [send(value, topic="t", partition=0, offset=value) for value in numbers],
        "log": [record(value, value) for value in numbers],
        "deliveries": [delivery(value, value) for value in numbers],
        "commits": [commit(max(numbers) + 1)],
        "partitions": [{"topic": "t", "partition": 0, "log_start_offset": 0}],
        "faults": [PROVED_FAULT],
        "meta": [{"final_read_completed": True}],
    }
    return {**tables, **replaced}
