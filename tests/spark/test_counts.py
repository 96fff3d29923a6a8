"""What is counted, sentence by sentence of `docs/ledger.md`, by Spark and by the oracle."""

from __future__ import annotations

import pytest

from tests.oracle import Oracle
from tests.spark.conftest import Judge
from tests.spark.stories import STORIES
from tests.spark.stories.base import Story

_CLOCKED = {"unavailable_ms", "blocked_ms", "state_lost"}


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_spark_counts(story: Story, judged: Judge) -> None:
    counts = judged(story.tables)["counts"]
    assert {name: counts[name] for name in story.counts} == story.counts


@pytest.mark.parametrize("story", STORIES, ids=lambda story: story.name)
def test_the_oracle_counts_the_same(story: Story) -> None:
    counts = Oracle(story.tables).counts()
    wanted = {name: n for name, n in story.counts.items() if n is not None and name not in _CLOCKED}
    assert {name: counts[name] for name in wanted} == wanted
