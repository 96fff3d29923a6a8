"""The size of a ledger, measured before Spark starts: it decides which session counts it, and how.

Bytes alone are not enough: Parquet may hold a million rows of plain numbers in a few megabytes.
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
"""A ledger up to both limits is judged without shuffles, which would cost more than they save. All
of its rows are then in memory several times: some 100 MB for 100,000 rows."""

QUICK_ROWS = 20_000_000
"""Up to this many rows a cold judging ends before the JVM's second compiler (C2) would pay."""

WARM_ROWS = 6_000_000
"""Up to this many rows a warm session accepts a ledger. It also judges small ones, and a larger one
would fill its memory."""

PART_BYTES = 16 * 2**20
PART_ROWS = 2_000_000
"""A larger ledger is shuffled in partitions of this size. One task can hold one of them."""

_MIN_LINE_BYTES = 40
"""The least length of a line of JSON in a real ledger."""


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
        """The number of shuffle partitions for a ledger that is not small."""
        return max(self.bytes // PART_BYTES, self.rows // PART_ROWS)


def measure(ledger: Path) -> Size:
    """The size of a ledger, from its folder and the footers of its parts."""
    return Size(byte_count(ledger), row_count(ledger))


def byte_count(ledger: Path) -> int:
    """The total bytes of all files of a ledger; 0 for one that cannot be read."""
    return sum(
        (Path(folder) / name).stat().st_size
        for folder, _, names in os.walk(ledger)
        for name in names
        if (Path(folder) / name).is_file()
    )


def row_count(ledger: Path) -> int:
    """The number of rows in all tables: exact for Parquet, estimated for JSON lines.

    A table that cannot be read counts as empty here; reading it later raises the error.
    """
    try:
        return sum(_part_rows(part) for table in TABLES for part in parts.parts(ledger, table))
    except (MalformedLedger, OSError, RuntimeError):
        return 0


def _part_rows(part: Path) -> int:
    if part.suffix == ".jsonl":
        return part.stat().st_size // _MIN_LINE_BYTES
    try:
        return int(pq.read_metadata(part).num_rows)
    except (pa.ArrowException, OSError):
        return 0
