"""Committed offsets are as safe as the copies of __consumer_offsets."""

from __future__ import annotations

import pytest

from advisor.reasoning.assess import assess
from advisor.reasoning.failures import all_events
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import SAFE, broken, described, permits

MIN_ISR = "application.offsets.topic.min.insync.replicas"
ONE_COPY = SAFE | {MIN_ISR: "1"}
AGAIN = {Anomaly.REDELIVERY, Anomaly.EFFECT_DUPLICATED}
SKIP = {Anomaly.SKIPPED, Anomaly.EFFECT_MISSING}
STOP = {"consumer.auto.offset.reset": "none"}
TRANSACTION = STOP | {
    "producer.transactional.id": "copy", "consumer.enable.auto.commit": "false",
    "application.commit": "in-transaction", "consumer.isolation.level": "read_committed",
}  # fmt: skip
EXACTLY_ONCE = {"need.guarantee": "exactly-once"}
LATEST = {"consumer.auto.offset.reset": "latest"}
UNCLEAN = {"broker.unclean.leader.election.enable": "true"}


def recommended_changes(fields: dict[str, str]) -> dict[str, object]:
    recommendation = recommend(described(fields))
    assert not recommendation.impossible
    assert not broken(recommendation.pipeline)
    return {
        f"{change.component}.{change.setting}": change.after for change in recommendation.changes
    }


@pytest.mark.parametrize("line", ["3.3", "3.9", "4.0", "4.3"])
def test_a_commit_with_one_copy_may_be_lost(line: str) -> None:
    pipeline = described(ONE_COPY | STOP | {"kafka": line})
    assert permits(pipeline, "offsets-topic-lost") >= AGAIN
    assert not SKIP & permits(pipeline, "offsets-topic-lost")
    assert permits(described(ONE_COPY | LATEST | {"kafka": line}), "offsets-topic-lost") >= SKIP
    assert not permits(described(SAFE | {"kafka": line}), "offsets-topic-lost")


COPIES = "broker.offsets.topic.replication.factor"


@pytest.mark.parametrize(("copies", "min_isr", "survive", "racks", "redelivers"), [
    # all copies may be lost, or all but one that lags
    ("3", "2", "3", "3", True), ("2", "1", "2", "3", True),
    # no copy lags, there is no other copy, or all are lost together
    ("3", "3", "3", "3", False), ("1", "1", "3", "3", False), ("3", "2", "1", "1", False),
])  # fmt: skip
def test_a_commit_may_be_lost_without_losing_all_copies(
    copies: str, min_isr: str, survive: str, racks: str, redelivers: bool
) -> None:
    fields = {COPIES: copies, MIN_ISR: min_isr, "need.survive": survive, "application.racks": racks}
    permitted = permits(described(SAFE | STOP | {"brokers": "6"} | fields), "offsets-topic-lost")
    assert Anomaly.BLOCKED in permitted
    assert (permitted >= AGAIN) is redelivers


@pytest.mark.parametrize(("fields", "is_safe"), [
    ({}, False), ({"broker.min.insync.replicas": "2"}, True),
    ({"broker.min.insync.replicas": "2", MIN_ISR: "1"}, False), ({MIN_ISR: "2"}, True),
    ({MIN_ISR: "2", "need.survive": "2"}, False),
    ({MIN_ISR: "3", "need.survive": "2"}, True),
    ({MIN_ISR: "2", "kafka": "3.9", "broker.offsets.commit.required.acks": "1"}, False),
    ({MIN_ISR: "2", "kafka": "3.9", "broker.offsets.commit.required.acks": "-1"}, True),
])  # fmt: skip
def test_a_commit_is_safe_with_two_acknowledged_copies(
    fields: dict[str, str], is_safe: bool
) -> None:
    plain = {name: value for name, value in SAFE.items() if name != MIN_ISR}
    assert (not permits(described(plain | STOP | fields), "offsets-topic-lost")) is is_safe


def test_exactly_once_needs_two_copies_of_the_offsets() -> None:
    weak = described(ONE_COPY | TRANSACTION | EXACTLY_ONCE)
    assert assess(weak).guarantees[Boundary.END_TO_END] is Guarantee.AT_LEAST_ONCE
    assert recommended_changes(ONE_COPY | TRANSACTION | EXACTLY_ONCE) == {MIN_ISR: 2}
    old_brokers = ONE_COPY | TRANSACTION | EXACTLY_ONCE | {"kafka": "3.9"}
    assert recommended_changes(
        old_brokers | {MIN_ISR: "2", "broker.offsets.commit.required.acks": "1"}
    ) == {"broker.offsets.commit.required.acks": -1}


