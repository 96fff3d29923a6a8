"""What settings make of the order of messages while nothing fails."""

from __future__ import annotations

import pytest

from advisor.catalog import Component
from advisor.reasoning.failures import all_events
from advisor.reasoning.fields import from_fields
from advisor.reasoning.guarantees import FORBIDS, ORDER, Anomaly, Guarantee, Requirement
from advisor.reasoning.recommend import recommend
from tests.advisor.pipelines import LRK, SAFE, SPARK, broken, described, permits

IN_PARTITION, OF_KEY = {Anomaly.REORDERED}, {Anomaly.KEY_REORDERED}
CLASS = "producer.partitioner.class"
PACKAGE = "org.apache.kafka.clients.producer."
DEFAULT_PARTITIONER = f"{PACKAGE}internals.DefaultPartitioner"
OURS = {CLASS: "com.example.OurPartitioner", "application.partitioner": "by-key"}
NOT_IDEMPOTENT = {"producer.enable.idempotence": "false"}

CASES = [
    ({}, set()),
    (LRK, set()),
    (SPARK, set()),
    ({"family": "streams"}, set()),
    (LRK | {"producer.queuing.strategy": "lifo"}, IN_PARTITION),
    (LRK | {"producer.queuing.strategy": "fifo"}, set()),
    (LRK | {"producer.partitioner": "random"}, OF_KEY),
    (LRK | {"producer.partitioner": "fnv1a_random"}, set()),
    (LRK | {"producer.partitioner": "random", "producer.queuing.strategy": "lifo"},
     IN_PARTITION | OF_KEY),
    (LRK | {"application.other.writers": "java"}, OF_KEY),
    (LRK | {"application.other.writers": "librdkafka"}, set()),
    (LRK | {"application.other.writers": "java", "producer.partitioner": "murmur2"}, set()),
    (LRK | {"application.other.writers": "librdkafka", "producer.partitioner": "murmur2"}, OF_KEY),
    ({"application.other.writers": "librdkafka"}, OF_KEY),
    ({"application.other.writers": "java"}, set()),
    (SPARK | {"application.other.writers": "librdkafka"}, OF_KEY),
    ({CLASS: f"{PACKAGE}RoundRobinPartitioner"}, OF_KEY),
    ({CLASS: f"{PACKAGE}UniformStickyPartitioner", "version": "3.9"}, OF_KEY),
    ({CLASS: DEFAULT_PARTITIONER, "version": "3.9"}, set()),
    ({CLASS: "com.example.OurPartitioner"}, OF_KEY),
    (OURS, set()),
    (OURS | {"application.other.writers": "java"}, OF_KEY),
    (OURS | {"application.other.writers": "librdkafka"}, OF_KEY),
    (OURS | {CLASS: f"{PACKAGE}RoundRobinPartitioner"}, OF_KEY),
    (OURS | SPARK, set()),
    ({"producer.partitioner.ignore.keys": "true"}, OF_KEY),
    ({"producer.partitioner.ignore.keys": "true", CLASS: DEFAULT_PARTITIONER, "version": "3.9"},
     set()),
    ({"application.processing": "parallel"}, OF_KEY),
    (LRK | {"application.processing": "asynchronous"}, OF_KEY),
    ({"application.processing": "parallel", "application.processing.order": "by-key"}, set()),
    ({"application.processing": "synchronous", "application.processing.order": "any"}, set()),
    ({"application.processing": "asynchronous", "application.framework": "quarkus"}, set()),
    ({"application.processing": "asynchronous", "application.framework": "spring"}, OF_KEY),
    (SPARK | {"consumer.minPartitions": "12"}, OF_KEY),
    (SPARK | {"consumer.minPartitions": "1"}, set()),
    (SPARK | {"consumer.maxRecordsPerPartition": "1000"}, OF_KEY),
    (SPARK | {"consumer.maxRecordsPerPartition": "9223372036854775807"}, set()),
]  # fmt: skip


