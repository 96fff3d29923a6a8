"""Anomalies of a failed disk, of a reassignment during a failure, and of a lost site."""

from __future__ import annotations

import pytest

from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import (
    ACKS_1,
    HARMLESS,
    SAFE,
    TRANSACTIONAL,
    TRUNCATED,
    UNCLEAN,
    A,
    assessed,
    described,
    permits,
)

THREE_COPIES = {"topic.replication.factor": "4", "topic.min.insync.replicas": "3", "brokers": "4"}
TWO_COPIES = {"topic.replication.factor": "2"}
MOVED_AT_ANY_TIME = {"kafka": "3.7", "application.replicas.moved": "any-time"}
DISK, REASSIGNMENT, SITE = "log-directory-fails", "reassignment-during-failure", "rack-lost"
STRETCHED = SAFE | {"topic.replication.factor": "4", "brokers": "4", "application.racks": "2"}
THIRD_PLACE = {"application.metadata.racks": "3"}
ZOOKEEPER = {"kafka": "3.9", "application.metadata.mode": "zookeeper"}

CASES = [
    (DISK, SAFE, set()),
    (DISK, SAFE | ACKS_1, {A.LOST_WRITE, A.DUPLICATE, A.REORDERED}),
    (DISK, SAFE | {"topic.min.insync.replicas": "1"}, set()),
    (DISK, SAFE | UNCLEAN, TRUNCATED | {A.GIVEN_UP}),
    (DISK, SAFE | {"topic.replication.factor": "1"}, set()),
    (REASSIGNMENT, SAFE, set()),
    (REASSIGNMENT, SAFE | {"kafka": "3.7"}, set()),
    (REASSIGNMENT, SAFE | {"kafka": "3.8"}, set()),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME, TRUNCATED),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME | {"kafka": "3.3"}, TRUNCATED),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME | {"application.metadata.mode": "zookeeper"}, set()),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME | THREE_COPIES, set()),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME | THREE_COPIES | {"need.survive": "2"}, TRUNCATED),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME | THREE_COPIES | UNCLEAN, {*TRUNCATED, A.GIVEN_UP}),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME | TWO_COPIES, TRUNCATED),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME | TWO_COPIES | {"brokers": "2"}, set()),
    (SITE, STRETCHED, {*TRUNCATED, A.GIVEN_UP}),
    (SITE, STRETCHED | {"topic.min.insync.replicas": "3"}, TRUNCATED),
    (SITE, STRETCHED | {"topic.min.insync.replicas": "3"} | THIRD_PLACE, set()),
    (SITE, STRETCHED | {"application.racks": "4", "application.metadata.racks": "2"}, TRUNCATED),
    (SITE, STRETCHED | {"application.racks": "4", "application.metadata.racks": "1"}, TRUNCATED),
    (
        SITE,
        STRETCHED | {"topic.min.insync.replicas": "3", "application.controllers": "3"},
        TRUNCATED,
    ),
    (SITE, STRETCHED | {"topic.min.insync.replicas": "3", "application.controllers": "4"}, set()),
    (SITE, STRETCHED | ZOOKEEPER | {"topic.min.insync.replicas": "3"}, TRUNCATED),
    (SITE, STRETCHED | ZOOKEEPER | {"topic.min.insync.replicas": "3"} | THIRD_PLACE, set()),
    (SITE, STRETCHED | ACKS_1, TRUNCATED),
    (SITE, STRETCHED | ACKS_1 | {"topic.min.insync.replicas": "3"}, {A.LOST_WRITE}),
    (SITE, STRETCHED | {"application.racks": "4"}, set()),
    (REASSIGNMENT, SAFE | ACKS_1, {A.LOST_WRITE, A.DUPLICATE, A.REORDERED}),
]


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_an_event_permits_these_anomalies(
    event: str, fields: dict[str, str], expected: set[Anomaly]
):
    assert permits(described(fields), event) - HARMLESS == expected


WAITS = [
    (
        DISK,
        SAFE,
        "with several, it continues without that one, and another replica leads immediately",
    ),
    (DISK, SAFE | {"kafka": "3.6"}, "kafka=3.6 continues and does not inform the controller"),
    (DISK, SAFE | {"kafka": "3.6", "application.metadata.mode": "zookeeper"}, "leads immediately"),
    (DISK, SAFE | {"topic.replication.factor": "1"}, "the only replica is on that disk"),
    (REASSIGNMENT, SAFE | MOVED_AT_ANY_TIME, "fewer than min.insync.replicas=2 may be left"),
    (SITE, STRETCHED, "racks=2: one rack may have the majority of the controllers. If that rack"),
    (
        SITE,
        STRETCHED | {"application.controllers": "4"},
        "one rack may have 2 of the 4 controllers",
    ),
    (SITE, STRETCHED | ZOOKEEPER, "the majority of the servers of ZooKeeper"),
    (SITE, STRETCHED | {"topic.min.insync.replicas": "3"}, "fewer than min.insync.replicas=3"),
    (REASSIGNMENT, SAFE, "broker.session.timeout.ms=9000"),
]


