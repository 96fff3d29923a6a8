"""A large ledger is sieved first; the answer must be the one that it gets message by message."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs import judging, sieve
from spark_jobs.judging import judge
from spark_jobs.size import SMALL_ROWS
from spark_jobs.survey import Survey
from tests.oracle import Oracle
from tests.spark.ledgers import MS, write
from tests.spark.planting import SOUND_VALUES, history, mostly_sound

HISTORIES = 3


@pytest.fixture
def sieved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many values were set aside of each ledger that is judged."""
    sound: list[int] = []

    def spy(seen: Survey) -> Survey:
        result = sieve.sieve(seen)
        sound.append(result.sound)
        return result

    monkeypatch.setattr(judging, "sieve", spy)
    return sound


def test_sieved_or_not_the_answer_is_the_same(
    spark: SparkSession, tmp_path: Path, sieved: list[int]
) -> None:
    tables = mostly_sound(range(HISTORIES), anomalies=10)
    # Of two records at one offset, the one that says it was aborted is no plain one.
    tables["log"].append({**tables["log"][7], "value": 999, "transaction_state": "aborted"})
    for row in tables["deliveries"]:
        if (row["group"], row["partition"]) == ("g0", 1) and row["time_ns"]:
            row["time_ns"] += 30 * MS  # nothing is odd about a partition that is read later
    ledger = write(tmp_path / "ledger", tables)
    small = judge(spark, ledger)
    wanted = Oracle(tables).counts()
    assert wanted["key_reordered"] > SOUND_VALUES / 10
    assert {name: small["counts"][name] for name in wanted} == wanted
    assert min(small["counts"][name] for name in ("unavailable_ms", "blocked_ms")) > 1_000
    for large in (False, True):
        assert judge(spark, ledger, small=False, large=large) == small
    assert len(sieved) == 2
    assert min(sieved) > HISTORIES * SOUND_VALUES / 10


@pytest.mark.parametrize(("most", "few"), [(0, False), (SMALL_ROWS, True)])
def test_few_odd_rows_are_one_task(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, few: bool
) -> None:
    odd: list[int] = []

    def spy(seen: Survey) -> Survey:
        result = sieve.sieve(seen)
        table = seen.views.session.table
        odd.extend(table(name).rdd.getNumPartitions() for name in ("sends", "log", "deliveries"))
        return result

    monkeypatch.setattr(judging, "sieve", spy)
    monkeypatch.setattr(sieve, "SMALL_ROWS", most)
    ledger = write(tmp_path / "ledger", mostly_sound(range(HISTORIES), anomalies=10))
    assert judge(spark, ledger, small=False) == judge(spark, ledger)
    assert (set(odd) == {1}) is few


@pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_what_cannot_be_sieved_is_counted_whole(
    spark: SparkSession, tmp_path: Path, sieved: list[int], large: bool
) -> None:
    """Compacted topics, transactions: by the same definitions, over bundles."""
    histories = [history(seed, seed, frozenset({"transactions"})) for seed in range(20)]
    tables = {table: [row for one in histories for row in one[table]] for table in histories[0]}
    ledger, wanted = write(tmp_path / "ledger", tables), Oracle(tables).counts()
    counts = judge(spark, ledger, small=False, large=large)["counts"]
    assert {name: counts[name] for name in wanted} == wanted
    assert sieved == [0]