@pytest.mark.parametrize(("fields", "expected"), CASES)
def test_settings_that_keep_no_order_say_so(fields: dict[str, str], expected: set[Anomaly]) -> None:
    assert permits(described(fields), "order-given-up") == expected
    event = next(event for event in all_events() if event.name == "order-given-up")
    for reason in event.permits(described(fields)).values():
        assert any(name.partition(".")[2] in reason for name in fields if "." in name)


def test_order_is_of_a_partition_and_of_a_key_and_no_guarantee_asks_for_it() -> None:
    assert Requirement(Guarantee.NONE, ordering=True).forbids() == ORDER
    assert not any(ORDER & forbidden for forbidden in FORBIDS.values())


@pytest.mark.parametrize("fields", [
    fields for fields, expected in CASES if expected and CLASS not in fields
    and fields.get("application.other.writers") != "librdkafka"
])  # fmt: skip
def test_a_change_brings_the_order_back(fields: dict[str, str]) -> None:
    wish = {"need.guarantee": "none", "need.survive": "0"} | fields
    assert not broken(described(wish)), "without the wish for order it is no one's loss"
    pipeline = described(wish | {"need.ordering": "on", "producer.retries": "0"})
    assert broken(pipeline)
    recommendation = recommend(pipeline)
    assert not recommendation.impossible
    assert not broken(recommendation.pipeline)


def test_what_no_setting_brings_back_is_never_called_met_and_takes_the_order_alone() -> None:
    pipeline = described({"application.other.writers": "librdkafka", "need.ordering": "on"})
    assert broken(pipeline)
    recommendation = recommend(pipeline)
    [impossible] = recommendation.impossible
    assert impossible.nearest.startswith("at-least-once, with 1 broker lost for good.")
    assert recommendation.changes, "the changes are those for the nearest wish"


def test_a_class_of_ones_own_is_a_question_and_not_impossible() -> None:
    fields = SAFE | {CLASS: "com.example.OurPartitioner", "need.ordering": "on"}
    recommendation = recommend(described(fields))
    assert not recommendation.impossible
    assert [
        (change.component, change.setting, change.after) for change in recommendation.changes
    ] == [("application", "partitioner", "by-key")]


BLIND = {CLASS: f"{PACKAGE}RoundRobinPartitioner"}
OF_OTHERS = {CLASS: "com.example.OurPartitioner", "application.other.writers": "java"}


@pytest.mark.parametrize("fields", [
    BLIND, BLIND | {"version": "3.9"}, BLIND | {"version": "2.8", "kafka": "2.8"}, OF_OTHERS,
    OF_OTHERS | {"application.partitioner": "by-key"},
    {CLASS: "com.example.OurPartitioner", "application.partitioner": "other"},
])  # fmt: skip
def test_the_line_of_a_class_that_spreads_keys_is_removed(fields: dict[str, str]) -> None:
    pipeline = described(SAFE | fields | {"need.ordering": "on"})
    recommendation = recommend(pipeline)
    assert not recommendation.impossible
    lines = [change for change in recommendation.changes if change.removes]
    assert [(change.setting, change.after) for change in lines] == [("partitioner.class", None)]
    assert "partitioner.class" not in recommendation.pipeline.stated(Component.PRODUCER)
    assert not broken(recommendation.pipeline)


def test_the_newest_first_is_refused_with_idempotence() -> None:
    stated = LRK | {"producer.queuing.strategy": "lifo"}
    assert from_fields(stated | NOT_IDEMPOTENT)[0] is not None
    for idempotent in ({"producer.enable.idempotence": "true"}, {"producer.transactional.id": "a"}):
        _, problems = from_fields(stated | idempotent)
        assert [problem.message for problem in problems] == [
            "`queuing.strategy` must be set to `fifo` when `enable.idempotence` is true"
        ]
