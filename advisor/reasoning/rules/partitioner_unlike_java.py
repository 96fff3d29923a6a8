"""Keys that go to other partitions than those of a Java producer.

What it is
    A librdkafka producer with order required and a partitioner other than murmur2 or
    murmur2_random. The default, consistent_random, hashes with CRC32.

Why it matters
    A Java producer (also Kafka Streams and Connect) puts the same key into another partition. There
    is no order between partitions, and joins by key do not find their counterpart.

Use instead
    partitioner=murmur2_random, before the topic has messages.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a partitioner other than Java's if order is required."""
    if pipeline.family is not Family.LIBRDKAFKA or not pipeline.requirement.ordering:
        return None
    partitioner = pipeline.text(Component.PRODUCER, "partitioner")
    if partitioner.startswith("murmur2"):
        return None
    return (
        f"partitioner={partitioner}: if a Java client also writes to the topic, one key is in two "
        "partitions."
    )


RULE = Rule(
    code="P008",
    name="partitioner-unlike-java",
    severity=Severity.LOW,
    component=Component.PRODUCER,
    setting="partitioner",
    check=check,
    sources=(
        "librdkafka CONFIGURATION.md, partitioner",
        "confluentinc/librdkafka#4510",
    ),
    valid=(
        {"family": "librdkafka"},
        {"family": "librdkafka", "need.ordering": "on", "producer.partitioner": "murmur2_random"},
        {"family": "java", "need.ordering": "on"},
    ),
    invalid=({"family": "librdkafka", "need.ordering": "on"},),
    confidence=Confidence.MEDIUM,
)
