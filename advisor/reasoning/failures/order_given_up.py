"""Nothing fails, and the settings themselves do not keep the order."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Group
from advisor.reasoning.behaviour.keys import keys_spread, tasks_split
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Reordering in a partition by the queue, and of a key by the partitioner, tasks or threads."""
    permitted: Permits = {}
    librdkafka = pipeline.family is Family.LIBRDKAFKA
    if librdkafka and pipeline.text(Component.PRODUCER, "queuing.strategy") == "lifo":
        permitted[Anomaly.REORDERED] = (
            "queuing.strategy=lifo: the newest of the waiting messages is sent first."
        )
    split, group = tasks_split(pipeline), Group.of(pipeline)
    reasons = [
        keys_spread(pipeline),
        split and f"{split}, at the same time: later messages of a key may be processed first.",
        group and group.unordered,
    ]
    if any(reasons):
        permitted[Anomaly.KEY_REORDERED] = " ".join(reason for reason in reasons if reason)
    return permitted


EVENT = FailureEvent(
    name="order-given-up",
    title="Nothing fails, and the settings keep no order",
    boundary=Boundary.END_TO_END,
    story="Producers send and readers read as configured, and no failure happens.",
    permits=permits,
    scenario="keys-moved",
    staged_as=(
        "partitions are added while messages with keys are sent, which shows whether the order of "
        "a key is kept at all"
    ),
    sources=(
        "librdkafka CONFIGURATION.md, queuing.strategy and partitioner",
        "Kafka ConfigDef, partitioner.class; KIP-369; KIP-794",
        "KafkaConsumer javadoc, Multi-threaded Processing",
        "Spark structured-streaming-kafka-integration.md, minPartitions",
    ),
    beyond_settings=(
        "Leave partitioner.class unset, or make sure that your own class uses the key. Give all "
        "producers of a topic with keys the same partitioner: partitioner=murmur2_random of "
        "librdkafka is Java's."
    ),
)
