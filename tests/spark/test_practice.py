"""The practice ledgers that a warm session judges while it waits for requests."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from config.places import socket_path
from spark_jobs import practice, server
from spark_jobs.judging import judge

_TEXTS = {"producer", "topic", "outcome"}


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[server._Server]:
    """A server to which nobody connects."""
    started = server._Server(socket_path(tmp_path, "judge.sock"), requests=1)
    yield started
    started.server_close()
    shutil.rmtree(started.folder)


def test_only_the_owner_can_read_a_practice_ledger(spark: SparkSession, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    practice.write(spark, ledger, 10)
    written = [path for table in ledger.iterdir() for path in (table, *table.iterdir())]
    assert written
    assert not [path for path in written if path.stat().st_mode & 0o077]


def test_a_practice_ledger_has_every_anomaly(spark: SparkSession, tmp_path: Path) -> None:
    """An anomaly that practice lacks would be planned and compiled while a user waits."""
    practice.write(spark, tmp_path / "ledger", 2 * practice.RARE)
    counts = judge(spark, tmp_path / "ledger", small=True)["counts"]
    anomalies = (
        "lost_write",
        "duplicate",
        "redelivery",
        "reordered",
        "diverged",
        "nonmonotonic_poll",
    )
    assert {name: counts[name] for name in ("fail", *anomalies)} == dict.fromkeys(
        ("fail", *anomalies), 2
    )
    # A delivery in place of a record is a phantom, and that record is skipped.
    assert {name: counts[name] for name in ("info", "given_up", "phantom", "skipped")} == (
        dict.fromkeys(("info", "given_up", "phantom", "skipped"), 4)
    )
    assert counts["unavailable_ms"] > 1_900
    assert counts["blocked_ms"] > 1_900


def test_only_texts_have_dictionaries_as_in_a_recorded_ledger(
    spark: SparkSession, tmp_path: Path
) -> None:
    practice.write(spark, tmp_path / "ledger", 1_000)
    (part, *_) = (tmp_path / "ledger" / "sends.parquet").glob("*.parquet")
    columns = pq.read_metadata(part).row_group(0)
    dictionaries = {
        columns.column(k).path_in_schema: columns.column(k).has_dictionary_page
        for k in range(columns.num_columns)
    }
    assert dictionaries == {name: name in _TEXTS for name in dictionaries}
    assert dictionaries.keys() >= {"value", "invoked_ns", *_TEXTS}


@pytest.mark.thorough
def test_small_and_larger_practice_ledgers_alternate(
    spark: SparkSession, serving: server._Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    larger = 3 * practice.RARE
    monkeypatch.setattr(server, "LARGER_ROWS", larger)
    counts = [serving.practise(spark)["counts"] for _ in range(3)]
    assert [count["sent"] for count in counts] == [practice.ROWS, larger, practice.ROWS]
