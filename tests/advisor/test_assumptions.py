"""What an answer rests on and nobody stated."""

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


def names(fields: dict[str, str]) -> set[str]:
    return {
        f"{assumption.component}.{assumption.setting}"
        for assumption in decisive_assumptions(described(fields))
    }


@pytest.mark.parametrize("acks", ["all", "1", "0"])
def test_copies_that_nobody_stated_are_an_assumption_whatever_the_producer_does(acks: str) -> None:
    [copies] = decisive_assumptions(described(ANSWERED | {"producer.acks": acks}))
    assert (copies.component, copies.setting) == (Component.TOPIC, "replication.factor")
    assert copies.value == 1


def test_copies_that_are_stated_for_the_topic_or_for_all_topics_are_not() -> None:
    for name in ("topic.replication.factor", "broker.default.replication.factor"):
        assert "topic.replication.factor" not in names(ANSWERED | {name: "1"}), name


def test_a_minimum_of_the_brokers_files_is_one_where_the_controllers_file_decides() -> None:
    """Finding B001: whether the two are one process, the file does not say."""
    minimum = "topic.min.insync.replicas"
    fields = {"topic.replication.factor": "3", "consumer.auto.offset.reset": "earliest"}
    fields |= ANSWERED | {"broker.min.insync.replicas": "2"}
    [taken] = [
        one
        for one in decisive_assumptions(described(fields))
        if one.setting == "min.insync.replicas"
    ]
    assert (taken.component, taken.value) == (Component.TOPIC, 2)
    assert minimum not in names(fields | {minimum: "2"})
    assert minimum not in names(fields | {"kafka": "4.0"})
    assert minimum not in names(fields | {"application.eligible.leader.replicas.version": "0"})


def test_what_decides_nothing_here_is_not_named() -> None:
    one_copy = ANSWERED | {"topic.replication.factor": "1"}
    assert names(one_copy) == set(), "with one copy the minimum in sync is 1, whatever is written"
    three = ANSWERED | {"topic.replication.factor": "3"}
    assert "topic.min.insync.replicas" in names(three)
    assert names(three | {"producer.acks": "0"}).isdisjoint({"topic.min.insync.replicas"})


def test_what_holds_only_if_the_code_is_as_assumed_says_so() -> None:
    assert breaking(described(SAFE)) == frozenset()
    assert names(SAFE) == {
        "topic.unclean.leader.election.enable", "application.commit", "application.delivery.errors",
        "application.restart", "application.processing", "application.processing.errors",
        "application.timestamps", "application.framework", "application.outage.ms",
        "application.topic.recreated", "application.disk.lost", "application.metadata.disk.lost",
        "application.controllers",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("more", "name", "taken"),
    [
        ({}, "controllers", 3),
        ({"need.survive": "2", "brokers": "5"}, "controllers", 5),
        ({"kafka": "3.1"}, "zookeeper.servers", 3),
        ({"kafka": "3.9", "application.metadata.mode": "zookeeper"}, "zookeeper.servers", 3),
        ({"kafka": "3.9"}, "controllers", 3),
    ],
)
def test_who_keeps_the_metadata_is_assumed_to_be_a_majority_more_than_is_lost(
    more: dict[str, str], name: str, taken: int
) -> None:
    pipeline = described(SAFE | more)
    assert {
        assumption.setting: assumption.value
        for assumption in decisive_assumptions(pipeline)
        if assumption.setting in ("controllers", "zookeeper.servers")
    } == {name: taken}
    assert f"application.{name}" not in names(SAFE | more | {f"application.{name}": "3"})
    assert f"application.{name}" not in names(SAFE | more | {"need.survive": "0"})


def test_how_long_readers_are_away_is_assumed_as_the_least_that_there_always_is() -> None:
    [outage] = [
        assumption
        for assumption in decisive_assumptions(described(SAFE))
        if assumption.setting == "outage.ms"
    ]
    assert outage.value == 345_000
    assert "application.outage.ms" not in names(SAFE | {"topic.retention.ms": "-1"})
    assert "application.outage.ms" not in names(SAFE | {"application.outage.ms": "1"})


def test_what_a_topic_that_keeps_so_many_bytes_holds_rests_on_the_load() -> None:
    sized = SAFE | {"topic.retention.bytes": "1073741824"}
    load = {"application.rate", "application.message.bytes"}
    assert names(sized) & load == {"application.rate"}
    assert names(sized | {"application.rate": "10"}) & load == {"application.message.bytes"}
    stated = sized | {"application.rate": "10", "application.message.bytes": "10"}
    assert not (names(stated) | names(SAFE)) & load


@given(pipelines())
def test_everything_else_that_was_not_stated_could_be_either_way(pipeline: Pipeline) -> None:
    named = {
        (assumption.component, assumption.setting) for assumption in decisive_assumptions(pipeline)
    }
    assert not any(name in pipeline.stated(component) for component, name in named)
    unclean = (Component.TOPIC, "unclean.leader.election.enable")
    # A topic that states nothing has what its brokers' file says, and that was stated.
    if not any(unclean[1] in pipeline.stated(part) for part in (Component.TOPIC, Component.BROKER)):
        other = pipeline.with_setting(*unclean, not pipeline.value(*unclean))
        assert (unclean in named) == (breaking(other) != breaking(pipeline))


def test_a_question_in_words_is_answered_in_words() -> None:
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
