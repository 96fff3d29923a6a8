"""Ledgers without a seal that hide data from Spark: each is refused with the name of its file.

Each of them was made by hand. Before they were refused, their verdict was `holds`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark_jobs.parts import check
from spark_jobs.tables import MalformedLedger
from tests.spark.ledgers import Row, commit, delivery, record, sound, write

LOST = sound(
    range(4), log=[record(n, n) for n in range(3)],
    deliveries=[delivery(n, n) for n in range(3)], commits=[commit(3)],
)  # fmt: skip


def _parquet(path: Path, rows: Sequence[Row], **types: pa.DataType) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    names = sorted({name for row in rows for name in row})
    columns = {name: pa.array([row.get(name) for row in rows], types.get(name)) for name in names}
    pq.write_table(pa.table(columns), path, compression="none", use_dictionary=False)


def _replace(table: str, write_it: Callable[[Path], object]) -> Callable[[Path], object]:
    """Replaces the file of a table by what `write_it` writes."""

    def attack(ledger: Path) -> None:
        (ledger / f"{table}.jsonl").unlink()
        write_it(ledger)

    return attack


def _split_sends(name: str) -> Callable[[Path], object]:
    """Moves the send of the lost message to a part of this name."""

    def write_parts(ledger: Path) -> None:
        _parquet(ledger / "sends.parquet" / "part-0.parquet", LOST["sends"][:3])
        _parquet(ledger / "sends.parquet" / name, LOST["sends"][3:])

    return _replace("sends", write_parts)


def _add_sends_file(name: str) -> Callable[[Path], object]:
    return lambda ledger: (ledger / name).write_text(json.dumps(LOST["sends"][3]) + "\n")


def _link_commits(name: str) -> Callable[[Path], object]:
    """Makes the table of commits a link to a file of this name."""

    def attack(ledger: Path) -> None:
        (ledger / "commits.jsonl").rename(ledger / name)
        (ledger / "commits.jsonl").symlink_to(name)

    return attack


def _write_unfinished_part(ledger: Path) -> None:
    _split_sends("x.parquet")(ledger)
    whole = ledger / "sends.parquet" / "x.parquet"
    (ledger / "sends.parquet" / ".x.parquet").write_bytes(whole.read_bytes()[:-20])
    whole.unlink()


def _concatenate_parts(ledger: Path) -> None:
    """Two Parquet files in one; the last footer refers to the first."""
    files = [ledger / "a", ledger / "b"]
    for file, rows in zip(files, (LOST["sends"][:3], LOST["sends"][1:]), strict=True):
        _parquet(file, rows)
    (ledger / "sends.parquet").write_bytes(b"".join(file.read_bytes() for file in files))
    for file in files:
        file.unlink()


def _append_row(table: str, **changed: Any) -> Callable[[Path], object]:
    """Appends the last row of a table, changed."""
    row = {**LOST[table][-1], **changed}

    def attack(ledger: Path) -> None:
        with (ledger / f"{table}.jsonl").open("a") as file:
            file.write(json.dumps(row) + "\n")

    return attack


def _retype(table: str, name: str, kind: pa.DataType, convert: Any = lambda value: value) -> Any:
    rows = [{**row, name: convert(row[name])} for row in LOST[table]]
    return _replace(table, lambda at: _parquet(at / f"{table}.parquet", rows, **{name: kind}))


def _rename(ledger: Path) -> None:
    rows = [{**row, "transactionState": "aborted"} for row in LOST["log"]]
    _parquet(ledger / "log.parquet", rows)


def _repeat_column(ledger: Path) -> None:
    names = ["group", "topic", "partition", "offset", "offset", "outcome"]
    row: tuple[Any, ...] = ("g", "t", 0, 1, 4, "ok")
    columns = [pa.array([value]) for value in row]
    pq.write_table(pa.table(columns, names), ledger / "commits.parquet")


def _seal_with_two_lists(ledger: Path) -> None:
    (ledger / "seal.json").write_text('{"sealed": 1, "tables": {"sends": {}}, "tables": {}}')


def _seal_is_a_pipe(ledger: Path) -> None:
    os.mkfifo(ledger / "seal.json")


_NOT_TEXTS: tuple[Any, ...] = (False, 0, [], {})
ATTACKS: dict[str, tuple[Callable[[Path], object], str]] = {
    **{
        f"a part named {name}": (_split_sends(name), "is not read")
        for name in (
            "_committed_7", "_started_7", "_SUCCESS", "_metadata", ".part-1.crc",
            "part-1.parquet._COPYING_",
        )
    },
    **{
        f"a file named {name}": (_add_sends_file(name), "this would not be read")
        for name in ("sends-2.jsonl", "sends_1.jsonl", "sends2.ndjson", "Sends (1).jsonl")
    },
    **{
        f"a link to {name}": (_link_commits(name), f"leads to {name}, which would not be read")
        for name in ("_c.jsonl", ".c.jsonl", "c.bz2", "c.gz")
    },
    "a torn part": (_write_unfinished_part, r"\.x\.parquet: this part was never finished"),
    "two files in one": (_replace("sends", _concatenate_parts), "more than one Parquet file"),
    "a name in capitals": (
        _append_row("log", Transaction_State="aborted"), "the column is `transaction_state`",
    ),
    "a name without underscore": (
        _append_row("log", transactionState="aborted"), "the column is `transaction_state`",
    ),
    "a name in two cases": (
        _append_row("commits", outcome="fail", Outcome="ok"), "the column is `outcome`",
    ),
    **{
        f"evidence {value}": (_append_row("faults", evidence=value), "must be a text")
        for value in _NOT_TEXTS
    },
    "half a character": (_append_row("log", topic="\ud800"), "must be a text of whole characters"),
    "another name in Parquet": (_replace("log", _rename), "the column is `transaction_state`"),
    "a column twice": (_replace("commits", _repeat_column), "column `offset` is there twice"),
    "hundredths": (
        _retype("sends", "value", pa.decimal128(18, 2), Decimal), "wrong type: decimal128",
    ),
    "microseconds": (
        _retype("sends", "completed_ns", pa.timestamp("us")), r"wrong type: timestamp\[us\]",
    ),
    "a time of day": (_retype("sends", "offset", pa.time64("us")), r"wrong type: time64\[us\]"),
    "a date": (_retype("log", "value", pa.date32()), "wrong type: date32"),
    "a seal with two lists": (_seal_with_two_lists, "not the seal of a ledger"),
    "a seal that is a pipe": (_seal_is_a_pipe, "is not a file"),
}  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS)
def test_data_that_spark_would_not_read_is_refused(tmp_path: Path, name: str) -> None:
    attack, message = ATTACKS[name]
    ledger = write(tmp_path / "ledger", LOST)
    assert not check(ledger)
    attack(ledger)
    with pytest.raises(MalformedLedger, match=message):
        check(ledger)


def test_a_footer_that_states_fewer_rows_than_its_part_has_is_refused(tmp_path: Path) -> None:
    """Readers believe the footer, whatever the columns hold."""
    ledger = write(tmp_path / "ledger", LOST)
    part = ledger / "sends.parquet"
    _replace("sends", lambda _: _parquet(part, [{"value": n, "outcome": "ok"} for n in range(99)]))(
        ledger
    )
    assert not check(ledger)
    # Thrift writes 99 as the zigzag varint c6 01; its last occurrence belongs to the row group.
    data = part.read_bytes()
    at = data.rindex(b"\x16\xc6\x01")
    part.write_bytes(data[:at] + b"\x16\xc4\x01" + data[at + 3 :])
    with pytest.raises(MalformedLedger, match=r"footer states 9[89] rows"):
        check(ledger)


def test_equivalent_parquet_types_are_read(tmp_path: Path) -> None:
    """Integers of other widths, a dictionary of texts, a link, and unknown columns."""
    ledger = write(tmp_path / "ledger", LOST)
    rows = [{**row, "transactional": True, "value 2": 1.5} for row in LOST["sends"]]
    _retype("log", "partition", pa.int32())(ledger)
    _replace("sends", lambda at: _parquet(
        at / "elsewhere.parquet", rows, value=pa.uint32(), partition=pa.int8(),
        producer=pa.dictionary(pa.int32(), pa.string()),
    ))(ledger)  # fmt: skip
    (ledger / "sends.parquet").symlink_to("elsewhere.parquet")
    (ledger / "login.jsonl").write_text("none of ours")
    assert not check(ledger)
