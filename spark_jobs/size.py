"""How large a ledger is, looked up before Spark is: what to start for it, and how to count it.

Bytes alone would not tell: Parquet may hold a million rows of plain numbers in a few megabytes.
"""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs import parts
from spark_jobs.tables import TABLES, MalformedLedger

SMALL_BYTES = 16 * 2**20
SMALL_ROWS = 500_000
"""Up to both a ledger is judged without shuffles: what they cost, they would not save. All of its
rows are then in memory several times, some 100 MB for each 100,000 of them."""

QUICK_ROWS = 20_000_000
"""Up to this many rows a cold judging is over before the second compiler of a JVM would pay."""

WARM_ROWS = 6_000_000
"""Up to this many rows a warm session takes a ledger. It has small ones to judge beside it, and one
larger would fill its memory."""

PART_BYTES = 16 * 2**20
PART_ROWS = 2_000_000
"""A larger one is shuffled in as many parts of this size, each of which one task can hold."""

_LEAST_LINE = 40
"""Bytes of a line of JSON, at least, but for made-up ones."""


def is_small(ledger: Path) -> bool:
    """Whether a ledger has at most `SMALL_BYTES` in its files, and `SMALL_ROWS` rows."""
    return size(ledger) <= SMALL_BYTES and rows(ledger) <= SMALL_ROWS


def shuffled_in(ledger: Path) -> int:
    """The parts that a ledger that is not small is shuffled in."""
    return max(size(ledger) // PART_BYTES, rows(ledger) // PART_ROWS)


def size(ledger: Path) -> int:
    """The bytes of all files of a ledger; 0 for one that cannot be read."""
    return sum(
        (Path(folder) / name).stat().st_size
        for folder, _, names in os.walk(ledger)
        for name in names
        if (Path(folder) / name).is_file()
    )


def rows(ledger: Path) -> int:
    """The rows of all tables: by the footers of Parquet, and of JSON lines about.

    What cannot be read counts for nothing: whoever reads it will say so.
    """
    try:
        return sum(_rows(part) for table in TABLES for part in parts.parts(ledger, table))
    except (MalformedLedger, OSError, RuntimeError):
        return 0


def _rows(part: Path) -> int:
    if part.suffix == ".jsonl":
        return part.stat().st_size // _LEAST_LINE
    try:
        return int(pq.read_metadata(part).num_rows)
    except (pa.ArrowException, OSError):
        return 0
