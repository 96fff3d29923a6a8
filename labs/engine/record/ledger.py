"""The record of a run: one folder, one table a file, schemas as in `docs/ledger.md`.

Times are nanoseconds of one monotonic clock (`time.monotonic_ns`, which all processes of a
machine share), offsets and values int64. A table is a folder of Parquet parts, each written
under a temporary name and renamed, so that a reader or a crash never meets half a part.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

VERSION = 1
"""Version of the schemas; raised when a column changes its meaning."""

SEAL = "seal.json"
"""The file that ends a ledger: what each of its parts was when the run was over."""

_INT64 = pa.int64()
_TEXT = pa.string()
_INT32 = pa.int32()


def _schema(**columns: pa.DataType) -> pa.Schema:
    return pa.schema(list(columns.items()), metadata={"ledger_version": str(VERSION)})


SCHEMAS: Mapping[str, pa.Schema] = {
    "sends": _schema(
        producer=_TEXT,
        value=_INT64,
        topic=_TEXT,
        partition=_INT32,
        key=_TEXT,
        transaction=_TEXT,
        invoked_ns=_INT64,
        completed_ns=_INT64,
        outcome=_TEXT,
        offset=_INT64,
        error=_TEXT,
        cut_off=pa.bool_(),
    ),
    "transactions": _schema(
        transaction=_TEXT,
        producer=_TEXT,
        began_ns=_INT64,
        ended_ns=_INT64,
        outcome=_TEXT,
    ),
    "log": _schema(
        topic=_TEXT,
        partition=_INT32,
        offset=_INT64,
        value=_INT64,
        leader_epoch=_INT32,
        transaction_state=_TEXT,
        replica=_INT32,
    ),
    "deliveries": _schema(
        consumer=_TEXT,
        group=_TEXT,
        isolation=_TEXT,
        assignment=_TEXT,
        poll=_INT64,
        topic=_TEXT,
        partition=_INT32,
        offset=_INT64,
        value=_INT64,
        time_ns=_INT64,
    ),
    "commits": _schema(
        consumer=_TEXT,
        group=_TEXT,
        topic=_TEXT,
        partition=_INT32,
        offset=_INT64,
        outcome=_TEXT,
        time_ns=_INT64,
    ),
    "effects": _schema(sink=_TEXT, value=_INT64, applied=_INT64, time_ns=_INT64),
    "state": _schema(store=_TEXT, key=_TEXT, expected=_INT64, actual=_INT64),
    "faults": _schema(fault=_TEXT, target=_TEXT, phase=_TEXT, time_ns=_INT64, evidence=_TEXT),
    "telemetry": _schema(
        time_ns=_INT64,
        topic=_TEXT,
        partition=_INT32,
        leader=_INT32,
        isr=pa.list_(_INT32),
        elr=pa.list_(_INT32),
        leader_epoch=_INT32,
        high_watermark=_INT64,
        last_stable_offset=_INT64,
        log_end_offset=_INT64,
        replica=_INT32,
        committed=_INT64,
        brokers=_TEXT,
        sent=_INT64,
        acknowledged=_INT64,
        failed=_INT64,
        delivered=_INT64,
    ),
    "partitions": _schema(
        topic=_TEXT,
        partition=_INT32,
        log_start_offset=_INT64,
        log_end_offset=_INT64,
        cleanup_policy=_TEXT,
    ),
    "meta": _schema(
        final_read_completed=pa.bool_(),
        given_up_breaks=pa.bool_(),
        effects_decide=pa.bool_(),
        seed=_INT64,
        scenario=_TEXT,
        arm=_TEXT,
        settings=_TEXT,
        versions=_TEXT,
        machine=_TEXT,
        shortened=_TEXT,
        wall_start=_TEXT,
    ),
}


def _array(column: Sequence[Any] | pa.Array[Any], kind: pa.DataType) -> pa.Array[Any]:
    return column.cast(kind) if isinstance(column, pa.Array) else pa.array(column, type=kind)


class TableWriter:
    """Appends rows to one table of one ledger; each `flush` makes one part.

    `part` names the writer (`producer-1`), so that several processes can write one table.
    """

    def __init__(self, ledger: Path, table: str, part: str) -> None:
        self._schema = SCHEMAS[table]
        self._texts = [
            name for name in self._schema.names if self._schema.field(name).type == _TEXT
        ]
        self._folder = ledger / f"{table}.parquet"
        self._folder.mkdir(parents=True, exist_ok=True)
        self._part = part
        self._parts = 0

    def flush(self, columns: Mapping[str, Sequence[Any] | pa.Array[Any]]) -> None:
        """Writes columns of equal length as one part; columns left out become null."""
        rows = len(next(iter(columns.values()), ()))
        arrays = [
            _array(columns[name] if name in columns else [None] * rows, kind)
            for name, kind in zip(self._schema.names, self._schema.types, strict=True)
        ]
        table = pa.Table.from_arrays(arrays, schema=self._schema)
        name = f"{self._part}-{self._parts:05d}.parquet"
        # Spark and pyarrow pass over names that begin with a dot, so a torn part is never read.
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
        """Makes a part without rows if there is none: "nothing happened" is a fact, too."""
        if self._parts == 0:
            self.flush({})


class NotAsSealed(Exception):
    """A sealed ledger whose parts are not what they were; the message names one."""


def check_seal(ledger: Path) -> None:
    """Raises `NotAsSealed` for a part that was changed, added or taken away since."""
    tables = json.loads((ledger / SEAL).read_text("utf-8"))["tables"]
    sealed = {name: part for table in tables.values() for name, part in table.items()}
    there = {part.relative_to(ledger).as_posix(): part for part in ledger.glob("*.parquet/[!._]*")}
    for name in sorted(sealed.keys() | there.keys()):
        if name not in sealed or name not in there:
            raise NotAsSealed(f"{ledger / name} was {'added' if name in there else 'taken away'}")
        if hashlib.sha256(there[name].read_bytes()).hexdigest() != sealed[name]["sha256"]:
            raise NotAsSealed(f"{ledger / name} was changed")


def seal(ledger: Path) -> None:
    """Ends a ledger: for each part its rows, bytes and SHA-256, in `seal.json`.

    Call it when nobody writes any more, and again if a row came after all. What `verify` finds
    different from then on it refuses. A part that its writer never finished is removed, since it
    holds nothing.
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
