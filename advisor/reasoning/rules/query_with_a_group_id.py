"""A Spark query with a fixed group id.

What it is
    kafka.group.id on Spark's Kafka source. If it is not stated, Spark creates a new one each time.

Why it matters
    Queries that run at the same time with one group id, batch or streaming, take partitions from
    each other: each may read only a part of the data.

Use instead
    Leave it unset. Where ACLs require a name, groupIdPrefix gives each query its own.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a fixed group id; whether another query has the same one was not stated."""
    if pipeline.family is not Family.SPARK:
        return None
    name = pipeline.text(Component.CONSUMER, "group.id")
    if not name:
        return None
    return (
        f"kafka.group.id={name}: with a second query of this group id, each reads only a part of "
        "the data."
    )


RULE = Rule(
    code="C010",
    name="query-with-a-group-id",
    severity=Severity.MEDIUM,
    component=Component.CONSUMER,
    setting="group.id",
    check=check,
    sources=("Spark structured-streaming-kafka-integration.md, kafka.group.id",),
    valid=({"family": "spark"}, {"family": "java"}),
    invalid=({"family": "spark", "consumer.kafka.group.id": "orders"},),
    confidence=Confidence.MEDIUM,
)
