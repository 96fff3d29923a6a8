"""Spark is compared with the oracle on random histories, many of them in one ledger.

Counts add up over histories that share nothing. So Spark judges a hundred of them in one ledger,
and its counts are compared with the sum of the oracle's counts of each. Hypothesis shrinks the
list of histories down to the one that differs.
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


def _merge(histories: list[History]) -> History:
    return {name: [row for history in histories for row in history[name]] for name in histories[0]}


def _comparable(groups: list[Mapping[str, Any]]) -> dict[str, Any]:
    """The groups of an answer, in the form in which the oracle gives them."""
    return {
        group["reader"]: (
            {consumer["consumer"]: consumer["deliveries"] for consumer in group["consumers"]},
            {item["times"]: item["records"] for item in group["again"]},
        )
        for group in groups
    }


def _differences(counted: Mapping[str, Any], expected: Mapping[str, int]) -> dict[str, Any]:
    return {name: (counted[name], n) for name, n in expected.items() if counted[name] != n}


Agree = Callable[[list[int], frozenset[str]], Mapping[str, int]]


@pytest.fixture
def agree(spark: SparkSession, tmp_path: Path) -> Agree:
    """Judges the histories of these seeds and returns the counts, on which both must agree."""
    runs = count()

    def agree(seeds: list[int], modes: frozenset[str]) -> Mapping[str, int]:
        histories = [history(seed, n, modes) for n, seed in enumerate(seeds)]
        tables = _merge(histories)
        expected: Counter[str] = Counter()
        for one in histories:
            expected.update(Oracle(one).counts())
        answer = judge(spark, write(tmp_path / str(next(runs)), tables))
        listed, all_groups = _comparable(answer["groups"]), groups(tables)
        assert len(listed) == min(len(all_groups), MOST_MEMBERS)
        assert listed.items() <= all_groups.items()
        assert _differences(answer["counts"], expected) == {}, "name: (Spark's count, the oracle's)"
        return expected

    return agree


def test_spark_and_the_oracle_agree(agree: Agree) -> None:
    totals: Counter[str] = Counter()
    for number, modes in enumerate(_MODES):
        totals.update(agree([number * 10_000 + seed for seed in range(HISTORIES)], modes))
    # Every count must occur, or the agreement would mean nothing.
    assert {name for name, count in totals.items() if not count} == set()


def test_spark_and_the_oracle_agree_on_drawn_histories(agree: Agree) -> None:
    def drawn(seeds: list[int], modes: frozenset[str]) -> None:
        agree(seeds, modes)

    checked = given(_SEEDS, st.sampled_from(_MODES))(drawn)
    settings(max_examples=3, deadline=None, suppress_health_check=list(HealthCheck))(checked)()
