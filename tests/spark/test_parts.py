"""Attacks on the files of a ledger: each is refused, or the verdict is not `holds`."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from labs.engine.base.processes import ROOT
from labs.engine.judge.spark import spark_environment
from labs.engine.record.ledger import SCHEMAS, TableWriter, seal
from spark_jobs.judging import judge
from spark_jobs.parts import check
from spark_jobs.tables import MalformedLedger
from tests.spark.conftest import Judge, nightly
from tests.spark.ledgers import Tables, record, send, sound, write

_PART = "sends.parquet/producer-1-00000.parquet"


def _write_ledger(folder: Path) -> Path:
    """A ledger as a run writes it: the sends are in two parts, and one message is lost."""
    tables = sound(range(4), log=[record(n, n) for n in (0, 1, 2)])
    for table, rows in tables.items():
        if table == "sends":
            for part, part_rows in enumerate((rows[:2], rows[2:]), 1):
                TableWriter(folder, table, f"producer-{part}").flush_rows(part_rows)
        else:
            columns = SCHEMAS[table].names
            TableWriter(folder, table, "runner").flush_rows(
                [{name: row.get(name) for name in columns} for row in rows]
            )
    return folder


def _folder_among_parts(ledger: Path) -> None:
    there = ledger / "sends.parquet" / "outcome=fail"
    there.mkdir()
    (ledger / _PART).rename(there / "part.parquet")


def _link_loop(ledger: Path) -> None:
    (ledger / "sends.parquet" / "again").symlink_to(ledger / "sends.parquet")


def _both_formats(ledger: Path) -> None:
    (ledger / "sends.jsonl").write_text("")


def _gzip_file(ledger: Path) -> None:
    (ledger / "transactions.jsonl.gz").write_bytes(gzip.compress(b"{}"))


def _rename_part(name: str) -> Callable[[Path], object]:
    return lambda ledger: (ledger / _PART).rename(ledger / "sends.parquet" / name)


def _empty_part(ledger: Path) -> None:
    (ledger / _PART).write_bytes(b"")


def _truncate_part(ledger: Path) -> None:
    (ledger / _PART).write_bytes((ledger / _PART).read_bytes()[:-20])


def _remove_all_parts(ledger: Path) -> None:
    for part in (ledger / "sends.parquet").iterdir():
        part.unlink()


def _add_fifo(ledger: Path) -> None:
    os.mkfifo(ledger / "sends.parquet" / "pipe.parquet")


@pytest.mark.parametrize("sealed", [True, False], ids=["sealed", "unsealed"])
@pytest.mark.parametrize(
    ("attack", "message"),
    [
        (_empty_part, "empty"),
        (_truncate_part, "not a Parquet file"),
        pytest.param(_rename_part("_part.parquet"), "begins with", id="underscore"),
        pytest.param(_rename_part(".part.parquet"), "begins with", id="dot"),
        pytest.param(_rename_part("a:b.parquet"), "colon", id="colon"),
        (_folder_among_parts, "folder among the parts"),
        (_link_loop, "folder among the parts"),
        (_remove_all_parts, "holds no part"),
        (_add_fifo, "is not a file"),
        (_both_formats, "both"),
        (_gzip_file, "would not be read"),
    ],
)
def test_files_that_would_not_be_read_are_refused(
    tmp_path: Path, attack: Callable[[Path], object], message: str, sealed: bool
) -> None:
    ledger = _write_ledger(tmp_path / "ledger")
    if sealed:
        seal(ledger)
    attack(ledger)
    with pytest.raises(MalformedLedger, match=rf"{message}|was sealed|seal\b"):
        check(ledger)


def _remove_part(ledger: Path) -> None:
    (ledger / _PART).unlink()


def _add_part(ledger: Path) -> None:
    TableWriter(ledger, "log", "attacker").flush_rows([record(3, 3)])


def _replace_part(ledger: Path) -> None:
    TableWriter(ledger, "sends", "producer-1").flush_rows([send(0), send(9)])


def _add_table(ledger: Path) -> None:
    TableWriter(ledger, "transactions", "attacker").close()


def _remove_table(ledger: Path) -> None:
    for part in (ledger / "meta.parquet").iterdir():
        part.unlink()
    (ledger / "meta.parquet").rmdir()


def _break_seal(ledger: Path) -> None:
    (ledger / "seal.json").write_text('{"sealed": 1, "tables": [' + "[" * 100_000)


@pytest.mark.parametrize(
    "attack", [_remove_part, _add_part, _replace_part, _add_table, _remove_table, _break_seal]
)
def test_a_sealed_ledger_that_was_changed_is_refused(
    tmp_path: Path, attack: Callable[[Path], object]
) -> None:
    ledger = _write_ledger(tmp_path / "ledger")
    seal(ledger)
    assert check(ledger)
    attack(ledger)
    with pytest.raises(MalformedLedger, match="seal"):
        check(ledger)


def test_markers_of_other_tools_and_unfinished_parts_are_not_read(tmp_path: Path) -> None:
    ledger = _write_ledger(tmp_path / "ledger")
    for name in ("_SUCCESS", "._SUCCESS.crc", "_committed_4711", ".producer-9.parquet"):
        (ledger / "sends.parquet" / name).write_bytes(b"half")
    with pytest.raises(MalformedLedger, match="never finished"):
        check(ledger)
    assert not check(ledger, complete=True)
    seal(ledger)
    assert check(ledger)
    assert not (ledger / "sends.parquet" / ".producer-9.parquet").exists()


def test_a_loss_whose_sends_were_removed_is_unknown(spark: SparkSession, tmp_path: Path) -> None:
    ledger = _write_ledger(tmp_path / "ledger")
    assert judge(spark, ledger, "at-least-once")["verdict"] == "broken"
    (ledger / "sends.parquet" / "producer-2-00000.parquet").unlink()
    answer = judge(spark, ledger, "at-least-once")
    assert (answer["verdict"], answer["counts"]["phantom"]) == ("unknown", 2)
    assert "not sealed" in answer["reason"]


_SEND = {"producer": "p1", "value": 1, "outcome": "ok"}


@pytest.mark.parametrize(
    ("table", "rows", "message"),
    [
        ("meta", [{"seed": 1, "final_read_completed": True}] * 2, "more than one row"),
        nightly(
            "partitions",
            [{"topic": "t", "partition": 0, "log_start_offset": 1}],
            "log_start_offset",
        ),
        nightly("partitions", [{"log_start_offset": 2, "log_end_offset": 1}], "is before"),
        ("sends", [{**_SEND, "invoked_ns": 5, "completed_ns": 4}], "is before `invoked_ns`"),
        ("sends", [{**_SEND, "invoked_ns": -(2**62)}], "73 years"),
        nightly("sends", [{**_SEND, "offset": -1}], "`offset` is negative"),
        ("log", [record(-1, 0)], "`offset` is negative"),
        nightly("deliveries", [record(-5, 0)], "`offset` is negative"),
        nightly("commits", [{"offset": -1001}], "`offset` is negative"),
        nightly("effects", [{"value": 1, "applied": -1}], "`applied` is negative"),
        ("faults", [{"colour": "red"}], "no column"),
        ("faults", [{"fault": "run", "phase": "Failed"}], "`phase` is 'Failed', which is none of"),
        nightly("faults", [{"fault": "run"}], "`phase` is missing"),
        nightly("log", [{"value": 0}], "`offset` is missing"),
        ("state", [{"key": "a", "actual": 1}], "`expected` is missing"),
        nightly(
            "partitions", [{"topic": "t", "partition": 0}] * 2, "more than one row of a partition"
        ),
        ("partitions", [{"topic": "t", "partition": 0, "log_end_offset": 3}], "has offset 3"),
        ("log", [record(0, 0), record(1, 1, topic="u")], "value 1 was acknowledged in one topic"),
        nightly(
            "log",
            [record(0, 0), record(1, 1, partition=1)],
            "value 1 was acknowledged in one topic",
        ),
        ("sends", [_SEND, {**_SEND, "producer": "p2"}], "value 1 was sent by more than one"),
    ],
)
def test_contradicting_rows_are_refused(
    spark: SparkSession, tmp_path: Path, table: str, rows: list[dict[str, int]], message: str
) -> None:
    ledger = write(tmp_path / "ledger", {**sound(), table: rows})
    with pytest.raises(MalformedLedger, match=message):
        judge(spark, ledger)


def test_a_ledger_that_announces_a_seal_is_unknown_without_it(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Removing a part that has only lost messages leaves no other trace."""
    ledger = _write_ledger(tmp_path / "ledger")
    TableWriter(ledger, "meta", "runner").flush_rows(
        [{"final_read_completed": True, "seal_follows": True}]
    )
    TableWriter(ledger, "sends", "producer-2").flush_rows(sound()["sends"][2:3])
    seal(ledger)
    assert judge(spark, ledger, "at-least-once")["verdict"] == "holds"
    (ledger / "seal.json").unlink()
    answer = judge(spark, ledger, "at-least-once")
    assert answer["verdict"] == "unknown"
    assert "seals every ledger at the end" in answer["reason"]