@pytest.mark.parametrize(("event", "fields", "message"), WAITS)
def test_an_unavailability_names_its_cause(event: str, fields: dict[str, str], message: str):
    assert message in assessed(described(fields), event).permits[A.UNAVAILABLE]


def test_moving_replicas_only_in_sync_is_advised_unless_a_third_copy_is_guaranteed() -> None:
    [change] = recommend(described(SAFE | MOVED_AT_ANY_TIME)).changes
    assert (change.setting, change.after) == ("replicas.moved", "in-sync-only")
    assert "under-replicated" in change.price
    assert not recommend(described(SAFE | MOVED_AT_ANY_TIME | THREE_COPIES)).changes
    assert not recommend(described(SAFE)).changes


def test_two_sites_need_min_isr_above_half_and_a_third_site_for_a_controller() -> None:
    recommendation = recommend(described(STRETCHED))
    changes = {(change.setting, change.after) for change in recommendation.changes}
    assert changes == {("min.insync.replicas", 3), ("metadata.racks", 3)}
    site = assessed(described(STRETCHED), SITE).event
    assert "two and a half data centres" in site.beyond_settings
    assert A.UNAVAILABLE not in permits(described(STRETCHED | THIRD_PLACE), SITE)
    three = SAFE | {"application.racks": "3"}
    assert A.UNAVAILABLE not in permits(described(three), SITE)


TWO_SITES = {
    "topic.replication.factor": "4",
    "topic.min.insync.replicas": "3",
    "brokers": "6",
    "application.racks": "2",
}
OFFSETS_MIN_ISR = "application.offsets.topic.min.insync.replicas"
TRANSACTION_LOG_MIN_ISR = "broker.transaction.state.log.min.isr"
STREAMS_TOPICS = {
    "family": "streams",
    "streams.replication.factor": "3",
    "streams.topic.min.insync.replicas": "2",
}
REMOTE_METADATA_MIN_ISR = "application.remote.metadata.min.insync.replicas"
TIERED = {"topic.remote.storage.enable": "true", REMOTE_METADATA_MIN_ISR: "2"}
# One of two racks has two of three copies (KIP-36); each of four racks has one of four.
INTERNAL_TOPICS = [
    ("offsets-topic-lost", SAFE, {OFFSETS_MIN_ISR: "3"}),
    ("transaction-log-lost", SAFE | TRANSACTIONAL, {TRANSACTION_LOG_MIN_ISR: "3"}),
    ("streams-internal-topics-lost", STREAMS_TOPICS, {"streams.topic.min.insync.replicas": "3"}),
    ("broker-disk-lost", SAFE | TIERED, {REMOTE_METADATA_MIN_ISR: "3"}),
]


@pytest.mark.parametrize(("event", "fields", "fix"), INTERNAL_TOPICS)
def test_a_lost_site_loses_the_data_of_internal_topics(
    event: str, fields: dict[str, str], fix: dict[str, str]
) -> None:
    stretched = fields | TWO_SITES
    reasons = " ".join(assessed(described(stretched), event).permits.values())
    assert "2 brokers in one rack (application.racks=2)" in reasons
    assert permits(described(stretched), event) - HARMLESS
    assert not permits(described(stretched | fix), event) - HARMLESS
    assert not permits(described(stretched | {"application.racks": "3"}), event) - HARMLESS
    assert not permits(described(stretched | {"need.survive": "0"}), event) - HARMLESS


@pytest.mark.parametrize(("event", "fields", "fix"), INTERNAL_TOPICS)
def test_a_copy_that_is_removed_too_early_is_missing_in_internal_topics(
    event: str, fields: dict[str, str], fix: dict[str, str]
) -> None:
    early = fields | THREE_COPIES | {"kafka": "3.7", "application.replicas.moved": "any-time"}
    anomalies = permits(described(early), event) - HARMLESS
    assert anomalies
    assert not permits(described(early | fix), event) - HARMLESS
    in_time = {"application.replicas.moved": "in-sync-only"}
    assert not permits(described(early | in_time), event) - HARMLESS


def test_exactly_once_in_two_sites_needs_three_copies_of_offsets_and_the_transaction_log() -> None:
    wish = {"need.guarantee": "exactly-once", "consumer.auto.offset.reset": "none"}
    changes = recommend(described(SAFE | TRANSACTIONAL | TWO_SITES | wish)).changes
    assert {(change.setting, change.after) for change in changes} == {
        ("offsets.topic.replication.factor", 4),
        ("offsets.topic.min.insync.replicas", 3),
        ("transaction.state.log.replication.factor", 4),
        ("transaction.state.log.min.isr", 3),
        ("metadata.racks", 3),
    }
