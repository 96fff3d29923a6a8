"""The configuration of an arm's topic, also if the lab makes fewer copies than described."""

from __future__ import annotations

from typing import Any

import pytest

from advisor.catalog import Component, Family, kafka_versions, settings_of
from labs.engine.plan.topic import topic_config, without_deletion
from labs.engine.scenarios import all_scenarios
from labs.engine.scenarios.model import ScenarioError


def _topic(copies: int, min_isr: int) -> dict[str, dict[str, Any]]:
    return {"topic": {"replication.factor": copies, "min.insync.replicas": min_isr}}


@pytest.mark.parametrize(("copies", "min_isr"), [(3, 2), (3, 3), (2, 2), (5, 4)])
def test_a_lower_replication_factor_lowers_min_insync_replicas_with_a_note(
    copies: int, min_isr: int
) -> None:
    config, notes = topic_config(_topic(copies, min_isr), 1)
    assert config["min.insync.replicas"] == "1"
    assert notes == (
        f"topic min.insync.replicas: 1 instead of {min_isr}, because the lab makes fewer copies",
    )


@pytest.mark.parametrize(("copies", "min_isr", "lab_copies"), [
    (3, 2, 3), (3, 1, 1), (1, 1, 3), (3, 2, 2),
    (1, 2, 1), (3, 4, 1), (2, 3, 2),  # the team itself could never meet it
])  # fmt: skip
def test_a_min_insync_replicas_that_can_be_met_in_the_lab_or_nowhere_is_unchanged(
    copies: int, min_isr: int, lab_copies: int
) -> None:
    config, notes = topic_config(_topic(copies, min_isr), lab_copies)
    assert (config["min.insync.replicas"], notes) == (str(min_isr), ())


def test_an_unstated_min_insync_replicas_is_left_to_the_brokers() -> None:
    assert topic_config({"topic": {"replication.factor": 3}}, 1) == ({}, ())


def test_booleans_are_written_in_lower_case() -> None:
    settings = {"topic": {"replication.factor": 3, "unclean.leader.election.enable": True}}
    assert topic_config(settings, 3)[0] == {"unclean.leader.election.enable": "true"}


def test_an_output_topic_is_configured_without_deletion() -> None:
    """Retention or compaction of the topic would make existing effects seem missing."""
    config = {"retention.ms": "1000", "cleanup.policy": "compact", "min.insync.replicas": "2"}
    assert without_deletion(config) == {
        "retention.ms": "-1", "retention.bytes": "-1", "cleanup.policy": "delete",
        "min.insync.replicas": "2",
    }  # fmt: skip


def test_no_scenario_has_fewer_copies_than_min_insync_replicas() -> None:
    """Otherwise no producer with acks=all could write to the topic."""
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


NOT_CONFIGURED = {
    "replication.factor": "a topic is created with it, and it is no config",
    "remote.storage.enable": "no cluster of a lab has remote storage",
}


@pytest.mark.parametrize("line", kafka_versions())
def test_a_topic_gets_every_setting_that_its_kafka_line_has(line: str) -> None:
    """With a setting left out, the run would test the broker's default instead."""
    names = {setting.name for setting in settings_of(Family.JAVA, line, line, Component.TOPIC)}
    described = dict.fromkeys(names, 1)
    config, _ = topic_config({"topic": described}, 1)
    assert names - config.keys() <= NOT_CONFIGURED.keys()
