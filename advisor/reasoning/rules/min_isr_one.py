"""A replicated topic that acknowledges with one copy.

What it is
    min.insync.replicas=1 (the default) on a topic with more than one replica.

Why it matters
    acks=all waits for the replicas that are in sync now. When the other replicas have left the
    in-sync set, that is the leader alone. If the leader is then lost, so is what it acknowledged.
    In a test, 3 of 3 messages written with acks=all had one copy.

Use instead
    min.insync.replicas=2 with replication.factor=3: one broker may be lost, one may be down.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a minimum of one on a topic with several replicas."""
    topic = Replication(pipeline)
    if topic.factor == 1 or topic.min_isr > 1:
        return None
    return (
        f"min.insync.replicas=1 with replication.factor={topic.factor}: acks=all may mean one "
        "copy, which is lost with one broker."
    )


RULE = Rule(
    code="T002",
    name="one-in-sync-replica-is-enough",
    severity=Severity.HIGH,
    component=Component.TOPIC,
    setting="min.insync.replicas",
    check=check,
    sources=(
        "Kafka design.md, Availability and Durability Guarantees",
        "Kafka ConfigDef, min.insync.replicas",
    ),
    valid=(
        {"family": "java", "topic.replication.factor": "3", "topic.min.insync.replicas": "2"},
        {"family": "java"},
    ),
    invalid=({"family": "java", "topic.replication.factor": "3"},),
)
