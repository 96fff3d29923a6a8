"""Which clusters the pool boots next; tests/cluster tests with brokers that it boots them."""

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
    """A pool that was not started, on a machine with room for two clusters."""
    monkeypatch.setenv("LAB_CLUSTERS_AT_ONCE", "2")
    return Pool(tmp_path)


def test_the_pool_wants_the_default_shapes_first_and_then_those_last_requested(pool: Pool) -> None:
    assert pool.wanted == default_shapes()
    assert pool.take(OLDER) is None
    assert pool.wanted == shapes(OLDER)
    assert pool.take(experiment()) is None
    assert pool.wanted == default_shapes()


def test_the_pool_wants_no_more_clusters_than_there_is_room_for(pool: Pool) -> None:
    pool.take(experiment(DESCRIBED, RECOMMENDED, replace(DESCRIBED, name="third")))
    assert pool.wanted == default_shapes()


def test_an_experiment_that_cannot_be_staged_does_not_change_the_wanted_shapes(pool: Pool) -> None:
    assert pool.take(experiment(scenario="no-such-scenario")) is None
    assert pool.wanted == default_shapes()