def test_a_part_without_a_column_of_the_others_is_refused(tmp_path: Path) -> None:
    ledger = _write_ledger(tmp_path / "ledger")
    part = ledger / _PART
    table = pq.read_table(part, partitioning=None)
    pq.write_table(table.rename_columns({"transaction": "transactions"}), part)
    with pytest.raises(
        MalformedLedger, match=r"producer-1-00000\.parquet: no column `transaction`"
    ):
        check(ledger)


def test_a_copied_part_is_refused_and_two_empty_parts_are_not(tmp_path: Path) -> None:
    ledger = _write_ledger(tmp_path / "ledger")
    for name in ("producer-8", "producer-9"):
        TableWriter(ledger, "sends", name).close()
    assert not check(ledger)
    shutil.copy(ledger / _PART, ledger / "sends.parquet" / "producer-7-00000.parquet")
    with pytest.raises(MalformedLedger, match="is a copy of producer-1-00000"):
        check(ledger)


def _in_transaction(*outcomes: str) -> Tables:
    """A message of transaction `x` is lost; `transactions` has rows of it with these outcomes."""
    transactions = [{"transaction": "x", "outcome": outcome} for outcome in outcomes]
    sends = [*sound()["sends"][:3], send(3, topic="t", partition=0, offset=3, transaction="x")]
    log = [record(n, n) for n in range(3)]
    read: Tables = {"deliveries": [], "commits": []}
    return {**sound(), **read, "sends": sends, "log": log, "transactions": transactions}


