"""The record of a run: a folder with one table per file, as in `spark_jobs.ledger_schema`.

Times are nanoseconds of one monotonic clock (`time.monotonic_ns`, which all processes of a
machine share). Offsets and values are int64. A table is a folder of Parquet parts. Each part is
written under a temporary name and then renamed, so a reader never sees half a part, not even
after a crash.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from spark_jobs.ledger_schema import LEDGER, VERSION, Kind

SEAL = "seal.json"
"""The file that ends a ledger: the size and hash of each of its parts at the end of the run."""

_ARROW: Mapping[Kind, pa.DataType] = {
    "text": pa.string(), "int64": pa.int64(), "int32": pa.int32(), "boolean": pa.bool_(),
    "int32 list": pa.list_(pa.int32()),
}  # fmt: skip

SCHEMAS: Mapping[str, pa.Schema] = {
    name: pa.schema(
        [(column, _ARROW[item.kind]) for column, item in table.columns.items()],
        metadata={"ledger_version": str(VERSION)},
    )
    for name, table in LEDGER.items()
}
"""The schema in which each table is written."""


def _array(column: Sequence[Any] | pa.Array[Any], kind: pa.DataType) -> pa.Array[Any]:
    return column.cast(kind) if isinstance(column, pa.Array) else pa.array(column, type=kind)


class TableWriter:
    """Appends rows to one table of one ledger; each `flush` makes one part.

    `part` names the writer (`producer-1`), so that several processes can write one table.
    """

    def __init__(self, ledger: Path, table: str, part: str) -> None:
        self._schema = SCHEMAS[table]
        self._texts = [
            name for name in self._schema.names if self._schema.field(name).type == pa.string()
        ]
        self._folder = ledger / f"{table}.parquet"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._part = part
        self._parts = 0

    def flush(self, columns: Mapping[str, Sequence[Any] | pa.Array[Any]]) -> None:
        """Writes columns of equal length as one part; missing columns become null."""
        rows = len(next(iter(columns.values()), ()))
        arrays = [
            _array(columns[name] if name in columns else [None] * rows, kind)
            for name, kind in zip(self._schema.names, self._schema.types, strict=True)
        ]
        table = pa.Table.from_arrays(arrays, schema=self._schema)
        name = f"{self._part}-{self._parts:05d}.parquet"
        # Spark and pyarrow skip names that begin with a dot, so a torn part is never read.
        hidden = self._folder / f".{name}"
        # A dictionary of numbers that never repeat would take most of the time, and no less space.
        texts: Any = self._texts  # the stubs know only the other type, a bool
        pq.write_table(table, hidden, use_dictionary=texts)
        hidden.replace(self._folder / name)
        self._parts += 1

    def flush_rows(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Writes rows as one part; for the small tables."""
        self.flush({name: [row.get(name) for row in rows] for name in self._schema.names})

    def close(self) -> None:
        """Writes an empty part if there were no rows, because "nothing happened" is a fact too."""
        if self._parts == 0:
            self.flush({})


class NotAsSealed(Exception):
    """A sealed ledger whose parts have changed; the message names one part."""


def check_seal(ledger: Path) -> None:
    """Raises `NotAsSealed` if a part was changed, added or removed since the ledger was sealed."""
    tables = json.loads((ledger / SEAL).read_text("utf-8"))["tables"]
    sealed = {name: part for table in tables.values() for name, part in table.items()}
    parts = {part.relative_to(ledger).as_posix(): part for part in ledger.glob("*.parquet/[!._]*")}
    for name in sorted(sealed.keys() | parts.keys()):
        if name not in sealed or name not in parts:
            raise NotAsSealed(f"{ledger / name} was {'added' if name in parts else 'removed'}")
        if hashlib.sha256(parts[name].read_bytes()).hexdigest() != sealed[name]["sha256"]:
            raise NotAsSealed(f"{ledger / name} was changed")


def seal(ledger: Path) -> None:
    """Ends a ledger: writes the rows, bytes and SHA-256 of each part to `seal.json`.

    Call it when all writers have ended, and again if another row was written. `verify` refuses a
    ledger that differs from its seal. A part that its writer did not finish is removed, because it
    contains nothing.
    """
    for torn in ledger.glob("*.parquet/.*.parquet"):
        torn.unlink()
    tables = {
        folder.stem: {
            part.relative_to(ledger).as_posix(): {
                "rows": pq.read_metadata(part).num_rows,
                "bytes": part.stat().st_size,
                "sha256": hashlib.sha256(part.read_bytes()).hexdigest(),
            }
            for part in sorted(folder.glob("[!._]*"))
        }
        for folder in sorted(ledger.glob("*.parquet"))
    }
    hidden = ledger / ".seal.json.new"
    hidden.write_text(json.dumps({"sealed": 1, "tables": tables}, indent=1) + "\n", "utf-8")
    hidden.replace(ledger / SEAL)
