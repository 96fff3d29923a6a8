"""What a warm session judges while nobody asks it anything."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from config.places import socket_path
from spark_jobs import practice, server


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[server._Server]:
    """A server to which nobody connects."""
    made = server._Server(socket_path(tmp_path, "judge.sock"), requests=1)
    yield made
    made.server_close()
    shutil.rmtree(made.folder)


def test_nobody_else_reads_what_spark_writes(spark: SparkSession, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    practice.write(spark, ledger, 10)
    written = [path for table in ledger.iterdir() for path in (table, *table.iterdir())]
    assert written
    assert not [path for path in written if path.stat().st_mode & 0o077]


@pytest.mark.thorough
def test_a_small_and_a_larger_ledger_are_judged_in_turn(
    spark: SparkSession, serving: server._Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    larger = 3 * practice.RARE
    monkeypatch.setattr(server, "LARGER_ROWS", larger)
    counts = [serving.practise(spark)["counts"] for _ in range(3)]
    assert [each["sent"] for each in counts] == [practice.ROWS, larger, practice.ROWS]
    assert [each["lost_write"] * practice.RARE for each in counts] == [
        each["sent"] for each in counts
    ]
