"""The schedule of a scenario, read from its play without starting brokers."""

from __future__ import annotations

import pytest

from labs.challenges import schedule
from labs.challenges.schedule import Plan
from labs.engine.scenarios import all_scenarios, find
from labs.engine.scenarios.model import Topology, draw


def plan(name: str, replicas: int = 3) -> Plan:
    scenario, topology = find(name), Topology(3, replicas, controllers=3)
    return schedule.on(topology, scenario, draw(scenario, 1, {}).durations)


def test_clients_run_undisturbed_before_the_first_step_and_after_the_last() -> None:
    for scenario in all_scenarios():
        drawn = plan(scenario.name)
        times = [step.at_s for step in drawn.steps]
        assert "fault" in {step.kind for step in drawn.steps}, scenario.name
        assert 0 < times[0] <= times[-1] < drawn.seconds, scenario.name
        assert sorted(times) == times, scenario.name


@pytest.mark.parametrize(
    "name", ["isr-shrunk-leader-killed", "rolling-restart", "leader-disk-lost"]
)
def test_the_leader_is_killed_as_the_only_isr_member_and_followers_return_first(name: str) -> None:
    steps = [step.text for step in plan(name).steps]
    died, noticed = steps.index("leader killed"), steps.index("until dead brokers are noticed")
    assert steps[died - 1] == "until 1 in sync"
    assert steps[noticed - 1] == "restarted", "others came back before the leader was given up"
    assert died < noticed < steps.index("until all are in sync")


def test_a_step_without_effect_on_one_replica_is_not_drawn() -> None:
    assert not plan("brokers-below-min-isr", replicas=1).steps
    assert len(plan("sends-time-out", replicas=1).steps) == len(plan("sends-time-out").steps)
