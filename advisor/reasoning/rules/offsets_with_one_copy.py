"""Committed offsets on one broker only.

What it is
    offsets.topic.replication.factor=1 in a cluster of several brokers, as in the sample file that
    Kafka ships.

Why it matters
    While that broker is down, its groups stop, although the topic itself is available. If its disk
    is lost, every position is lost, and auto.offset.reset decides what is skipped or read again.

Use instead
    3, before the first group starts. An existing topic needs a reassignment.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports one copy of the offsets on a cluster of several brokers."""
    name = "offsets.topic.replication.factor"
    if pipeline.brokers < 2 or pipeline.number(Component.BROKER, name) > 1:
        return None
    return (
        f"{name}=1: when one broker is down or lost, the positions of its groups are unavailable "
        "or lost."
    )


RULE = Rule(
    code="B002",
    name="offsets-with-one-copy",
    severity=Severity.HIGH,
    component=Component.BROKER,
    setting="offsets.topic.replication.factor",
    check=check,
    sources=(
        "Kafka GroupCoordinatorConfig, offsets.topic.replication.factor",
        "apache/kafka config/server.properties (ships 1)",
    ),
    valid=(
        {"family": "java"},
        {"family": "java", "brokers": "1", "broker.offsets.topic.replication.factor": "1"},
    ),
    invalid=({"family": "java", "broker.offsets.topic.replication.factor": "1"},),
)
