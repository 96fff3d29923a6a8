"""A run's log and its brokers' logs as text, for finding the cause of a loss."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

from labs.engine.record import replay

AROUND = 4
"""Records that are shown on either side of a jump."""
_MOST_JUMPS = 6
_LINE = re.compile(
    r"^\[[\d-]+ (?P<time>[\d:,]+)\] (?P<level>INFO|WARN|ERROR) (?P<text>.*?)(?: \([\w.$]+\))?$"
)
_TELLING = re.compile(
    r"starts at leader epoch|Shrinking ISR|Expanding ISR|ISR updated|Truncat|truncat|[Uu]nclean"
    r"|NotEnoughReplicas|Created log for partition|[Ff]enc|shutdown (?:initiated|completed)"
    r"|Revoking|elect"
)
_MOST_NOTED = 80


def records(ledger: Path) -> list[str]:
    """The readable log in offset order, a record a line, in the words of `kafka-dump-log`.

    Copies of one value are two lines.
    """
    return [_record(row) for row in _rows(ledger)]


def around_jumps(ledger: Path) -> list[str]:
    """The records on either side of where the next value is not the next number.

    There something was lost, repeated or left out by an offset that is no message. The first and
    the last records where there is no such place; what is left out is marked by `…`.
    """
    rows = _rows(ledger)
    jumps = [
        at + 1
        for at, (before, after) in enumerate(pairwise(rows))
        if after["value"] != before["value"] + 1 or after["offset"] != before["offset"] + 1
    ]
    shown: list[str] = []
    end = 0
    for cut in (0, *jumps[:_MOST_JUMPS], len(rows)):
        begin = max(end, cut - AROUND)
        shown += ["…"] if begin > end else []
        end = max(end, min(len(rows), cut + AROUND))
        shown += map(_record, rows[begin:end])
    return shown


def _record(row: Mapping[str, Any]) -> str:
    return f"partition: {row['partition']} offset: {row['offset']} value: {row['value']}"


def broker_logs(folder: Path) -> dict[str, Path]:
    """The brokers' logs of a run, by the broker's name."""
    return {file.stem: file for file in sorted(folder.glob("broker-*.log"))}


def notable(folder: Path, topic: str) -> list[str]:
    """What the brokers said of a topic's leaders, in-sync sets and truncations, by time."""
    noted = sorted(
        (line["time"], f"{line['time']} {name} {line['level']} {line['text']}")
        for name, file in broker_logs(folder).items()
        for line in _lines(file)
        if topic in line["text"] and _TELLING.search(line["text"])
    )
    return [without_places(text, folder) for _, text in noted[:_MOST_NOTED]]


def without_places(text: str, folder: Path) -> str:
    """A log's text without the place of the run on this machine."""
    return text.replace(f"{folder.parent.resolve()}/", "")


def _lines(file: Path) -> Iterator[re.Match[str]]:
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            if match := _LINE.match(line.rstrip("\n")):
                yield match


def _rows(ledger: Path) -> list[dict[str, Any]]:
    rows = (row for row in replay.rows(ledger, "log") if row.get("replica") is None)
    return sorted(rows, key=lambda row: (row["partition"], row["offset"]))
