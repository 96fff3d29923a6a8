"""The counts that `docs/ledger.md` defines, sentence by sentence, by Spark and by the oracle.

The oracle counts every story, and Spark agrees with it on random histories (test_oracle.py).
So `make test` has Spark count only what those histories lack: counts of time above 0, and tables
that are not recorded. `make nightly` has it count every story.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle import Oracle
from tests.spark.conftest import Judge
from tests.spark.stories import STORIES
from tests.spark.stories.base import Story

_NOT_COUNTED_BY_ORACLE = {"unavailable_ms", "blocked_ms", "state_lost"}


def _daily() -> Iterator[Story]:
    covered: set[object] = set()
    for story in STORIES:
        shown = {
            (name, n is None)
            for name, n in story.counts.items()
            if n is None or (n and name in _NOT_COUNTED_BY_ORACLE)
        }
        if not shown <= covered:
            yield story
        covered |= shown


DAILY = list(_daily())


@pytest.mark.parametrize("story", DAILY, ids=lambda story: story.name)
def test_spark_counts_a_story(story: Story, judge_tables: Judge) -> None:
    counts = judge_tables(story.tables)["counts"]
    assert {name: counts[name] for name in story.counts} == story.counts


@pytest.mark.thorough
@pytest.mark.parametrize(
    "story", [story for story in STORIES if story not in DAILY], ids=lambda story: story.name
)
def test_spark_counts_every_other_story(story: Story, judge_tables: Judge) -> None:
    test_spark_counts_a_story(story, judge_tables)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_the_oracle_counts_a_story(story: Story) -> None:
    counts = Oracle(story.tables).counts()
    expected = {
        name: n
        for name, n in story.counts.items()
        if n is not None and name not in _NOT_COUNTED_BY_ORACLE
    }
    assert {name: counts[name] for name in expected} == expected