def test_the_application_is_not_changed_if_a_setting_suffices() -> None:
    plain = {"application.sink": "plain", "consumer.auto.offset.reset": "earliest"}
    assert "application.sink" not in recommended_changes(
        ONE_COPY | TRANSACTION | EXACTLY_ONCE | plain
    )


@pytest.mark.parametrize(("fields", "expected"), [
    (UNCLEAN, AGAIN), (UNCLEAN | {MIN_ISR: "3"}, set()), ({}, set()),
    ({"topic.unclean.leader.election.enable": "true"}, set()),
    (UNCLEAN | {"topic.unclean.leader.election.enable": "false"}, AGAIN),
    (UNCLEAN | {"broker.offsets.topic.replication.factor": "1"}, set()),
])  # fmt: skip
def test_unclean_elections_of_the_brokers_apply_to_the_offsets(
    fields: dict[str, str], expected: set[Anomaly]
) -> None:
    pipeline = described(SAFE | STOP | fields)
    assert permits(pipeline, "offsets-unclean-election") - {Anomaly.BLOCKED} == expected
    [event] = [event for event in all_events() if event.name == "offsets-unclean-election"]
    assert event.in_scope(described(SAFE | {"need.survive": "0"}))


def test_a_commit_with_one_acknowledgement_may_be_missing_at_the_next_coordinator() -> None:
    old_brokers = SAFE | TRANSACTION | {"kafka": "3.9", "need.survive": "0"}
    acks_of_one = {"broker.offsets.commit.required.acks": "1"}
    assert permits(described(old_brokers | acks_of_one), "group-coordinator-away") >= AGAIN
    assert not permits(described(old_brokers), "group-coordinator-away") - {Anomaly.BLOCKED}


STREAMS = {
    "family": "streams",
    "topic.replication.factor": "3",
    "topic.min.insync.replicas": "2",
    "topic.unclean.leader.election.enable": "false",
    "streams.replication.factor": "3",
    "streams.topic.min.insync.replicas": "2",
    "broker.unclean.leader.election.enable": "true",
}


@pytest.mark.parametrize(("fields", "expected"), [
    ({}, {Anomaly.STATE_LOST, Anomaly.EFFECT_MISSING}),
    ({"broker.unclean.leader.election.enable": "false"}, set()),
    ({"streams.topic.min.insync.replicas": "3"}, set()),
    ({"application.state": "none"}, set()),
])  # fmt: skip
def test_unclean_elections_of_the_brokers_apply_to_streams_topics(
    fields: dict[str, str], expected: set[Anomaly]
) -> None:
    pipeline = described(STREAMS | fields)
    assert permits(pipeline, "streams-unclean-election") == expected
    assert recommended_changes(STREAMS | fields) == (
        {"broker.unclean.leader.election.enable": False} if expected else {}
    )


def test_unclean_elections_of_the_brokers_apply_to_remote_log_metadata() -> None:
    tiered = {"topic.remote.storage.enable": "true"}
    clean_topic = SAFE | UNCLEAN | {"topic.unclean.leader.election.enable": "false"}
    assert Anomaly.LOST_WRITE in permits(described(clean_topic | tiered), "unclean-election")
    assert Anomaly.LOST_WRITE not in permits(described(clean_topic), "unclean-election")
    min_isr = {"application.remote.metadata.min.insync.replicas": "3"}
    assert Anomaly.LOST_WRITE not in permits(
        described(clean_topic | tiered | min_isr), "unclean-election"
    )


def test_disabling_unclean_elections_of_the_brokers_is_recommended() -> None:
    clean_topic = {"topic.unclean.leader.election.enable": "false"}
    assert recommended_changes(SAFE | TRANSACTION | EXACTLY_ONCE | UNCLEAN | clean_topic) == {
        "broker.unclean.leader.election.enable": False
    }


@pytest.mark.parametrize(
    ("acks", "valid"), [("-2", False), ("-1", True), ("3", True), ("4", False)]
)
def test_required_acks_of_commits_cannot_exceed_the_copies(acks: str, valid: bool) -> None:
    fields = SAFE | {"kafka": "3.9", "broker.offsets.commit.required.acks": acks}
    pipeline, problems = from_fields(fields)
    assert (pipeline is not None) is valid
    assert valid or "must be greater or equal to -1 and less or equal to" in problems[0].message
