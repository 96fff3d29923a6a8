"""One partition read by several Spark tasks, where order is needed.

What it is
    minPartitions on Spark's Kafka source, while messages must stay in order.

Why it matters
    If the value is above the topic's number of partitions, Spark divides partitions among tasks
    that run at the same time, and there is no order between what they write. A shuffle or
    repartition() before the sink has the same effect.

Use instead
    Leave minPartitions unset and write without a shuffle, or sort by a sequence number of the
    sender where order matters.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports minPartitions if order is required; the topic may have fewer partitions."""
    if pipeline.family is not Family.SPARK or not pipeline.requirement.ordering:
        return None
    least = pipeline.value(Component.CONSUMER, "minPartitions")
    if least is None:
        return None
    return (
        f"minPartitions={least}: if the topic has fewer partitions, several tasks read one "
        "partition at the same time."
    )


RULE = Rule(
    code="C009",
    name="partitions-split-over-tasks",
    severity=Severity.MEDIUM,
    component=Component.CONSUMER,
    setting="minPartitions",
    check=check,
    sources=("Spark structured-streaming-kafka-integration.md, minPartitions",),
    valid=(
        {"family": "spark", "need.ordering": "on"},
        {"family": "spark", "consumer.minPartitions": "12"},
    ),
    invalid=({"family": "spark", "need.ordering": "on", "consumer.minPartitions": "12"},),
    confidence=Confidence.MEDIUM,
)
