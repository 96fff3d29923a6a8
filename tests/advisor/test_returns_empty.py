"""Brokers that return with an empty disk: internal topics are at risk like all others."""

from __future__ import annotations

import pytest

from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import SAFE, described, permits

EMPTY = {**SAFE, "application.disk.lost": "returns-empty"}
TRANSACTION = {
    "producer.transactional.id": "copy", "consumer.enable.auto.commit": "false",
    "application.commit": "in-transaction", "consumer.isolation.level": "read_committed",
}  # fmt: skip
EXACTLY_ONCE = {"need.guarantee": "exactly-once"}


@pytest.mark.parametrize("fields", [
    {"kafka": "3.9"}, {"kafka": "3.9", "broker.min.insync.replicas": "2"},
    {"application.eligible.leader.replicas.version": "0", "broker.min.insync.replicas": "2"},
])  # fmt: skip
def test_committed_offsets_may_be_lost_with_any_number_of_copies(fields: dict[str, str]) -> None:
    pipeline = described({**EMPTY, **fields})
    assert Anomaly.REDELIVERY in permits(pipeline, "offsets-topic-lost")
    latest = described({**EMPTY, **fields, "consumer.auto.offset.reset": "latest"})
    assert Anomaly.SKIPPED in permits(latest, "offsets-topic-lost")
    elected = described({**SAFE, **fields, "application.disk.lost": "replica-elected"})
    assert not permits(elected, "offsets-topic-lost")


def test_an_empty_broker_may_lead_after_the_followers_were_killed() -> None:
    """Seen on 4.3.1: 1,000 of 1,000 records lost; none with followers that were stopped."""
    elected = {**SAFE, "application.disk.lost": "replica-elected"}
    assert Anomaly.LOST_WRITE in permits(described(EMPTY), "followers-killed-leader-lost")
    assert Anomaly.LOST_WRITE not in permits(described(EMPTY), "isr-shrunk-leader-lost")
    assert Anomaly.LOST_WRITE not in permits(described(elected), "followers-killed-leader-lost")
    [impossible] = recommend(described(EMPTY)).impossible
    assert "order of an operator's steps" in impossible.nearest + impossible.why


def test_eligible_replicas_and_min_isr_2_keep_the_offsets() -> None:
    pipeline = described({**EMPTY, "broker.min.insync.replicas": "2"})
    assert not permits(pipeline, "offsets-topic-lost")


@pytest.mark.parametrize(("fields", "may_be_torn"), [
    ({"kafka": "3.9"}, True), ({}, False),
    ({"application.eligible.leader.replicas.version": "0"}, True),
])  # fmt: skip
def test_the_transaction_log_needs_eligible_replicas(
    fields: dict[str, str], may_be_torn: bool
) -> None:
    pipeline = described({**EMPTY, **TRANSACTION, **fields})
    assert (Anomaly.TORN_TRANSACTION in permits(pipeline, "transaction-log-lost")) is may_be_torn


def test_a_consumer_that_stops_without_an_offset_repeats_nothing() -> None:
    recommendation = recommend(described({**EMPTY, **TRANSACTION, **EXACTLY_ONCE}))
    recommended = {
        (change.component.value, change.setting): change.after for change in recommendation.changes
    }
    assert recommended == {("consumer", "auto.offset.reset"): "none"}
    [impossible] = recommendation.impossible
    assert "a follower that was killed is no longer eligible" in impossible.why


def test_before_eligible_replicas_no_setting_gives_exactly_once() -> None:
    recommendation = recommend(described({**EMPTY, **TRANSACTION, **EXACTLY_ONCE, "kafka": "3.9"}))
    assert any("transaction.state.log" in need.why for need in recommendation.impossible)


def test_the_changelogs_of_streams_need_eligible_replicas() -> None:
    fields = {
        "family": "streams", "topic.replication.factor": "3", "streams.replication.factor": "3",
        "streams.topic.min.insync.replicas": "2", "application.state": "logged",
        "application.disk.lost": "returns-empty",
    }  # fmt: skip
    assert Anomaly.STATE_LOST in permits(
        described({**fields, "kafka": "3.9"}), "streams-internal-topics-lost"
    )
    assert Anomaly.STATE_LOST not in permits(described(fields), "streams-internal-topics-lost")
