"""The messages of a run and its brokers' logs as text, to find the cause of a loss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from labs.engine.record import replay

AROUND = 4
"""The number of records shown on either side of a jump."""
_MAX_JUMPS = 6
_LINE = re.compile(
    r"^\[[\d-]+ (?P<time>[\d:,]+)\] (?P<level>INFO|WARN|ERROR) (?P<text>.*?)(?: \([\w.$]+\))?$"
)
_RELEVANT = re.compile(
    r"starts at leader epoch|Shrinking ISR|Expanding ISR|ISR updated|Truncat|truncat|[Uu]nclean"
    r"|NotEnoughReplicas|Created log for partition|[Ff]enc|shutdown (?:initiated|completed)"
    r"|Revoking|elect"
)
_MAX_LINES = 80


def records(ledger: Path) -> list[str]:
    """The readable log in offset order, one line per record, in the words of `kafka-dump-log`.

    Each copy of a value has its own line.
    """
    return [_record(row) for row in _rows(ledger)]


def around_jumps(ledger: Path) -> list[str]:
    """The first and the last records, and those on either side of every jump.

    A jump is a place where the next value or the next offset is not the next number: a message was
    lost or repeated, or the offset in between is no message. `…` marks records that are not shown.
    """
    rows = _rows(ledger)
    jumps = [
        at + 1
        for at, (before, after) in enumerate(pairwise(rows))
        if after["value"] != before["value"] + 1 or after["offset"] != before["offset"] + 1
    ]
    shown: list[str] = []
    end = 0
    for cut in (0, *jumps[:_MAX_JUMPS], len(rows)):
        begin = max(end, cut - AROUND)
        shown += ["…"] if begin > end else []
        end = max(end, min(len(rows), cut + AROUND))
        shown += map(_record, rows[begin:end])
    return shown


def _record(row: Mapping[str, Any]) -> str:
    return f"partition: {row['partition']} offset: {row['offset']} value: {row['value']}"


def broker_logs(folder: Path) -> dict[str, Path]:
    """The log files of a run's brokers, by the broker's name."""
    return {file.stem: file for file in sorted(folder.glob("broker-*.log"))}


def notable(folder: Path, topic: str) -> list[str]:
    """The brokers' log lines on a topic's leaders, in-sync sets and truncations, by time."""
    lines = sorted(
        (line["time"], f"{line['time']} {name} {line['level']} {line['text']}")
        for name, file in broker_logs(folder).items()
        for line in _lines(file)
        if topic in line["text"] and _RELEVANT.search(line["text"])
    )
    return [without_paths(text, folder) for _, text in lines[:_MAX_LINES]]


def without_paths(text: str, folder: Path) -> str:
    """A log's text without the path of the run's folder on this machine."""
    return text.replace(f"{folder.parent.resolve()}/", "")


def _lines(file: Path) -> Iterator[re.Match[str]]:
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := _LINE.match(line.rstrip("\n")):
                yield match


def _rows(ledger: Path) -> list[dict[str, Any]]:
    rows = (row for row in replay.rows(ledger, "log") if row.get("replica") is None)
    return sorted(rows, key=lambda row: (row["partition"], row["offset"]))
