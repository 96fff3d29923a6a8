"""Scenarios: found by walking, drawn from a seed, and told as the story that they are."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.reasoning.guarantees import Anomaly
from labs.engine.faults import Role
from labs.engine.scenarios import ScenarioError, all_scenarios, find
from labs.engine.scenarios.model import Topology, draw

LEADER = find("leader-killed-followers-behind")


def test_every_scenario_is_named_after_its_file_and_shows_known_anomalies() -> None:
    assert all_scenarios()
    for scenario in all_scenarios():
        module = scenario.play.__module__.rpartition(".")[2]
        assert scenario.name == module.replace("_", "-")
        assert set(scenario.shows) <= {str(anomaly) for anomaly in Anomaly}
        assert scenario.title
        assert scenario.story


def test_a_wrong_name_gets_the_nearest_right_one() -> None:
    with pytest.raises(ScenarioError, match="did you mean leader-killed-followers-behind"):
        find("leader-killed-follower-behind")


def test_a_seed_draws_one_schedule_within_the_ranges() -> None:
    first = draw(LEADER, 1, {})
    assert first == draw(LEADER, 1, {})
    assert first != draw(LEADER, 2, {})
    for name, (least, most) in LEADER.durations.items():
        assert least <= first.durations[name] <= most


def test_an_override_changes_nothing_but_itself() -> None:
    drawn, told = draw(LEADER, 1, {}), draw(LEADER, 1, {"behind_s": 0.1, "rate_per_s": 5})
    assert told.durations == {**drawn.durations, "behind_s": 0.1}
    assert (told.rate_per_s, told.quiet) == (5, False)
    assert draw(LEADER, 1, {"faults": "none"}).quiet


@pytest.mark.parametrize("override", [{"behind": 1}, {"faults": "some"}])
def test_an_override_that_the_scenario_lacks_is_refused(override: dict[str, Any]) -> None:
    with pytest.raises(ScenarioError):
        draw(LEADER, 1, override)


@pytest.mark.parametrize(("replicas", "brokers"), [(1, 3), (3, 3), (5, 5)])
def test_there_are_brokers_for_all_replicas(replicas: int, brokers: int) -> None:
    assert LEADER.topology({"topic": {"replication.factor": replicas}}) == Topology(
        brokers, replicas
    )


def test_more_replicas_than_the_lab_boots_is_an_error() -> None:
    with pytest.raises(ScenarioError, match="at most 5 brokers"):
        LEADER.topology({"topic": {"replication.factor": 6}})


class Recorder:
    """A stage that writes down what a scenario asks for."""

    def __init__(self, replicas: int) -> None:
        self.topology = Topology(3, replicas)
        self.asked: list[str] = []

    def go_on(self, seconds: float) -> None:
        self.asked.append("go on")

    def pause(self, role: Role) -> None:
        self.asked.append(f"pause {role.name}")

    def resume(self, role: Role) -> None:
        self.asked.append(f"resume {role.name}")

    def kill(self, role: Role) -> None:
        self.asked.append(f"kill {role.name}")

    def restart(self, role: Role) -> None:
        self.asked.append(f"restart {role.name}")

    def not_applicable(self, fault: str, target: str, why: str) -> None:
        self.asked.append(f"no {fault} {target}")

    def await_new_leader(self, limit_s: float) -> None:
        self.asked.append("new leader")

    def await_in_sync(self, limit_s: float) -> None:
        self.asked.append("in sync")


def test_the_leader_is_killed_while_the_followers_are_paused() -> None:
    stage = Recorder(replicas=3)
    LEADER.play(stage, draw(LEADER, 1, {}).durations)
    assert [step for step in stage.asked if step != "go on"] == [
        "pause follower", "kill leader", "resume paused", "new leader", "restart dead", "in sync",
    ]  # fmt: skip


def test_a_single_replica_has_no_followers_and_the_run_says_so() -> None:
    stage = Recorder(replicas=1)
    LEADER.play(stage, draw(LEADER, 1, {}).durations)
    assert [step for step in stage.asked if step != "go on"] == [
        "no pause follower", "kill leader", "restart dead", "in sync",
    ]  # fmt: skip
