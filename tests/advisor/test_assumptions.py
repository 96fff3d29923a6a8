"""Assumptions: values that were not stated and decide the answer."""

from __future__ import annotations

import pytest
from hypothesis import given

from advisor.catalog import Component, Family
from advisor.pages.presentation import assumed
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.wish import breaking, decisive_assumptions
from tests.advisor.pipelines import SAFE, described, pipelines

ANSWERED = {
    "application.commit": "after-processing",
    "application.delivery.errors": "handled",
    "application.resend": "never",
    "application.sink": "plain",
    "application.restart": "resumes",
    "application.framework": "none",
    "application.processing": "synchronous",
    "application.processing.errors": "retry",
    "application.timestamps": "now",
    "application.outage.ms": "345000",
    "application.disk.lost": "replica-elected",
    "application.metadata.disk.lost": "rebuilt",
    "application.controllers": "3",
    "application.topic.recreated": "never",
}


def assumed_names(fields: dict[str, str]) -> set[str]:
    return {
        f"{assumption.component}.{assumption.setting}"
        for assumption in decisive_assumptions(described(fields))
    }


@pytest.mark.parametrize("acks", ["all", "1", "0"])
def test_an_unstated_replication_factor_is_an_assumption_with_any_acks(acks: str) -> None:
    [copies] = decisive_assumptions(described(ANSWERED | {"producer.acks": acks}))
    assert (copies.component, copies.setting) == (Component.TOPIC, "replication.factor")
    assert copies.value == 1


def test_a_replication_factor_of_the_topic_or_the_brokers_is_no_assumption() -> None:
    for name in ("topic.replication.factor", "broker.default.replication.factor"):
        assert "topic.replication.factor" not in assumed_names(ANSWERED | {name: "1"}), name


def test_a_min_isr_of_the_broker_is_assumed_where_the_controllers_file_decides() -> None:
    """Finding B001: the file does not say whether broker and controller are one process."""
    minimum = "topic.min.insync.replicas"
    fields = {"topic.replication.factor": "3", "consumer.auto.offset.reset": "earliest"}
    fields |= ANSWERED | {"broker.min.insync.replicas": "2"}
    [assumption] = [
        candidate
        for candidate in decisive_assumptions(described(fields))
        if candidate.setting == "min.insync.replicas"
    ]
    assert (assumption.component, assumption.value) == (Component.TOPIC, 2)
    assert minimum not in assumed_names(fields | {minimum: "2"})
    assert minimum not in assumed_names(fields | {"kafka": "4.0"})
    assert minimum not in assumed_names(
        fields | {"application.eligible.leader.replicas.version": "0"}
    )


def test_a_value_that_does_not_change_the_answer_is_no_assumption() -> None:
    one_copy = ANSWERED | {"topic.replication.factor": "1"}
    assert assumed_names(one_copy) == set(), (
        "with one copy the minimum in sync is 1, whatever is written"
    )
    three = ANSWERED | {"topic.replication.factor": "3"}
    assert "topic.min.insync.replicas" in assumed_names(three)
    assert assumed_names(three | {"producer.acks": "0"}).isdisjoint({"topic.min.insync.replicas"})


def test_an_answer_that_holds_names_its_assumptions_about_the_code() -> None:
    assert breaking(described(SAFE)) == frozenset()
    assert assumed_names(SAFE) == {
        "topic.unclean.leader.election.enable", "application.commit", "application.delivery.errors",
        "application.restart", "application.processing", "application.processing.errors",
        "application.timestamps", "application.framework", "application.outage.ms",
        "application.topic.recreated", "application.disk.lost", "application.metadata.disk.lost",
        "application.controllers",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "name", "value"),
    [
        ({}, "controllers", 3),
        ({"need.survive": "2", "brokers": "5"}, "controllers", 5),
        ({"kafka": "3.1"}, "zookeeper.servers", 3),
        ({"kafka": "3.9", "application.metadata.mode": "zookeeper"}, "zookeeper.servers", 3),
        ({"kafka": "3.9"}, "controllers", 3),
    ],
)
def test_the_assumed_metadata_quorum_survives_the_lost_brokers(
    more: dict[str, str], name: str, value: int
) -> None:
    pipeline = described(SAFE | more)
    assert {
        assumption.setting: assumption.value
        for assumption in decisive_assumptions(pipeline)
        if assumption.setting in ("controllers", "zookeeper.servers")
    } == {name: value}
    assert f"application.{name}" not in assumed_names(SAFE | more | {f"application.{name}": "3"})
    assert f"application.{name}" not in assumed_names(SAFE | more | {"need.survive": "0"})


def test_the_assumed_outage_of_readers_is_the_time_until_a_rebalance_ends() -> None:
    [outage] = [
        assumption
        for assumption in decisive_assumptions(described(SAFE))
        if assumption.setting == "outage.ms"
    ]
    assert outage.value == 345_000
    assert "application.outage.ms" not in assumed_names(SAFE | {"topic.retention.ms": "-1"})
    assert "application.outage.ms" not in assumed_names(SAFE | {"application.outage.ms": "1"})


def test_retention_by_size_rests_on_the_assumed_load() -> None:
    sized = SAFE | {"topic.retention.bytes": "1073741824"}
    load = {"application.rate", "application.message.bytes"}
    assert assumed_names(sized) & load == {"application.rate"}
    assert assumed_names(sized | {"application.rate": "10"}) & load == {"application.message.bytes"}
    stated = sized | {"application.rate": "10", "application.message.bytes": "10"}
    assert not (assumed_names(stated) | assumed_names(SAFE)) & load
    assert not assumed_names(SAFE | {"application.rate": "10"}) & load


@given(pipelines())
def test_an_unstated_setting_is_an_assumption_exactly_if_it_decides(pipeline: Pipeline) -> None:
    assumed_keys = {
        (assumption.component, assumption.setting) for assumption in decisive_assumptions(pipeline)
    }
    assert not any(name in pipeline.stated(component) for component, name in assumed_keys)
    unclean = (Component.TOPIC, "unclean.leader.election.enable")
    # A topic without the setting uses the value of the brokers' file, which is stated.
    if not any(unclean[1] in pipeline.stated(part) for part in (Component.TOPIC, Component.BROKER)):
        other = pipeline.with_setting(*unclean, not pipeline.value(*unclean))
        assert (unclean in assumed_keys) == (breaking(other) != breaking(pipeline))


def test_an_assumption_is_shown_with_the_words_of_its_question() -> None:
    answers = {
        assumption.field: assumption
        for assumption in assumed(decisive_assumptions(described({})), Family.JAVA)
    }
    assert next(iter(answers)) == "topic.replication.factor"
    assert answers["topic.replication.factor"].ask == ""
    code = answers["application.delivery.errors"]
    assert (code.ask, code.value) == (
        "Does your code act on delivery errors?", "Yes, at every failed send",
    )  # fmt: skip


def test_controllers_are_assumed_to_be_in_the_racks_of_the_brokers() -> None:
    racks = {"application.racks": "3"}
    assumed = {
        assumption.setting: assumption.value
        for assumption in decisive_assumptions(described(SAFE | racks))
    }
    assert assumed["metadata.racks"] == 3
    stated = racks | {"application.metadata.racks": "3"}
    assert "application.metadata.racks" not in assumed_names(SAFE | stated)
    assert "application.metadata.racks" not in assumed_names(SAFE)
