"""The order of messages that settings give without any failure."""

from __future__ import annotations

import pytest

from advisor.catalog import Component
from advisor.reasoning.failures import all_events
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import FORBIDS, ORDER, Anomaly, Guarantee, Requirement
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import LRK, SAFE, SPARK, broken, described, permits

REORDERED, KEY_REORDERED = {Anomaly.REORDERED}, {Anomaly.KEY_REORDERED}
CLASS = "producer.partitioner.class"
PACKAGE = "org.apache.kafka.clients.producer."
DEFAULT_PARTITIONER = f"{PACKAGE}internals.DefaultPartitioner"
OWN_PARTITIONER = {CLASS: "com.example.OurPartitioner", "application.partitioner": "by-key"}
NOT_IDEMPOTENT = {"producer.enable.idempotence": "false"}

CASES = [
    ({}, set()),
    (LRK, set()),
    (SPARK, set()),
    ({"family": "streams"}, set()),
    (LRK | {"producer.queuing.strategy": "lifo"}, REORDERED),
    (LRK | {"producer.queuing.strategy": "fifo"}, set()),
    (LRK | {"producer.partitioner": "random"}, KEY_REORDERED),
    (LRK | {"producer.partitioner": "fnv1a_random"}, set()),
    (LRK | {"producer.partitioner": "random", "producer.queuing.strategy": "lifo"},
     REORDERED | KEY_REORDERED),
    (LRK | {"application.other.writers": "java"}, KEY_REORDERED),
    (LRK | {"application.other.writers": "librdkafka"}, set()),
    (LRK | {"application.other.writers": "java", "producer.partitioner": "murmur2"}, set()),
    (LRK | {"application.other.writers": "librdkafka", "producer.partitioner": "murmur2"},
     KEY_REORDERED),
    ({"application.other.writers": "librdkafka"}, KEY_REORDERED),
    ({"application.other.writers": "java"}, set()),
    (SPARK | {"application.other.writers": "librdkafka"}, KEY_REORDERED),
    ({CLASS: f"{PACKAGE}RoundRobinPartitioner"}, KEY_REORDERED),
    ({CLASS: f"{PACKAGE}UniformStickyPartitioner", "version": "3.9"}, KEY_REORDERED),
    ({CLASS: DEFAULT_PARTITIONER, "version": "3.9"}, set()),
    ({CLASS: "com.example.OurPartitioner"}, KEY_REORDERED),
    (OWN_PARTITIONER, set()),
    (OWN_PARTITIONER | {"application.other.writers": "java"}, KEY_REORDERED),
    (OWN_PARTITIONER | {"application.other.writers": "librdkafka"}, KEY_REORDERED),
    (OWN_PARTITIONER | {CLASS: f"{PACKAGE}RoundRobinPartitioner"}, KEY_REORDERED),
    (OWN_PARTITIONER | SPARK, set()),
    ({"producer.partitioner.ignore.keys": "true"}, KEY_REORDERED),
    ({"producer.partitioner.ignore.keys": "true", CLASS: DEFAULT_PARTITIONER, "version": "3.9"},
     set()),
    ({"application.processing": "parallel"}, KEY_REORDERED),
    (LRK | {"application.processing": "asynchronous"}, KEY_REORDERED),
    ({"application.processing": "parallel", "application.processing.order": "by-key"}, set()),
    ({"application.processing": "synchronous", "application.processing.order": "any"}, set()),
    ({"application.processing": "asynchronous", "application.framework": "quarkus"}, set()),
    ({"application.processing": "asynchronous", "application.framework": "spring"}, KEY_REORDERED),
    (SPARK | {"consumer.minPartitions": "12"}, KEY_REORDERED),
    (SPARK | {"consumer.minPartitions": "1"}, set()),
    (SPARK | {"consumer.maxRecordsPerPartition": "1000"}, KEY_REORDERED),
    (SPARK | {"consumer.maxRecordsPerPartition": "9223372036854775807"}, set()),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), CASES)
def test_these_settings_give_up_the_order(fields: dict[str, str], expected: set[Anomaly]) -> None:
    assert permits(described(fields), "order-given-up") == expected
    event = next(event for event in all_events() if event.name == "order-given-up")
    for reason in event.permits(described(fields)).values():
        assert any(name.partition(".")[2] in reason for name in fields if "." in name)


def test_ordering_forbids_reordering_and_no_guarantee_does() -> None:
    assert Requirement(Guarantee.NONE, ordering=True).forbids() == ORDER
    assert not any(ORDER & forbidden for forbidden in FORBIDS.values())


@pytest.mark.parametrize("fields", [
    fields for fields, expected in CASES if expected and CLASS not in fields
    and fields.get("application.other.writers") != "librdkafka"
])  # fmt: skip
def test_a_change_restores_the_order(fields: dict[str, str]) -> None:
    wish = {"need.guarantee": "none", "need.survive": "0"} | fields
    assert not broken(described(wish)), "without the wish for order it is no one's loss"
    pipeline = described(wish | {"need.ordering": "on", "producer.retries": "0"})
    assert broken(pipeline)
    recommendation = recommend(pipeline)
    assert not recommendation.impossible
    assert not broken(recommendation.pipeline)


def test_an_order_that_no_setting_restores_is_impossible_without_other_losses() -> None:
    pipeline = described({"application.other.writers": "librdkafka", "need.ordering": "on"})
    assert broken(pipeline)
    recommendation = recommend(pipeline)
    [impossible] = recommendation.impossible
    assert impossible.nearest.startswith("at-least-once, with 1 broker lost for good.")
    assert recommendation.changes, "the changes are those for the nearest wish"


def test_a_custom_partitioner_is_a_question_and_not_impossible() -> None:
    fields = SAFE | {CLASS: "com.example.OurPartitioner", "need.ordering": "on"}
    recommendation = recommend(described(fields))
    assert not recommendation.impossible
    assert [
        (change.component, change.setting, change.after) for change in recommendation.changes
    ] == [("application", "partitioner", "by-key")]


ROUND_ROBIN = {CLASS: f"{PACKAGE}RoundRobinPartitioner"}
OTHER_WRITERS = {CLASS: "com.example.OurPartitioner", "application.other.writers": "java"}


@pytest.mark.parametrize("fields", [
    ROUND_ROBIN, ROUND_ROBIN | {"version": "3.9"}, ROUND_ROBIN | {"version": "2.8", "kafka": "2.8"},
    OTHER_WRITERS,
    OTHER_WRITERS | {"application.partitioner": "by-key"},
    {CLASS: "com.example.OurPartitioner", "application.partitioner": "other"},
])  # fmt: skip
def test_a_partitioner_that_ignores_keys_is_removed(fields: dict[str, str]) -> None:
    pipeline = described(SAFE | fields | {"need.ordering": "on"})
    recommendation = recommend(pipeline)
    assert not recommendation.impossible
    lines = [change for change in recommendation.changes if change.removes]
    assert [(change.setting, change.after) for change in lines] == [("partitioner.class", None)]
    assert "partitioner.class" not in recommendation.pipeline.stated(Component.PRODUCER)
    assert not broken(recommendation.pipeline)


def test_the_lifo_queue_is_refused_with_idempotence() -> None:
    stated = LRK | {"producer.queuing.strategy": "lifo"}
    assert from_fields(stated | NOT_IDEMPOTENT)[0] is not None
    for idempotent in ({"producer.enable.idempotence": "true"}, {"producer.transactional.id": "a"}):
        _, problems = from_fields(stated | idempotent)
        assert [problem.message for problem in problems] == [
            "`queuing.strategy` must be set to `fifo` when `enable.idempotence` is true"
        ]
