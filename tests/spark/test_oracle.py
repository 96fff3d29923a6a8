"""Spark against the oracle on random histories, many of them in one ledger.

Counts add up over histories that share nothing, so Spark judges a hundred of them in one ledger,
and is held against the sum of what the oracle says of each alone. What Hypothesis shrinks is the
list, down to the one that differs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyspark.sql import SparkSession

from spark_jobs.groups import MOST_MEMBERS
from spark_jobs.judging import judge
from tests.oracle import Oracle
from tests.oracle_answers import groups
from tests.spark.ledgers import write
from tests.spark.planting import History, history

HISTORIES = 100
_MODES = (frozenset({"transactions"}), frozenset({"transactions", "replicas"}), frozenset[str]())
_SEEDS = st.lists(st.integers(0, 2**32), min_size=1, max_size=HISTORIES)


def _together(histories: list[History]) -> History:
    return {name: [row for history in histories for row in history[name]] for name in histories[0]}


def _comparable(groups: list[Mapping[str, Any]]) -> dict[str, Any]:
    """What an answer says of groups, as the oracle does."""
    return {
        group["reader"]: (
            {consumer["consumer"]: consumer["deliveries"] for consumer in group["consumers"]},
            {item["times"]: item["records"] for item in group["again"]},
        )
        for group in groups
    }


def _differences(counted: Mapping[str, Any], wanted: Mapping[str, int]) -> dict[str, Any]:
    return {name: (counted[name], n) for name, n in wanted.items() if counted[name] != n}


Agree = Callable[[list[int], frozenset[str]], Mapping[str, int]]


@pytest.fixture
def agree(spark: SparkSession, tmp_path: Path) -> Agree:
    """Judges the histories of some seeds, and returns what both counted in them."""
    runs = count()

    def agree(seeds: list[int], modes: frozenset[str]) -> Mapping[str, int]:
        histories = [history(seed, n, modes) for n, seed in enumerate(seeds)]
        tables = _together(histories)
        wanted: Counter[str] = Counter()
        for row in histories:
            wanted.update(Oracle(row).counts())
        answer = judge(spark, write(tmp_path / str(next(runs)), tables))
        data, whole = _comparable(answer["groups"]), groups(tables)
        assert len(data) == min(len(whole), MOST_MEMBERS)
        assert data.items() <= whole.items()
        assert _differences(answer["counts"], wanted) == {}, "name: (Spark's count, the oracle's)"
        return wanted

    return agree


def test_spark_and_the_oracle_agree(agree: Agree) -> None:
    seen: Counter[str] = Counter()
    for number, modes in enumerate(_MODES):
        seen.update(agree([number * 10_000 + seed for seed in range(HISTORIES)], modes))
    # Else the agreement would be one about nothing.
    assert {name for name, count in seen.items() if not count} == set()


def test_they_agree_on_histories_that_nobody_chose(agree: Agree) -> None:
    def drawn(seeds: list[int], modes: frozenset[str]) -> None:
        agree(seeds, modes)

    checked = given(_SEEDS, st.sampled_from(_MODES))(drawn)
    settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))(checked)()
