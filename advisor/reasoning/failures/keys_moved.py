"""One key is in two partitions: their number or the partitioner has changed."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.keys import AS_JAVA
from advisor.reasoning.event import FailureEvent, Permits, never_counted
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

_MOVED = (
    "a key's partition is its hash modulo the number of partitions, so the key moves when "
    "partitions are added, and there is no order between partitions."
)


def permits(pipeline: Pipeline) -> Permits:
    """Reordering of a key: there is no order between two partitions."""
    if pipeline.family is not Family.LIBRDKAFKA:
        return {Anomaly.KEY_REORDERED: f"partitioner=murmur2 (the Java client's own): {_MOVED}"}
    partitioner = pipeline.text(Component.PRODUCER, "partitioner")
    if partitioner in AS_JAVA:
        return {Anomaly.KEY_REORDERED: f"partitioner={partitioner}: {_MOVED}"}
    return {
        Anomaly.KEY_REORDERED: f"partitioner={partitioner}: a Java producer (murmur2) sends the "
        f"same key to another partition; and {_MOVED}"
    }


EVENT = FailureEvent(
    name="keys-moved",
    title="The number of partitions or the partitioner changes",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "Partitions are added to a topic with keys, or a producer with another partitioner writes "
        "to it. From then on the same key is in two partitions."
    ),
    permits=permits,
    beyond_settings=(
        "Give a topic with keys all the partitions that it will ever need, or move to a new topic "
        "and read the old one to its end first."
    ),
    scenario="keys-moved",
    sources=("Kafka operations/basic-kafka-operations.md, Modifying topics",
             "librdkafka CONFIGURATION.md, partitioner"),
    in_scope=never_counted,
    not_counted="you add partitions yourself, and no setting keeps a key in its partition",
)  # fmt: skip
