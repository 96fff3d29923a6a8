"""Anomalies caused by operators and code: topics, quotas, clocks and threads.

The other events are in `test_failures` and `test_failures_beyond_crashes`.
"""

from __future__ import annotations

import pytest

from advisor.reasoning.failures import events_for
from advisor.reasoning.guarantees import Anomaly
from tests.advisor.pipelines import (
    ACKS_0,
    AGAIN,
    HARMLESS,
    LRK,
    SAFE,
    SKIP,
    SPARK,
    TRANSACTIONAL,
    A,
    described,
    permits,
)

IDEMPOTENT_LRK = SAFE | LRK
GIVEN_UP_AND_DUPLICATED = {A.GIVEN_UP, A.DUPLICATE, A.EFFECT_DUPLICATED}
"""With librdkafka, whose idempotence ends when a record is given up."""
WHILE_RUNNING = {"application.topic.recreated": "while-running"}
STOPPED = {"application.topic.recreated": "clients-stopped"}
RECREATED = {A.DIVERGED, A.LOST_WRITE, A.GIVEN_UP, A.REORDERED} | SKIP | AGAIN
SPRING = {"application.framework": "spring"}
THREADS = {
    "application.processing": "asynchronous", "application.commit": "after-processing",
    "consumer.enable.auto.commit": "false",
}  # fmt: skip
QUOTA = {"application.producer.byte.rate": "100000"}
SLOW = {"application.producer.byte.rate": "1000", "producer.buffer.memory": "100000"}
AT_QUOTA = {"application.rate": "100", "application.message.bytes": "1000"}
ABOVE_QUOTA = AT_QUOTA | {"application.rate": "101"}
TWO_HOURS = {"application.clock.skew.ms": "7200000"}
REPLAYED = {"application.timestamps": "from-source"}
RESENDS = {"application.resend": "on-error"}
BROKERS_CLOCK = {"topic.message.timestamp.type": "LogAppendTime"}

