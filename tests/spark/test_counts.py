"""What is counted, sentence by sentence of `docs/ledger.md`, by Spark and by the oracle.

The oracle is asked of every story, and Spark agrees with it on random histories (test_oracle.py).
So by day Spark is asked only of what those lack: a count of the clock that is more than 0, and
tables that are not recorded. By night it is asked of every story.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.oracle import Oracle
from tests.spark.conftest import Judge
from tests.spark.stories import STORIES
from tests.spark.stories.base import Story

_CLOCKED = {"unavailable_ms", "blocked_ms", "state_lost"}


def _by_day() -> Iterator[Story]:
    known: set[object] = set()
    for story in STORIES:
        tells = {
            (name, n is None)
            for name, n in story.counts.items()
            if n is None or (n and name in _CLOCKED)
        }
        if not tells <= known:
            yield story
        known |= tells


BY_DAY = list(_by_day())


@pytest.mark.parametrize("story", BY_DAY, ids=lambda story: story.name)
def test_spark_counts(story: Story, judged: Judge) -> None:
    counts = judged(story.tables)["counts"]
    assert {name: counts[name] for name in story.counts} == story.counts


@pytest.mark.thorough
@pytest.mark.parametrize(
    "story", [story for story in STORIES if story not in BY_DAY], ids=lambda story: story.name
)
def test_spark_counts_all_others(story: Story, judged: Judge) -> None:
    test_spark_counts(story, judged)


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_the_oracle_counts_the_same(story: Story) -> None:
    counts = Oracle(story.tables).counts()
    wanted = {name: n for name, n in story.counts.items() if n is not None and name not in _CLOCKED}
    assert {name: counts[name] for name in wanted} == wanted
