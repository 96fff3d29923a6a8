"""A malformed ledger is an error that names the place; sound ledgers are read in every format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark_jobs import command
from spark_jobs.judging import judge
from spark_jobs.tables import MalformedLedger
from tests.spark.ledgers import record, send, sound, write

_VALID_LINE = '{"value": 1, "outcome": "ok"}\n'


@pytest.mark.parametrize(
    ("table", "text", "message"),
    [
        (
            "sends",
            _VALID_LINE + '{"value": 2, "outcome"\n',
            r"sends\.jsonl, line 2: this is not JSON",
        ),
        ("sends", _VALID_LINE + "\n" + "[1]\n", r"sends\.jsonl, line 3: this is not a JSON object"),
        ("sends", '{"value": "1", "outcome": "ok"}\n', r"line 1: `value` is \"1\""),
        ("sends", '{"value": 1.5, "outcome": "ok"}\n', r"line 1: `value` is 1.5"),
        ("sends", '{"value": 9223372036854775808, "outcome": "ok"}\n', "64 bits"),
        (
            "sends",
            _VALID_LINE + '{"value": 2, "outcome": "maybe"}\n',
            r"line 2: `outcome` is 'maybe'",
        ),
        ("sends", _VALID_LINE + '{"outcome": "ok"}\n', r"line 2: `value` is missing"),
        ("sends", '{"value": 1}\n', r"line 1: `outcome` is missing"),
        ("log", '{"offset": true, "value": 1}\n', r"log\.jsonl, line 1: `offset` is true"),
        ("transactions", '{"transaction": "a", "outcome": "ok"}\n', r"`outcome` is 'ok'"),
        ("meta", '{"final_read_completed": "yes"}\n', "must be true or false"),
    ],
)
def test_the_error_names_the_malformed_line(
    spark: SparkSession, tmp_path: Path, table: str, text: str, message: str
) -> None:
    ledger = write(tmp_path / "ledger", sound())
    (ledger / f"{table}.jsonl").write_text(text, encoding="utf-8")
    with pytest.raises(MalformedLedger, match=message):
        judge(spark, ledger)


def test_the_error_names_a_missing_folder(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(MalformedLedger, match="nowhere is not a folder"):
        judge(spark, tmp_path / "nowhere")


def test_missing_folders_are_reported_before_spark_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "start", lambda *_: pytest.fail("Spark was started"))
    paths = [str(tmp_path / "nowhere"), str(tmp_path / "slip/")]
    assert command.run(paths) == command.BAD_INPUT
    answers = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [answer["ledger"] for answer in answers] == paths
    assert [answer["error"] for answer in answers] == [
        f"{Path(path)} is not a folder" for path in paths
    ]


def _parquet(path: Path, **columns: list[Any]) -> None:
    pq.write_table(pa.table(columns), path)


def test_the_error_names_a_parquet_column_of_the_wrong_type(
    spark: SparkSession, tmp_path: Path
) -> None:
    _parquet(tmp_path / "sends.parquet", value=["a"], outcome=["ok"])
    with pytest.raises(MalformedLedger, match=r"sends\.parquet.*column `value`"):
        judge(spark, tmp_path)


def test_the_error_names_a_missing_parquet_column(spark: SparkSession, tmp_path: Path) -> None:
    _parquet(tmp_path / "sends.parquet", value=[1])
    with pytest.raises(MalformedLedger, match=r"sends\.parquet.*`outcome` is missing"):
        judge(spark, tmp_path)


def test_the_error_names_a_file_that_is_not_parquet(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "log.parquet").write_text("not at all", encoding="utf-8")
    with pytest.raises(MalformedLedger, match=r"log\.parquet"):
        judge(spark, tmp_path)


def test_parquet_files_folders_and_json_lines_are_read_alike(
    spark: SparkSession, tmp_path: Path
) -> None:
    """Unknown columns, missing optional columns and brackets in a path make no difference."""
    ledger = tmp_path / "a [b] {c}*"
    write(ledger, {"deliveries": [], "commits": [{"offset": 0, "outcome": "ok", "colour": "red"}]})
    _parquet(ledger / "sends.parquet", value=[0, 1, 2], outcome=["ok"] * 3, colour=["red"] * 3)
    (ledger / "log.parquet").mkdir()
    for part in (0, 1):
        columns = {"value": pa.array([part], pa.int32()), "offset": pa.array([part])}
        pq.write_table(pa.table(columns), ledger / "log.parquet" / f"part-{part}.parquet")
    counts = judge(spark, ledger)["counts"]
    assert (counts["sent"], counts["in_log"], counts["lost_write"]) == (3, 2, 1)
    assert counts["unseen"] == 2


def test_an_absent_table_is_not_judged_and_an_empty_one_is(
    spark: SparkSession, tmp_path: Path
) -> None:
    sends = [send(0), send(1)]
    absent = judge(spark, write(tmp_path / "absent", {"sends": sends}))["counts"]
    assert {absent[name] for name in ("in_log", "lost_write", "duplicate", "skipped")} == {None}
    assert (absent["sent"], absent["redelivery"], absent["effect_missing"]) == (2, None, None)
    empty = write(tmp_path / "empty", {"sends": sends, "log": [], "deliveries": [], "commits": []})
    counts = judge(spark, empty)["counts"]
    assert (counts["in_log"], counts["lost_write"], counts["redelivery"]) == (0, 2, 0)
    assert (counts["expired"], counts["effect_missing"]) == (None, None)


def test_without_recorded_commits_skipped_is_not_judged(
    spark: SparkSession, tmp_path: Path
) -> None:
    tables = sound(log=[record(0, 0)])
    del tables["commits"]
    assert judge(spark, write(tmp_path / "ledger", tables))["counts"]["skipped"] is None


def test_a_folder_without_tables_is_unknown(spark: SparkSession, tmp_path: Path) -> None:
    answer = judge(spark, tmp_path)
    assert answer["verdict"] == "unknown"
    assert set(answer["counts"].values()) == {None}
