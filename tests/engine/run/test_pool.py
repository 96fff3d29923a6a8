"""What the pool boots next. That it boots is tested with brokers (tests/cluster)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from labs.engine.run.pool import Pool
from labs.engine.run.shape import default_shapes, shapes
from tests.engine.arms import DESCRIBED, RECOMMENDED, experiment

OLDER = replace(experiment(), kafka="4.2.1")


@pytest.fixture
def pool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Pool:
    """One that was not started, on a machine with room for two clusters."""
    monkeypatch.setenv("LAB_CLUSTERS_AT_ONCE", "2")
    return Pool(tmp_path)


def test_at_first_what_is_ordinary_then_what_was_asked_for_last(pool: Pool) -> None:
    assert pool.wanted == default_shapes()
    assert pool.take(OLDER) is None
    assert pool.wanted == shapes(OLDER)
    assert pool.take(experiment()) is None
    assert pool.wanted == default_shapes()


def test_never_more_than_there_is_room_for(pool: Pool) -> None:
    pool.take(experiment(DESCRIBED, RECOMMENDED, replace(DESCRIBED, name="third")))
    assert pool.wanted == default_shapes()


def test_what_cannot_be_staged_changes_nothing(pool: Pool) -> None:
    assert pool.take(experiment(scenario="no-such-scenario")) is None
    assert pool.wanted == default_shapes()
