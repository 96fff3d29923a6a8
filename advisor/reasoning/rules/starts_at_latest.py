"""A group without a position that skips what is in the topic.

What it is
    auto.offset.reset=latest (for Spark, startingOffsets=latest), the default everywhere.

Why it matters
    A new group, one whose offsets expired (after 7 days by default), or one that lost them starts
    at the end: everything written before is skipped, without an error.

Use instead
    earliest, with a sink that tolerates duplicates; or none (librdkafka: error), with an alert.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.failures.no_committed_offset import start_setting
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a start at the end of the log."""
    name = start_setting(pipeline)
    if pipeline.text(Component.CONSUMER, name) != "latest":
        return None
    return f"{name}=latest: without a valid position, everything already in the log is skipped."


RULE = Rule(
    code="C001",
    name="new-group-starts-at-latest",
    severity=Severity.MEDIUM,
    component=Component.CONSUMER,
    setting="auto.offset.reset",
    check=check,
    sources=(
        "Kafka ConfigDef, auto.offset.reset",
        "Spark structured-streaming-kafka-integration.md, startingOffsets",
    ),
    valid=(
        {"family": "java", "consumer.auto.offset.reset": "earliest"},
        {"family": "spark", "consumer.startingOffsets": "earliest"},
    ),
    invalid=(
        {"family": "java"},
        {"family": "librdkafka", "consumer.auto.offset.reset": "largest"},
        {"family": "spark"},
    ),
)
