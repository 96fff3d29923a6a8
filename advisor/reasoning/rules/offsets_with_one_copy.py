"""Committed offsets on one broker only.

What it is
    offsets.topic.replication.factor=1 in a cluster of more brokers, as in the file that Kafka
    ships as a sample.

Why it matters
    While that broker is down, its groups stop although the topic is fine; with its disk
    every position goes, and auto.offset.reset decides what is skipped or read again.

Use instead
    3 before the first group starts; a topic that exists needs a reassignment.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """One copy, where there could be more."""
    name = "offsets.topic.replication.factor"
    if pipeline.brokers < 2 or pipeline.number(Component.BROKER, name) > 1:
        return None
    return f"{name}=1: with one broker the positions of its groups are away, or gone."


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