CASES = [
    # A new topic of the same name: offsets restart at 0, and clients know it by name only.
    ("topic-recreated", SAFE, set()),
    ("topic-recreated", SAFE | WHILE_RUNNING, RECREATED),
    ("topic-recreated", SAFE | WHILE_RUNNING | TRANSACTIONAL, RECREATED | {A.TORN_TRANSACTION}),
    ("topic-recreated", SAFE | WHILE_RUNNING | {"application.sink": "idempotent"},
     RECREATED - {A.EFFECT_DUPLICATED}),
    ("topic-recreated", SAFE | STOPPED, {A.DIVERGED}),
    ("topic-recreated", SAFE | STOPPED | {"consumer.auto.offset.reset": "latest"},
     {A.DIVERGED} | SKIP),
    ("topic-recreated", SAFE | STOPPED | {"consumer.auto.offset.reset": "none"}, {A.DIVERGED}),
    ("topic-recreated", SPARK | STOPPED, {A.DIVERGED} | SKIP),
    # Manual commits: each record as it completes, or all records up to the first incomplete one.
    ("commits-out-of-order", SAFE, set()),
    ("commits-out-of-order", SAFE | THREADS, SKIP),
    ("commits-out-of-order", SAFE | THREADS | {"application.commit.order": "in-order"}, set()),
    # A container that commits in order waits for the threads; other containers do not.
    ("asynchronous-processing", SAFE | THREADS | SPRING, SKIP),
    ("asynchronous-processing", SAFE | THREADS | SPRING | {"application.commit.order": "as-done"},
     SKIP),
    ("asynchronous-processing", SAFE | THREADS | SPRING | {"application.commit.order": "in-order"},
     set()),
    ("commits-out-of-order", SAFE | THREADS | SPRING | {"application.commit.order": "in-order"},
     set()),
    ("commits-out-of-order", SAFE | THREADS | {"application.commit": "before-processing"}, set()),
    ("commits-out-of-order", SAFE | THREADS | TRANSACTIONAL, SKIP),
    ("commits-out-of-order", SAFE | THREADS | {"application.framework": "spring"}, set()),
    ("commits-out-of-order", SAFE | THREADS | {"application.framework": "quarkus"}, set()),
    ("commits-out-of-order",
     SAFE | THREADS
     | {"application.framework": "quarkus", "application.commit.order": "as-done"}, SKIP),
    ("commits-out-of-order", LRK | {"application.processing": "asynchronous"}, set()),
    ("commits-out-of-order",
     LRK | {"application.processing": "asynchronous",
            "consumer.enable.auto.offset.store": "false"}, SKIP),
    # 33,554,432 bytes at 100,000 bytes/s take 335 s; a record is tried for 120 s.
    ("quota-throttled", SAFE, set()),
    ("quota-throttled", SAFE | QUOTA, {A.GIVEN_UP}),
    ("quota-throttled", SAFE | QUOTA | AT_QUOTA, set()),
    ("quota-throttled", SAFE | QUOTA | ABOVE_QUOTA, {A.GIVEN_UP}),
    ("quota-throttled", SAFE | QUOTA | RESENDS, set()),
    ("quota-throttled", SAFE | QUOTA | {"producer.buffer.memory": "12000000"}, set()),
    ("quota-throttled", SAFE | QUOTA | {"producer.buffer.memory": "12000100"}, {A.GIVEN_UP}),
    ("quota-throttled", SAFE | QUOTA | {"producer.delivery.timeout.ms": "335544"}, set()),
    ("quota-throttled", SAFE | QUOTA | {"producer.delivery.timeout.ms": "335543"}, {A.GIVEN_UP}),
    ("quota-throttled", SAFE | SLOW | {"producer.max.block.ms": "16384"}, set()),
    ("quota-throttled", SAFE | SLOW | {"producer.max.block.ms": "16383"}, {A.GIVEN_UP}),
    # Five requests of 1 MB wait unread for 52 s: the client considers their responses lost.
    ("quota-throttled", SAFE | QUOTA | {"producer.enable.idempotence": "false"},
     {A.GIVEN_UP, A.DUPLICATE, A.REORDERED}),
    ("quota-throttled", IDEMPOTENT_LRK | QUOTA, GIVEN_UP_AND_DUPLICATED),
    ("quota-throttled", IDEMPOTENT_LRK | QUOTA | {"producer.message.timeout.ms": "0"}, set()),
    ("quota-throttled", IDEMPOTENT_LRK | QUOTA | ABOVE_QUOTA, GIVEN_UP_AND_DUPLICATED),
    ("quota-throttled",
     IDEMPOTENT_LRK | QUOTA | ABOVE_QUOTA | {"producer.queue.buffering.max.messages": "30000"},
     set()),
    ("quota-throttled", SPARK | QUOTA, set()),
    # Records of a producer whose clock is wrong are refused; a broker that is ahead deletes early.
    ("clocks-differ", SAFE, set()),
    ("clocks-differ", SAFE | TWO_HOURS, {A.GIVEN_UP}),
    ("clocks-differ", SAFE | TWO_HOURS | {"kafka": "3.9"}, set()),
    ("clocks-differ", SAFE | TWO_HOURS | BROKERS_CLOCK, set()),
    ("clocks-differ", SAFE | TWO_HOURS | {"topic.message.timestamp.after.max.ms": "7200000"},
     set()),
    ("clocks-differ", SAFE | TWO_HOURS | {"topic.message.timestamp.after.max.ms": "7199999"},
     {A.GIVEN_UP}),
    ("clocks-differ", SAFE | TWO_HOURS | RESENDS, set()),
    ("clocks-differ", SAFE | TWO_HOURS | ACKS_0, {A.LOST_WRITE}),
    ("clocks-differ", SAFE | {"application.clock.skew.ms": "5000", "topic.retention.ms": "350000"},
     {A.EFFECT_MISSING}),
    ("clocks-differ", SAFE | {"application.clock.skew.ms": "4999", "topic.retention.ms": "350000"},
     set()),
    # The broker's refusal is final: an hour ahead since 4.0; any age is fine (KIP-937, KIP-1030).
    ("foreign-timestamps", {}, set()),
    ("foreign-timestamps", REPLAYED, {A.EFFECT_MISSING, A.GIVEN_UP}),
    ("foreign-timestamps", REPLAYED | {"kafka": "3.9"}, {A.EFFECT_MISSING}),
    ("foreign-timestamps", REPLAYED | ACKS_0, {A.EFFECT_MISSING, A.LOST_WRITE}),
    ("foreign-timestamps", REPLAYED | RESENDS, {A.EFFECT_MISSING}),
    ("foreign-timestamps", REPLAYED | BROKERS_CLOCK, set()),
    ("foreign-timestamps", REPLAYED | {"topic.cleanup.policy": "compact"}, {A.GIVEN_UP}),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_an_event_permits_these_anomalies(
    event: str, fields: dict[str, str], expected: set[Anomaly]
):
    assert permits(described(fields), event) - HARMLESS == expected


@pytest.mark.parametrize(
    ("fields", "refused"),
    [
        ({"topic.message.timestamp.after.max.ms": "0"}, "after.max.ms=0"),
        ({"topic.message.timestamp.after.max.ms": "999"}, "after.max.ms=999"),
        ({"topic.message.timestamp.after.max.ms": "1000"}, ""),
        ({"topic.message.timestamp.after.max.ms": "0"} | BROKERS_CLOCK, ""),
        ({"kafka": "3.5", "topic.message.timestamp.difference.max.ms": "0"}, "difference.max.ms=0"),
        ({"topic.message.timestamp.before.max.ms": "999"}, "before.max.ms=999"),
        ({"application.clock.skew.ms": "0", "topic.message.timestamp.before.max.ms": "0"}, ""),
    ],
)
def test_a_refusal_by_the_clock_names_the_limit(fields: dict[str, str], refused: str) -> None:
    pipeline = described(SAFE | fields)
    [event] = [event for event in events_for(pipeline) if event.name == "clocks-differ"]
    text = event.permits(pipeline).get(A.GIVEN_UP, "")
    assert refused in text
    assert bool(refused) == bool(text)


@pytest.mark.parametrize(
    ("auto_create", "message"),
    [
        ({}, "with default.replication.factor=1"),
        ({"broker.auto.create.topics.enable": "false"}, "only the operator creates it"),
    ],
)
def test_the_reason_names_who_recreates_the_topic(
    auto_create: dict[str, str], message: str
) -> None:
    pipeline = described(SAFE | WHILE_RUNNING | auto_create)
    [event] = [event for event in events_for(pipeline) if event.name == "topic-recreated"]
    assert message in event.permits(pipeline)[A.LOST_WRITE]
