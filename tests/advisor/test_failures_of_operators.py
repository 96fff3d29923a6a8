"""What teams do themselves, with topics, quotas, clocks and threads, on both sides of what decides.

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
GIVEN_UP_AND_TWICE = {A.GIVEN_UP, A.DUPLICATE, A.EFFECT_DUPLICATED}
"""With librdkafka's idempotence, which ends with each record that is given up."""
WHILE_RUNNING = {"application.topic.recreated": "while-running"}
STOPPED = {"application.topic.recreated": "clients-stopped"}
GONE = {A.DIVERGED, A.LOST_WRITE, A.GIVEN_UP, A.REORDERED} | SKIP | AGAIN
SPRING = {"application.framework": "spring"}
THREADS = {
    "application.processing": "asynchronous", "application.commit": "after-processing",
    "consumer.enable.auto.commit": "false",
}  # fmt: skip
QUOTA = {"application.producer.byte.rate": "100000"}
SLOW = {"application.producer.byte.rate": "1000", "producer.buffer.memory": "100000"}
LOAD_OF_IT = {"application.rate": "100", "application.message.bytes": "1000"}
MORE = LOAD_OF_IT | {"application.rate": "101"}
TWO_HOURS = {"application.clock.skew.ms": "7200000"}
REPLAYED = {"application.timestamps": "from-source"}
RESENDS = {"application.resend": "on-error"}
BROKERS_CLOCK = {"topic.message.timestamp.type": "LogAppendTime"}

CASES = [
    # Another topic of the same name: its offsets begin anew, and clients know it by its name.
    ("topic-recreated", SAFE, set()),
    ("topic-recreated", SAFE | WHILE_RUNNING, GONE),
    ("topic-recreated", SAFE | WHILE_RUNNING | TRANSACTIONAL, GONE | {A.TORN_TRANSACTION}),
    ("topic-recreated", SAFE | WHILE_RUNNING | {"application.sink": "idempotent"},
     GONE - {A.EFFECT_DUPLICATED}),
    ("topic-recreated", SAFE | STOPPED, {A.DIVERGED}),
    ("topic-recreated", SAFE | STOPPED | {"consumer.auto.offset.reset": "latest"},
     {A.DIVERGED} | SKIP),
    ("topic-recreated", SAFE | STOPPED | {"consumer.auto.offset.reset": "none"}, {A.DIVERGED}),
    ("topic-recreated", SPARK | STOPPED, {A.DIVERGED} | SKIP),
    # Code that commits by itself says of each record that it is done, or of all up to one.
    ("commits-out-of-order", SAFE, set()),
    ("commits-out-of-order", SAFE | THREADS, SKIP),
    ("commits-out-of-order", SAFE | THREADS | {"application.commit.order": "in-order"}, set()),
    # A container that keeps their order waits for threads; one that does not, does not.
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
    # 33,554,432 bytes at 100,000 a second take 335 s; a record is tried for 120.
    ("quota-throttled", SAFE, set()),
    ("quota-throttled", SAFE | QUOTA, {A.GIVEN_UP}),
    ("quota-throttled", SAFE | QUOTA | LOAD_OF_IT, set()),
    ("quota-throttled", SAFE | QUOTA | MORE, {A.GIVEN_UP}),
    ("quota-throttled", SAFE | QUOTA | RESENDS, set()),
    ("quota-throttled", SAFE | QUOTA | {"producer.buffer.memory": "12000000"}, set()),
    ("quota-throttled", SAFE | QUOTA | {"producer.buffer.memory": "12000100"}, {A.GIVEN_UP}),
    ("quota-throttled", SAFE | QUOTA | {"producer.delivery.timeout.ms": "335544"}, set()),
    ("quota-throttled", SAFE | QUOTA | {"producer.delivery.timeout.ms": "335543"}, {A.GIVEN_UP}),
    ("quota-throttled", SAFE | SLOW | {"producer.max.block.ms": "16384"}, set()),
    ("quota-throttled", SAFE | SLOW | {"producer.max.block.ms": "16383"}, {A.GIVEN_UP}),
    # Five requests of a megabyte wait unread for 52 s: the client takes their answers for lost.
    ("quota-throttled", SAFE | QUOTA | {"producer.enable.idempotence": "false"},
     {A.GIVEN_UP, A.DUPLICATE, A.REORDERED}),
    ("quota-throttled", IDEMPOTENT_LRK | QUOTA, GIVEN_UP_AND_TWICE),
    ("quota-throttled", IDEMPOTENT_LRK | QUOTA | {"producer.message.timeout.ms": "0"}, set()),
    ("quota-throttled", IDEMPOTENT_LRK | QUOTA | MORE, GIVEN_UP_AND_TWICE),
    ("quota-throttled",
     IDEMPOTENT_LRK | QUOTA | MORE | {"producer.queue.buffering.max.messages": "30000"}, set()),
    ("quota-throttled", SPARK | QUOTA, set()),
    # A producer's clock that is off is refused, and a broker's that is ahead deletes early.
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
    # A broker's refusal is final: an hour ahead since 4.0, any age (KIP-937, KIP-1030).
    ("foreign-timestamps", {}, set()),
    ("foreign-timestamps", REPLAYED, {A.EFFECT_MISSING, A.GIVEN_UP}),
    ("foreign-timestamps", REPLAYED | {"kafka": "3.9"}, {A.EFFECT_MISSING}),
    ("foreign-timestamps", REPLAYED | ACKS_0, {A.EFFECT_MISSING, A.LOST_WRITE}),
    ("foreign-timestamps", REPLAYED | RESENDS, {A.EFFECT_MISSING}),
    ("foreign-timestamps", REPLAYED | BROKERS_CLOCK, set()),
    ("foreign-timestamps", REPLAYED | {"topic.cleanup.policy": "compact"}, {A.GIVEN_UP}),
]  # fmt: skip


@pytest.mark.parametrize(("event", "fields", "expected"), CASES)
def test_an_event_permits_exactly_this(event: str, fields: dict[str, str], expected: set[Anomaly]):
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
    ("creates", "message"),
    [
        ({}, "with default.replication.factor=1"),
        ({"broker.auto.create.topics.enable": "false"}, "only the operator creates it"),
    ],
)
def test_who_may_create_the_topic_again_is_said(creates: dict[str, str], message: str) -> None:
    pipeline = described(SAFE | WHILE_RUNNING | creates)
    [event] = [event for event in events_for(pipeline) if event.name == "topic-recreated"]
    assert message in event.permits(pipeline)[A.LOST_WRITE]
