"""The anomalies that events other than a broker crash permit, on both sides of the settings.

Numbers in brackets name the experiments of the fact base that showed it on real products.
"""

from __future__ import annotations

import pytest

from advisor.reasoning.guarantees import Anomaly
from tests.advisor.pipelines import (
    ACKS_1,
    AGAIN,
    HARMLESS,
    LRK,
    RF3,
    SAFE,
    SKIP,
    SPARK,
    TRANSACTIONAL,
    TRUNCATED,
    UNCLEAN,
    A,
    assessed,
    described,
    permits,
)

AWAY = {"consumer.auto.offset.reset": "earliest", "application.outage.ms": "1000000"}
PATIENT = {"consumer.max.poll.interval.ms": "2147483647"}
COMPACT = SAFE | {"topic.cleanup.policy": "compact"}
LOAD = {"application.rate": "1000", "application.message.bytes": "1000"}
UNCOMMITTED = {"consumer.isolation.level": "read_uncommitted"}
EMPTY = {"application.disk.lost": "returns-empty"}
SKIP_ERROR = {"application.processing.errors": "skip"}
NO_ELR = {"application.eligible.leader.replicas.version": "0"}

PAUSE, LONGEST_PAUSE = "producer.reconnect.backoff.ms", "producer.reconnect.backoff.max.ms"
IDEMPOTENT_LRK = SAFE | LRK | {"producer.enable.idempotence": "true"}
LIBRDKAFKA_FOR_EVER = {
    "family": "librdkafka", "producer.enable.idempotence": "true",
    "producer.message.timeout.ms": "0",
}  # fmt: skip

