"""A topic that keeps the last message of each key.

What it is
    cleanup.policy contains compact.

Why it matters
    A reader that is behind does not get every message: only the latest message of each key is
    guaranteed to stay. The deletes of keys are removed too, after delete.retention.ms. A message
    without a key is refused.

Use instead
    cleanup.policy=delete for events that are all needed; compact for a table of latest values.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a topic that is compacted."""
    policy = pipeline.text(Component.TOPIC, "cleanup.policy")
    if "compact" not in policy:
        return None
    return (
        f"cleanup.policy={policy}: a reader that is behind gets the latest message of each key, "
        "not all of them; a message without a key is refused."
    )


RULE = Rule(
    code="T006",
    name="compacted-topic",
    severity=Severity.LOW,
    component=Component.TOPIC,
    setting="cleanup.policy",
    check=check,
    sources=(
        "Kafka design.md, Log Compaction",
        "Kafka TopicConfig, cleanup.policy",
    ),
    valid=({"family": "java"},),
    invalid=({"family": "java", "topic.cleanup.policy": "compact"},),
)
