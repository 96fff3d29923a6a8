"""A large ledger is sieved first; the answer must be the same as without the sieve."""

from __future__ import annotations

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark_jobs import judging, sieve
from spark_jobs.counts import order
from spark_jobs.judging import judge
from spark_jobs.size import SMALL_ROWS
from spark_jobs.survey import Survey
from tests.oracle import Oracle
from tests.spark.ledgers import MS, write
from tests.spark.planting import SOUND_VALUES, history, mostly_sound

HISTORIES = 3


@pytest.fixture
def sieved(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of values that the sieve set aside, per judged ledger."""
    sound: list[int] = []

    def spy(surveyed: Survey) -> Survey:
        result = sieve.sieve(surveyed)
        sound.append(result.sound)
        return result

    monkeypatch.setattr(judging, "sieve", spy)
    return sound


def test_the_answer_is_the_same_with_and_without_the_sieve(
    spark: SparkSession, tmp_path: Path, sieved: list[int]
) -> None:
    tables = mostly_sound(range(HISTORIES), anomalies=10)
    # Two records at one offset are not sound when one of them was aborted.
    tables["log"].append({**tables["log"][7], "value": 999, "transaction_state": "aborted"})
    for row in tables["deliveries"]:
        if (row["group"], row["partition"]) == ("g0", 1) and row["time_ns"]:
            row["time_ns"] += 30 * MS  # a partition that is read later is not odd
    ledger = write(tmp_path / "ledger", tables)
    small = judge(spark, ledger)
    expected = Oracle(tables).counts()
    assert expected["key_reordered"] > SOUND_VALUES / 10
    assert {name: small["counts"][name] for name in expected} == expected
    assert min(small["counts"][name] for name in ("unavailable_ms", "blocked_ms")) > 1_000
    for large in (False, True):
        assert judge(spark, ledger, small=False, large=large) == small
    assert len(sieved) == 2
    assert min(sieved) > HISTORIES * SOUND_VALUES / 10


def test_values_are_ordered_where_they_are_in_the_log(spark: SparkSession, tmp_path: Path) -> None:
    """A producer that got no answer does not know in which partition its values are."""
    tables = mostly_sound(range(1), anomalies=10)
    send = {**tables["sends"][0], "producer": "unanswered", "transaction": None}
    send |= {"outcome": "info", "partition": None, "offset": None, "completed_ns": None}
    record = max((row for row in tables["log"] if row["partition"] == 1), key=lambda r: r["offset"])
    for number, value in enumerate((10**9, 10**9 + 1)):
        tables["sends"].append({**send, "value": value, "invoked_ns": send["invoked_ns"] + number})
        tables["log"].append({**record, "value": value, "offset": record["offset"] + 2 - number})
    ledger, expected = write(tmp_path / "ledger", tables), Oracle(tables).counts()
    answer = judge(spark, ledger, small=False)
    assert answer == judge(spark, ledger)
    assert answer["counts"]["reordered"] == expected["reordered"]
    assert "unanswered" in {row["producer"] for row in answer["examples"]["reordered"]}


def test_streams_with_the_same_hash_are_not_judged_as_one(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(order, "STREAM_HASH", "0L")
    ledger = write(tmp_path / "ledger", mostly_sound(range(1), anomalies=10))
    with pytest.raises(Exception, match="two streams have the same hash"):
        judge(spark, ledger, small=False)


@pytest.mark.parametrize(("most", "few"), [(0, False), (SMALL_ROWS, True)])
def test_few_odd_rows_are_put_into_one_task(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int, few: bool
) -> None:
    odd: list[int] = []

    def spy(surveyed: Survey) -> Survey:
        result = sieve.sieve(surveyed)
        table = surveyed.views.session.table
        odd.extend(table(name).rdd.getNumPartitions() for name in ("sends", "log", "deliveries"))
        return result

    monkeypatch.setattr(judging, "sieve", spy)
    monkeypatch.setattr(sieve, "SMALL_ROWS", most)
    ledger = write(tmp_path / "ledger", mostly_sound(range(HISTORIES), anomalies=10))
    assert judge(spark, ledger, small=False) == judge(spark, ledger)
    assert (set(odd) == {1}) is few


@pytest.mark.parametrize("large", [False, pytest.param(True, marks=pytest.mark.thorough)])
def test_a_ledger_that_cannot_be_sieved_is_counted_as_a_whole(
    spark: SparkSession, tmp_path: Path, sieved: list[int], large: bool
) -> None:
    """Compacted topics and transactions are counted by the same definitions, in bundles."""
    histories = [history(seed, seed, frozenset({"transactions"})) for seed in range(20)]
    tables = {table: [row for one in histories for row in one[table]] for table in histories[0]}
    ledger, expected = write(tmp_path / "ledger", tables), Oracle(tables).counts()
    counts = judge(spark, ledger, small=False, large=large)["counts"]
    assert {name: counts[name] for name in expected} == expected
    assert sieved == [0]
