"""How large a ledger is, looked up before Spark is: what to start for it, and how to count it.

Bytes alone would not tell: Parquet may hold a million rows of plain numbers in a few megabytes.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Size:
    """The bytes in the files of a ledger, and the rows of its tables."""

    bytes: int
    rows: int

    @property
    def is_small(self) -> bool:
        """Whether it has at most `SMALL_BYTES` and `SMALL_ROWS`."""
        return self.bytes <= SMALL_BYTES and self.rows <= SMALL_ROWS

    @property
    def is_large(self) -> bool:
        """Whether it has more than `WARM_ROWS`."""
        return self.rows > WARM_ROWS

    @property
    def parts(self) -> int:
        """The number of shuffle partitions, for a ledger that is not small."""
        return max(self.bytes // PART_BYTES, self.rows // PART_ROWS)


def measure(ledger: Path) -> Size:
    """The size of a ledger: one look at its folder and at the footers of its parts."""
    return Size(size(ledger), rows(ledger))


def size(ledger: Path) -> int:
    """The bytes of all files of a ledger; 0 for one that cannot be read."""
    return sum(
        (Path(folder) / name).stat().st_size
        for folder, _, names in os.walk(ledger)
        for name in names
        if (Path(folder) / name).is_file()
    )


def rows(ledger: Path) -> int:
    """The number of rows in all tables: exact for Parquet, estimated for JSON lines.

    A table that cannot be read counts as empty here; reading it later raises the error.
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
