"""A minimum that the topic can never reach.

What it is
    min.insync.replicas is above replication.factor.

Why it matters
    Since Kafka 3.7 there is no error: the broker uses the smaller of the two, so a topic with one
    replica acknowledges with one copy, whatever the minimum is. Before 3.7 every write with
    acks=all is refused.

Use instead
    A replication.factor of at least min.insync.replicas + 1.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a stated minimum above the number of replicas."""
    topic = Replication(pipeline)
    stated = pipeline.number(Component.TOPIC, "min.insync.replicas")
    if stated <= topic.factor:
        return None
    if topic.hides_below_min_isr:
        effect = f"the broker asks for {topic.min_isr}, without an error"
    else:
        effect = "before Kafka 3.7 every write with acks=all is refused"
    return f"min.insync.replicas={stated} with replication.factor={topic.factor}: {effect}."


RULE = Rule(
    code="T004",
    name="more-in-sync-replicas-than-replicas",
    severity=Severity.MEDIUM,
    component=Component.TOPIC,
    setting="min.insync.replicas",
    check=check,
    sources=(
        "KAFKA-15583",
        "Partition.scala, effectiveMinIsr",
    ),
    valid=({"family": "java", "topic.replication.factor": "3", "topic.min.insync.replicas": "2"},),
    invalid=(
        {"family": "java", "topic.replication.factor": "1", "topic.min.insync.replicas": "2"},
        {"family": "java", "kafka": "3.5", "topic.min.insync.replicas": "2"},
    ),
)
