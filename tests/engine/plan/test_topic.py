"""How an arm's topic is configured where the lab makes fewer copies than were described."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.catalog import Component, Family, kafka_versions, settings_of
from labs.engine.plan.topic import topic_config, without_deletion
from labs.engine.scenarios import all_scenarios
from labs.engine.scenarios.model import ScenarioError


def _topic(copies: int, least: int) -> dict[str, dict[str, Any]]:
    return {"topic": {"replication.factor": copies, "min.insync.replicas": least}}


@pytest.mark.parametrize(("copies", "least"), [(3, 2), (3, 3), (2, 2), (5, 4)])
def test_a_lower_factor_lowers_the_minimum_and_says_so(copies: int, least: int) -> None:
    config, notes = topic_config(_topic(copies, least), 1)
    assert config["min.insync.replicas"] == "1"
    assert notes == (
        f"topic min.insync.replicas: 1 instead of {least}, because the lab makes fewer copies",
    )


@pytest.mark.parametrize(("copies", "least", "made"), [(3, 2, 3), (3, 1, 1), (1, 1, 3), (3, 2, 2)])
def test_a_minimum_that_can_be_met_stays(copies: int, least: int, made: int) -> None:
    config, notes = topic_config(_topic(copies, least), made)
    assert (config["min.insync.replicas"], notes) == (str(least), ())


@pytest.mark.parametrize(("copies", "least", "made"), [(1, 2, 1), (3, 4, 1), (2, 3, 2)])
def test_a_minimum_that_a_team_could_never_meet_is_staged(
    copies: int, least: int, made: int
) -> None:
    config, notes = topic_config(_topic(copies, least), made)
    assert (config["min.insync.replicas"], notes) == (str(least), ())


def test_a_topic_without_a_minimum_is_left_to_the_brokers() -> None:
    assert topic_config({"topic": {"replication.factor": 3}}, 1) == ({}, ())


def test_kafka_writes_switches_in_lower_case() -> None:
    settings = {"topic": {"replication.factor": 3, "unclean.leader.election.enable": True}}
    assert topic_config(settings, 3)[0] == {"unclean.leader.election.enable": "true"}


def test_what_processing_writes_is_there_when_it_is_counted() -> None:
    """Retention or compaction of its topic would make effects that were there seem missing."""
    config = {"retention.ms": "1000", "cleanup.policy": "compact", "min.insync.replicas": "2"}
    assert without_deletion(config) == {
        "retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete",
        "min.insync.replicas": "2",
    }  # fmt: skip


def test_every_scenario_can_be_written_to() -> None:
    """No scenario has fewer copies than its topic demands, on brokers that do not cap it."""
    staged = 0
    settings = {
        **_topic(3, 2), "application": {}, "consumer": {}, "producer": {"transactional.id": "a"},
        "broker": {
            "offsets.topic.replication.factor": 3, "transaction.state.log.replication.factor": 3,
        },
    }  # fmt: skip
    for scenario in all_scenarios():
        try:
            topology = scenario.topology(settings)
        except ScenarioError:
            continue
        config, _ = topic_config(settings, topology.replication_factor)
        assert int(config["min.insync.replicas"]) <= topology.replication_factor, scenario.name
        staged += 1
    assert staged > 20


OF_NO_RUN = {
    "replication.factor": "a topic is created with it, and it is no config",
    "remote.storage.enable": "no cluster of a lab has remote storage",
}


@pytest.mark.parametrize("line", kafka_versions())
def test_a_topic_gets_every_setting_that_its_line_knows(line: str) -> None:
    """One that is left out is the brokers' default, and a run then is about something else."""
    known = {setting.name for setting in settings_of(Family.JAVA, line, line, Component.TOPIC)}
    described = dict.fromkeys(known, 1)
    config, _ = topic_config({"topic": described}, 1)
    assert known - config.keys() <= OF_NO_RUN.keys()