LIMIT = {"consumer.maxOffsetsPerTrigger": "200"}
FOUR_HOURS = {"topic.retention.ms": "14400000"}
NINE_HOURS = {"application.outage.ms": "32400000"}
ALL_IN_SYNC = {"topic.min.insync.replicas": "3"}
CASES = [
    # A leader alone below min.insync.replicas accepts acks=1; eligible replicas lack it (E3).
    # A rolling restart kills each leader, also one that is alone in sync, and needs a wait.
    ("rolling-restart", SAFE, set()),
    ("rolling-restart", SAFE | ACKS_1 | NO_ELR, {A.LOST_WRITE, A.DUPLICATE, A.REORDERED}),
    ("rolling-restart", RF3 | {"producer.acks": "0"}, {A.LOST_WRITE}),
    ("rolling-restart", SAFE | UNCLEAN, TRUNCATED | {A.GIVEN_UP}),
    ("rolling-restart", SAFE | UNCLEAN | ALL_IN_SYNC, set()),
    # Before 3.7 a refused record can be read, and a replica without it may lead.
    ("unclean-election", SAFE | ALL_IN_SYNC | UNCLEAN | {"kafka": "3.6"}, {A.DIVERGED} | SKIP),
    ("unclean-election", SAFE | ALL_IN_SYNC | UNCLEAN | {"kafka": "3.7"}, set()),
    ("unclean-election", SAFE | ALL_IN_SYNC | {"kafka": "3.6"}, set()),
    ("isr-shrunk-leader-down", SAFE, set()),
    ("isr-shrunk-leader-down", SAFE | ACKS_1, {A.LOST_WRITE}),
    ("isr-shrunk-leader-down", SAFE | ACKS_1 | NO_ELR, set()),
    ("isr-shrunk-leader-down", SAFE | ACKS_1 | {"kafka": "4.0"}, set()),
    ("isr-shrunk-leader-down", RF3 | {"producer.acks": "0"}, {A.LOST_WRITE}),
    ("isr-shrunk-leader-down", RF3 | UNCLEAN, TRUNCATED | {A.GIVEN_UP}),
    # The in-sync set shrinks below the minimum, and an empty broker leads (docs/decisions/0033).
    ("isr-shrunk-leader-lost", SAFE | NO_ELR, set()),
    ("isr-shrunk-leader-lost", SAFE | NO_ELR | UNCLEAN, TRUNCATED),
    ("isr-shrunk-leader-lost", SAFE | NO_ELR | UNCLEAN | ALL_IN_SYNC, set()),
    ("isr-shrunk-leader-lost", SAFE | UNCLEAN, TRUNCATED),
    ("isr-shrunk-leader-lost", SAFE | NO_ELR | EMPTY, TRUNCATED),
    ("isr-shrunk-leader-lost", SAFE | EMPTY | {"kafka": "3.9"}, TRUNCATED),
    ("isr-shrunk-leader-lost", SAFE | EMPTY | {"kafka": "3.3"}, TRUNCATED),
    ("isr-shrunk-leader-lost", SAFE | EMPTY | {"kafka": "4.0"}, TRUNCATED),
    ("isr-shrunk-leader-lost", SAFE | NO_ELR | EMPTY | {"topic.min.insync.replicas": "3"},
     TRUNCATED),
    ("isr-shrunk-leader-lost", SAFE | EMPTY, set()),
    ("last-replica-loses-power", SAFE, set()),
    ("last-replica-loses-power", SAFE | NO_ELR, TRUNCATED),
    ("last-replica-loses-power", SAFE | {"kafka": "3.9"}, TRUNCATED),
    ("last-replica-loses-power", SAFE | NO_ELR | {"topic.flush.messages": "1"}, set()),
    # An unclean election does not wait for the disk of the last leader (seed 1607).
    ("last-replica-loses-power", SAFE | UNCLEAN | {"topic.flush.messages": "1"},
     TRUNCATED | {A.GIVEN_UP}),
    ("last-replica-loses-power", SAFE | ACKS_1 | UNCLEAN | {"topic.flush.messages": "1"},
     TRUNCATED),
    ("last-replica-loses-power", RF3, TRUNCATED),
    # Records that a leader below the minimum acknowledges alone cannot be read (since 3.7).
    ("last-replica-loses-power", SAFE | ACKS_1, {A.LOST_WRITE}),
    ("all-replicas-lose-power", SAFE, TRUNCATED),
    ("all-replicas-lose-power", SAFE | {"topic.flush.messages": "100"}, TRUNCATED),
    ("all-replicas-lose-power", SAFE | {"topic.flush.messages": "1"}, set()),
    ("all-replicas-lose-power", SAFE | ACKS_1 | {"topic.flush.messages": "1"}, {A.LOST_WRITE}),
    # Internal topics are as safe as their number of copies (E10, E20).
    ("offsets-topic-lost", SAFE, set()),
    ("offsets-topic-lost", {"broker.offsets.topic.replication.factor": "1"}, SKIP),
    ("offsets-topic-lost", SAFE | {"broker.offsets.topic.replication.factor": "1"}, AGAIN),
    ("offsets-topic-lost", {"brokers": "1"}, set()),
    ("transaction-log-lost", SAFE, set()),
    ("transaction-log-lost", SAFE | TRANSACTIONAL, set()),
    ("transaction-log-lost", SAFE | TRANSACTIONAL | {
        "broker.transaction.state.log.min.isr": "1"}, {A.TORN_TRANSACTION}),
    # ceil(RF / racks) of the replicas may be in one rack.
    ("rack-lost", SAFE | {"application.racks": "3"}, set()),
    ("rack-lost", SAFE | {"application.racks": "2"}, TRUNCATED | {A.GIVEN_UP}),
    ("rack-lost", SAFE | {"application.racks": "2", "topic.min.insync.replicas": "3"}, TRUNCATED),
    ("rack-lost", SAFE, TRUNCATED | {A.GIVEN_UP}),
    # A client whose timeout is shorter than a follower may lag sends again (E14).
    ("followers-slow", SAFE, set()),
    ("followers-slow", RF3 | LRK, {A.DUPLICATE, A.REORDERED}),
    ("followers-slow", RF3 | LRK | {"producer.request.timeout.ms": "45000"}, set()),
    ("followers-slow", RF3 | ACKS_1, set()),
    ("leader-cut-off", SAFE, set()),
    ("leader-cut-off", RF3, set()),
    ("leader-cut-off", RF3 | {"producer.acks": "0"}, {A.LOST_WRITE}),
    # Records in memory are lost with the process (E12), unless a new session resends them.
    ("producer-killed", SAFE, {A.GIVEN_UP}),
    ("producer-killed", SAFE | {"application.restart": "resumes"}, set()),
    ("producer-killed", SAFE | {"application.resend": "on-error"}, set()),
    ("producer-killed", SAFE | TRANSACTIONAL, set()),
    ("producer-restarted", SAFE, set()),
    ("producer-restarted", SAFE | {"application.restart": "resumes"},
     {A.DUPLICATE, A.EFFECT_DUPLICATED}),
    ("producer-restarted", SAFE | TRANSACTIONAL | {"application.restart": "resumes"}, set()),
    ("producer-restarted", SAFE | {"application.resend": "on-error",
                                   "application.restart": "forgets"}, set()),
    # Java waits and gives up (E13); Python raises BufferError (E12).
    ("producer-buffer-full", SAFE, set()),
    ("producer-buffer-full", SAFE | {"producer.max.block.ms": "1000"}, {A.GIVEN_UP}),
    ("producer-buffer-full", LRK, set()),
    ("producer-buffer-full", LRK | {"application.delivery.errors": "ignored"}, {A.GIVEN_UP}),
    ("transactional-id-shared", SAFE | TRANSACTIONAL, set()),
    ("aborted-input-not-read-again", SAFE | TRANSACTIONAL, {A.REDELIVERY}),
    # Seen in runs: consumers that are read_uncommitted also have the aborted results.
    ("aborted-input-not-read-again", SAFE | TRANSACTIONAL | UNCOMMITTED, AGAIN),
    ("consumer-killed-before-commit", SAFE | TRANSACTIONAL, {A.REDELIVERY}),
    ("consumer-killed-before-commit", SAFE | TRANSACTIONAL | UNCOMMITTED, AGAIN),
    ("consumer-killed-before-commit",
     SAFE | TRANSACTIONAL | UNCOMMITTED | {"application.sink": "idempotent"}, {A.REDELIVERY}),
    ("aborted-input-not-read-again",
     SAFE | TRANSACTIONAL | {"application.abort": "continues"}, SKIP),
    ("aborted-input-not-read-again", SAFE | {"application.abort": "continues"}, set()),
    # The client commits up to the records that it delivered (E5, E6).
    ("asynchronous-processing", {}, set()),
    ("asynchronous-processing", {"application.processing": "asynchronous"}, SKIP),
    ("asynchronous-processing", {"application.processing": "asynchronous",
                                 "consumer.enable.auto.commit": "false"}, set()),
    # A listener container commits when the listener has returned.
    ("asynchronous-processing", {"application.processing": "asynchronous",
                                 "application.framework": "spring"}, SKIP),
    ("asynchronous-processing", {"application.processing": "asynchronous",
                                 "application.framework": "quarkus"}, set()),
    ("asynchronous-processing", LRK | {"application.processing": "asynchronous",
                                       "consumer.enable.auto.offset.store": "false"}, set()),
    ("exception-then-close", {}, set()),
    ("exception-then-close", {"application.processing.errors": "close"}, SKIP),
    ("exception-then-close", {"application.processing.errors": "close",
                              "consumer.enable.auto.commit": "false"}, set()),
    ("unprocessable-message", {"application.processing.errors": "skip"}, {A.EFFECT_MISSING}),
    ("unprocessable-message", {"application.framework": "spring"}, {A.EFFECT_MISSING}),
    ("unprocessable-message", {"application.framework": "spring-2.4"}, {A.EFFECT_MISSING}),
    ("unprocessable-message", {"application.framework": "spring-cloud-stream"},
     {A.EFFECT_MISSING}),
    ("unprocessable-message", {"application.framework": "quarkus"}, set()),
    ("unprocessable-message", {"application.framework": "connect"}, set()),
    ("unprocessable-message", {"application.framework": "spring",
                               "application.processing.errors": "retry"}, set()),
    ("unprocessable-message", {"application.framework": "spring",
                               "application.dead.letter": "acknowledged"}, {A.KEY_REORDERED}),
    ("unprocessable-message", {"application.dead.letter": "acknowledged",
                               "consumer.enable.auto.commit": "false"}, set()),
    ("dead-letter-refused", {"application.framework": "spring"}, set()),
    ("dead-letter-refused", {"application.dead.letter": "unacknowledged"}, set()),
    ("dead-letter-refused", SKIP_ERROR | {"application.dead.letter": "acknowledged"}, set()),
    ("dead-letter-refused", SKIP_ERROR | {"application.dead.letter": "unacknowledged"}, SKIP),
    ("dead-letter-refused", LRK | SKIP_ERROR | {"application.dead.letter": "unacknowledged"}, SKIP),
    ("unprocessable-message", {"application.retry.topics": "true"}, {A.KEY_REORDERED}),
    ("unprocessable-message", {"application.retry.topics": "true",
                               "consumer.enable.auto.commit": "false",
                               "application.processing.errors": "close"}, {A.KEY_REORDERED}),
    ("unprocessable-message", {"application.retry.topics": "true",
                               "application.processing.errors": "close"}, SKIP | {A.KEY_REORDERED}),
    ("unprocessable-message", SKIP_ERROR | {"application.retry.topics": "true"},
     {A.KEY_REORDERED, A.EFFECT_MISSING}),
    ("unprocessable-message", {}, set()),
    ("unprocessable-message", {"application.processing.errors": "close"}, SKIP),
    ("unprocessable-message", {"application.processing.errors": "close",
                               "consumer.enable.auto.commit": "false"}, set()),
    ("rebalance-during-processing", {}, AGAIN),
    ("rebalance-during-processing", {"application.commit": "before-processing"}, set()),
    ("rebalance-during-processing", SAFE | TRANSACTIONAL, {A.REDELIVERY}),
    ("static-member-lost", {"consumer.group.instance.id": "reader-1"}, set()),
    ("group-offsets-expired", {"application.outage.ms": "604799999"}, set()),
    ("group-offsets-expired", {"application.outage.ms": "604800000"}, SKIP),
    ("group-offsets-expired", {}, set()),
    ("group-offsets-expired", {"broker.offsets.retention.minutes": "5"}, SKIP),
    ("group-offsets-expired", {"broker.offsets.retention.minutes": "6"}, set()),
    ("retention-overtakes-reader", SAFE | {"application.outage.ms": "604799999"}, set()),
    ("retention-overtakes-reader", SAFE | {"application.outage.ms": "604800000"},
     {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", {"topic.retention.ms": "-1"}, set()),
    ("retention-overtakes-reader", {"topic.retention.ms": "1"}, SKIP),
    ("retention-overtakes-reader", {"topic.cleanup.policy": "compact"}, set()),
    # A dead reader costs its session timeout (45 s) and a rebalance (up to 300 s) in any case.
    ("retention-overtakes-reader", SAFE, set()),
    ("retention-overtakes-reader", SAFE | {"topic.retention.ms": "345000"}, {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", SAFE | {"topic.retention.ms": "345000",
                                           "application.outage.ms": "0"}, {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", SAFE | {"topic.retention.ms": "345001"}, set()),
    ("retention-overtakes-reader", SAFE | PATIENT | {"topic.retention.ms": "345001"}, set()),
    ("retention-overtakes-reader", SAFE | {"consumer.group.protocol": "consumer",
     "broker.group.consumer.session.timeout.ms": "60000", "topic.retention.ms": "360000"},
     {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", SPARK | {"topic.retention.ms": "120000"}, SKIP),
    ("retention-overtakes-reader", SPARK | {"topic.retention.ms": "120001"}, set()),
    ("retention-overtakes-reader", {"family": "streams", "topic.retention.ms": "345000"},
     {A.EFFECT_MISSING}),
    # The buffer of a producer may arrive all at once.
    ("retention-overtakes-reader", SAFE | {"topic.retention.bytes": "33554431"},
     {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", SAFE | {"topic.retention.bytes": "33554432"}, set()),
    ("retention-overtakes-reader", LRK | {"topic.retention.bytes": "1073741823"}, SKIP),
    ("retention-overtakes-reader", LRK | {"topic.retention.bytes": "1073741824"}, set()),
    ("retention-overtakes-reader", SAFE | LOAD | {"topic.retention.bytes": "345000000"},
     {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", SAFE | LOAD | {"topic.retention.bytes": "345000001"}, set()),
    ("retention-overtakes-reader", AWAY | {"topic.retention.bytes": "1000"}, {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", AWAY | LOAD | {"topic.retention.bytes": "1000000000"},
     {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", AWAY | LOAD | {"topic.retention.bytes": "1000000001"}, set()),
    ("retention-overtakes-reader", AWAY | {"topic.retention.bytes": "0",
                                           "topic.cleanup.policy": "compact"}, set()),
    # A reader whose offset is gone starts by auto.offset.reset; Spark stops or skips (E19).
    ("offset-out-of-range", {}, SKIP),
    ("offset-out-of-range", SAFE, AGAIN),
    ("offset-out-of-range", SPARK, set()),
    ("offset-out-of-range", SPARK | {"consumer.failOnDataLoss": "false"}, SKIP),
    ("partition-added", {}, SKIP),
    ("partition-added", SAFE, set()),
    ("keys-moved", {}, {A.KEY_REORDERED}),
    ("log-compaction", {}, set()),
    ("log-compaction", {"topic.cleanup.policy": "compact,delete"}, {A.EFFECT_MISSING}),
    ("log-compaction", COMPACT | {"topic.min.compaction.lag.ms": "346000"}, {A.EFFECT_MISSING}),
    ("log-compaction", COMPACT | {"topic.min.compaction.lag.ms": "346001"}, set()),
    # Tombstones are removed, too (KIP-534): a reader that lags longer keeps the key.
    ("retention-overtakes-reader", COMPACT, set()),
    ("retention-overtakes-reader", COMPACT | {"topic.delete.retention.ms": "345001"}, set()),
    ("retention-overtakes-reader", COMPACT | {"topic.delete.retention.ms": "345000"},
     {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", COMPACT | {"application.outage.ms": "86400001"},
     {A.EFFECT_MISSING}),
    ("retention-overtakes-reader", SAFE | {"topic.delete.retention.ms": "0"}, set()),
    # The first response never arrives, and there is no time for a retry.
    ("acknowledgement-lost", SAFE | {"producer.delivery.timeout.ms": "30114"}, {A.GIVEN_UP}),
    ("acknowledgement-lost", SAFE | {"producer.delivery.timeout.ms": "30115"}, set()),
    ("acknowledgement-lost", IDEMPOTENT_LRK | {"producer.delivery.timeout.ms": "60164"},
     {A.GIVEN_UP, A.DUPLICATE, A.REORDERED}),
    ("acknowledgement-lost", IDEMPOTENT_LRK | {"producer.delivery.timeout.ms": "60165"}, set()),
    ("acknowledgement-lost", IDEMPOTENT_LRK | {"producer.delivery.timeout.ms": "30000",
                                        "application.resend": "on-error"}, set()),
    # The connection is restored too late for a retry.
    ("acknowledgement-lost", SAFE | {PAUSE: "3600000"}, {A.GIVEN_UP}),
    ("acknowledgement-lost", SAFE | {PAUSE: "3600000", LONGEST_PAUSE: "89985"}, set()),
    ("acknowledgement-lost", SAFE | {PAUSE: "3600000", LONGEST_PAUSE: "89986"}, {A.GIVEN_UP}),
    ("acknowledgement-lost", SAFE | {PAUSE: "3600000", LONGEST_PAUSE: "3600000",
                                     "application.resend": "on-error"}, set()),
    ("acknowledgement-lost", IDEMPOTENT_LRK | {PAUSE: "200000", LONGEST_PAUSE: "300000"},
     {A.GIVEN_UP, A.DUPLICATE, A.REORDERED}),
    # A retry keeps its old timestamp and is refused finally.
    ("leader-killed", SAFE | {"topic.message.timestamp.before.max.ms": "1000"}, {A.GIVEN_UP}),
    ("leader-killed", SAFE | {"topic.message.timestamp.before.max.ms": "86400000"}, set()),
    ("leader-killed", SAFE | {"topic.message.timestamp.before.max.ms": "1000",
                              "topic.message.timestamp.type": "LogAppendTime"}, set()),
    ("leader-killed", SAFE | {"kafka": "3.9", "topic.message.timestamp.difference.max.ms": "1000"},
     {A.GIVEN_UP}),
    ("leader-killed", SAFE | {"kafka": "3.9", "topic.message.timestamp.difference.max.ms": "1000",
                              "topic.message.timestamp.before.max.ms": "86400000"}, set()),
    ("leader-killed", SAFE | {"kafka": "3.5", "topic.message.timestamp.difference.max.ms": "1000"},
     {A.GIVEN_UP}),
    ("query-falls-behind", SPARK | FOUR_HOURS | NINE_HOURS | LIMIT, {A.EFFECT_MISSING}),
    ("query-falls-behind", SPARK | FOUR_HOURS | NINE_HOURS | LIMIT
     | {"consumer.failOnDataLoss": "false"}, {A.EFFECT_MISSING}),
    ("query-falls-behind", SPARK | FOUR_HOURS | NINE_HOURS, set()),
    ("query-falls-behind", SPARK | FOUR_HOURS | LIMIT, set()),
    ("query-falls-behind", SPARK | FOUR_HOURS | NINE_HOURS | LIMIT
     | {"topic.retention.ms": "32400001"}, set()),
    ("query-falls-behind", SPARK | FOUR_HOURS | NINE_HOURS | LIMIT
     | {"topic.cleanup.policy": "compact"}, set()),
    ("spark-speculation", SPARK, set()),
    ("spark-speculation", SPARK | {"application.speculation": "true"}, {A.DUPLICATE}),
    ("spark-checkpoint-lost", SPARK | {"application.checkpoint": "durable"}, set()),
    ("spark-checkpoint-lost", SPARK | {"application.checkpoint": "local"}, SKIP),
    # Spark reads open and aborted records unless it is read_committed (E18).
    ("transaction-aborted", SPARK, set()),
    ("transaction-aborted", SPARK | {"application.upstream": "transactional"},
     {A.ABORTED_READ, A.EFFECT_DUPLICATED}),
    ("transaction-aborted", SPARK | {"application.upstream": "transactional",
                                     "consumer.isolation.level": "read_committed"}, set()),
    ("producer-state-expired", SAFE, set()),
    ("producer-state-expired", SAFE | {"producer.delivery.timeout.ms": "86400001"}, {A.DUPLICATE}),
    ("producer-state-expired", SAFE | {"producer.delivery.timeout.ms": "86400001", "kafka": "3.3"},
     set()),
    ("producer-state-expired", SAFE | {"broker.producer.id.expiration.ms": "60000"},
     {A.DUPLICATE}),
    ("producer-state-expired", SAFE | TRANSACTIONAL | {"broker.producer.id.expiration.ms": "60000"},
     set()),
    ("producer-state-expired", LIBRDKAFKA_FOR_EVER, {A.DUPLICATE}),
    ("producer-state-expired",
     LIBRDKAFKA_FOR_EVER | {"producer.enable.idempotence": "false"}, {A.DUPLICATE, A.REORDERED}),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_an_event_permits_these_anomalies(
    event: str, fields: dict[str, str], expected: set[Anomaly]
):
    assert permits(described(fields), event) - HARMLESS == expected


STANDSTILLS = [
    ("transaction-hanging", SAFE | TRANSACTIONAL, "70,000 ms"),
    ("static-member-lost", {"consumer.group.instance.id": "reader-1"}, "session.timeout.ms=45000"),
    ("followers-slow", SAFE, "45,000 ms"),
    ("leader-cut-off", SAFE, "broker.session.timeout.ms=9000"),
    ("offsets-topic-lost", {"brokers": "2"}, "is not possible with 2 brokers"),
    ("transaction-log-lost", {"brokers": "2"} | TRANSACTIONAL, "is not possible with 2 brokers"),
    ("transactional-id-shared", SAFE | TRANSACTIONAL, "transactional.id=stated"),
    ("transactional-id-expired", SAFE | TRANSACTIONAL, "transactional.id.expiration.ms=604800000"),
    ("unprocessable-message", SAFE, "application.processing.errors=retry"),
    ("unprocessable-message", {"application.framework": "quarkus"}, "failure-strategy=fail"),
    (
        "dead-letter-refused",
        SKIP_ERROR | {"application.dead.letter": "acknowledged"},
        "application.dead.letter=acknowledged",
    ),
    ("isr-shrunk-leader-down", SAFE, "eligible.leader.replicas.version=1"),
    ("isr-shrunk-leader-down", SAFE | NO_ELR, "unclean.leader.election.enable=false"),
]


@pytest.mark.parametrize(("event", "fields", "message"), STANDSTILLS)
def test_a_standstill_names_its_duration_or_setting(
    event: str, fields: dict[str, str], message: str
):
    permitted = assessed(described(fields), event).permits
    assert any(message in permitted[anomaly] for anomaly in HARMLESS & permitted.keys())


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({}, HARMLESS),
        ({"version": "4.0"}, HARMLESS),
        ({"version": "3.9", "kafka": "3.9"}, {A.UNAVAILABLE}),
        (LRK, {A.UNAVAILABLE}),
        ({"application.commit": "after-processing"}, {A.UNAVAILABLE}),
        ({"application.idle.ms": "604800000"}, HARMLESS),
        ({"application.idle.ms": "604799999"}, set()),
    ],
)
def test_a_java_producer_since_4_0_is_unusable_after_its_transactional_id_expired(
    fields: dict[str, str], expected: set[Anomaly]
) -> None:
    """Seen with 3.3.2 to 4.4.0 and librdkafka 2.16: docs/decisions/0022."""
    pipeline = described(SAFE | TRANSACTIONAL | fields)
    assert permits(pipeline, "transactional-id-expired") == expected


DECISIVE_FACTS = {
    "producer-killed": {"application.restart": "forgets"},
    "rack-lost": {"application.racks": "3"},
    "log-compaction": {"application.history": "every", "topic.cleanup.policy": "compact"},
}


@pytest.mark.parametrize("name", DECISIVE_FACTS)
def test_an_event_that_depends_on_a_fact_counts_once_the_fact_is_stated(name: str):
    assert not assessed(described(SAFE), name).in_scope
    assert assessed(described(SAFE | DECISIVE_FACTS[name]), name).in_scope


@pytest.mark.parametrize(
    "name", ["all-replicas-lose-power", "last-replica-loses-power", "keys-moved", "log-compaction"]
)
def test_an_event_outside_of_every_requirement_is_shown_and_never_in_scope(name: str):
    fields = {"topic.cleanup.policy": "compact", "need.ordering": "on", "need.survive": "2"}
    assessment = assessed(described(fields), name)
    assert assessment.permits
    assert not assessment.in_scope
    assert assessment.event.not_counted