def test_a_transaction_cannot_be_both_committed_and_aborted(judge_tables: Judge) -> None:
    for outcomes in (["committed"], ["unknown", "committed"], ["committed", "unknown"]):
        assert judge_tables(_in_transaction(*outcomes), "at-least-once")["verdict"] == "broken", (
            outcomes
        )
    assert judge_tables(_in_transaction("unknown"), "at-least-once")["counts"]["obliged"] == 3
    with pytest.raises(MalformedLedger, match="both as committed and as aborted"):
        judge_tables(_in_transaction("committed", "aborted"), "at-least-once")


def test_messages_of_unlisted_transactions_make_the_verdict_unknown(
    judge_tables: Judge,
) -> None:
    answer = judge_tables(_in_transaction(), "at-least-once")
    assert answer["verdict"] == "unknown"
    assert "1 message is in transactions" in answer["reason"]


@pytest.mark.parametrize(
    ("between", "message"),
    [
        ("", "Extra data"), (" ", "Extra data"), (",", "Extra data"), ("\0", "Extra data"),
        ("\f", "Extra data"), ("\r", "Extra data"),
    ],
)  # fmt: skip
def test_two_rows_in_one_line_are_refused(tmp_path: Path, between: str, message: str) -> None:
    """Spark would read the first and skip the second."""
    ledger = write(tmp_path / "ledger", sound(range(4), log=[record(n, n) for n in (0, 1, 2)]))
    lines = (ledger / "sends.jsonl").read_text().splitlines()
    lines[2:] = [f"{lines[2]}{between}{lines[3]}"]
    (ledger / "sends.jsonl").write_text("\n".join(lines))
    with pytest.raises(MalformedLedger, match=rf"line 3: this is not JSON: {message}"):
        check(ledger)


@pytest.mark.parametrize("more", ['"outcome": "fail"', '"value": 2'])
def test_a_repeated_name_in_a_row_is_refused(tmp_path: Path, more: str) -> None:
    ledger = write(tmp_path / "ledger", sound())
    text = (ledger / "sends.jsonl").read_text()
    (ledger / "sends.jsonl").write_text(text.rstrip("}\n") + ", " + more + "}\n")
    with pytest.raises(MalformedLedger, match=r"line 4: .* is there twice"):
        check(ledger)


def test_byte_order_marks_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    ledger = write(tmp_path / "ledger", sound())
    text = (ledger / "sends.jsonl").read_text()
    (ledger / "sends.jsonl").write_bytes(b"\xef\xbb\xbf" + text.replace("\n", "\r\n\r\n").encode())
    assert not check(ledger)


def test_a_malformed_ledger_does_not_stop_the_answers_for_others(tmp_path: Path) -> None:
    good = write(tmp_path / "a good: one", sound())
    deep = write(tmp_path / "deep", sound())
    (deep / "sends.jsonl").write_text('{"value": ' + "[" * 100_000 + "\n")
    latin = write(tmp_path / "latin", sound())
    (latin / "sends.jsonl").write_bytes(b'{"producer": "\xe9", "value": 1, "outcome": "ok"}\n')
    cut = write(tmp_path / "cut", sound())
    (cut / "log.jsonl").write_text('{"offset": 0, "value": 0}\n{"offset": 1, "va')
    footer = write(tmp_path / "footer", {})
    (footer / "log.parquet").write_bytes(b"PAR1" + b"\xff" * 40 + b"PAR1")
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    ledgers = [good, deep, latin, loop, cut, footer, good]
    program = [sys.executable, "spark_jobs/verify.py", *map(str, ledgers)]
    done = subprocess.run(
        program, env=spark_environment(), cwd=ROOT, capture_output=True, text=True, check=False
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert [answer["ledger"] for answer in answers] == list(map(str, ledgers))
    assert [answer.get("verdict", "error") for answer in answers] == [
        "holds", *["error"] * 5, "holds"
    ], done.stdout  # fmt: skip
    assert done.returncode == 2, done.stdout
