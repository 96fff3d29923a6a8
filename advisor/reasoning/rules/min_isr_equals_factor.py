"""A topic that needs every replica for every write.

What it is
    min.insync.replicas equals replication.factor, which is above 1.

Why it matters
    Writes with acks=all continue while at most replication.factor - min.insync.replicas brokers are
    down. Here that is 0: any restart of a broker stops writes to the topic.

Use instead
    replication.factor one above min.insync.replicas: with 3 and 2, one broker may be lost, and one
    may be down.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a topic with several replicas of which none may be down."""
    topic = Replication(pipeline)
    if topic.factor == 1 or topic.spares != 0:
        return None
    return (
        f"min.insync.replicas={topic.min_isr} with replication.factor={topic.factor}: while "
        "a broker with a replica is down, no write with acks=all succeeds."
    )


RULE = Rule(
    code="T003",
    name="no-replica-to-spare",
    severity=Severity.MEDIUM,
    component=Component.TOPIC,
    setting="min.insync.replicas",
    check=check,
    sources=("Kafka ConfigDef, min.insync.replicas",),
    valid=(
        {"family": "java", "topic.replication.factor": "3", "topic.min.insync.replicas": "2"},
        {"family": "java"},
    ),
    invalid=(
        {"family": "java", "topic.replication.factor": "2", "topic.min.insync.replicas": "2"},
    ),
)
