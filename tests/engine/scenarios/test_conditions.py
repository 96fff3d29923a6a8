"""The conditions that a play waits for."""

from __future__ import annotations

import time
from typing import Any

import pytest

from labs.engine.distributions.distribution import all_versions
from labs.engine.faults.rig import Rig
from labs.engine.scenarios import find
from labs.engine.scenarios.conditions import RETENTION_RUNS

RETAINING = ("retention-overtakes-reader", "foreign-timestamps")


class _Broker:
    def __init__(self, age_s: float) -> None:
        self.started_at = time.monotonic() - age_s


def _rig(release: str, *ages_s: float) -> Rig:
    cluster: Any = type("Cluster", (), {
        "release": release, "brokers": dict(enumerate(map(_Broker, ages_s))),
    })()  # fmt: skip
    nothing: Any = None
    return Rig(cluster, nothing, nothing)


@pytest.mark.parametrize("release", all_versions())
def test_retention_runs_30_s_after_the_start_if_no_setting_changes_that(
    release: str,
) -> None:
    """Before 3.8 the first check is 30 s after the start. A run that ends earlier loses nothing,
    whatever the retention is, so it would be no evidence for the settings."""
    has_setting = tuple(map(int, release.split(".")[:2])) >= (3, 8)
    assert bool(RETENTION_RUNS.holds(_rig(release, 2.0))) == has_setting
    assert bool(RETENTION_RUNS.holds(_rig(release, 40.0, 29.0))) == has_setting
    assert RETENTION_RUNS.holds(_rig(release, 40.0, 32.0))


@pytest.mark.parametrize("name", RETAINING)
def test_a_scenario_of_retention_first_waits_until_retention_runs(
    name: str,
) -> None:
    calls: list[str] = []

    class Stage:
        topology: Any = None

        def wait(self, condition: Any, limit_s: float) -> None:
            calls.append(condition.words)

        def __getattr__(self, method: str) -> Any:
            return lambda *_, **__: calls.append(method)

    stage: Any = Stage()
    scenario = find(name)
    scenario.play(stage, dict.fromkeys(scenario.durations, 0.0))
    assert calls[0] == RETENTION_RUNS.words
    assert "do" in calls[1:]
