"""A producer without acks=all on a topic that asks for two copies.

What it is
    min.insync.replicas is 2 or more, and this producer has acks=1 or 0.

Why it matters
    Below min.insync.replicas only writes with acks=all are refused. This producer gets its
    acknowledgement with one copy, even while the other replicas are out of sync; since Kafka 3.7
    nobody can read those messages until enough replicas are back.

Use instead
    acks=all in every producer of the topic.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports acks below all on a topic whose minimum therefore does not protect the messages."""
    topic = Replication(pipeline)
    if topic.waits_for_followers or topic.min_isr < 2:
        return None
    return (
        f"acks={topic.acks} on a topic with min.insync.replicas={topic.min_isr}: if fewer "
        "replicas are in sync, brokers refuse only writes with acks=all, so the minimum does not "
        "protect these messages."
    )


RULE = Rule(
    code="P005",
    name="one-careless-producer-on-a-safe-topic",
    severity=Severity.HIGH,
    component=Component.PRODUCER,
    setting="acks",
    check=check,
    sources=(
        "Kafka design.md, Availability and Durability Guarantees",
        "KAFKA-15583",
    ),
    valid=(
        {"family": "java", "topic.replication.factor": "3", "topic.min.insync.replicas": "2"},
        {"family": "java", "producer.acks": "1"},
    ),
    invalid=(
        {
            "family": "java",
            "producer.acks": "1",
            "topic.replication.factor": "3",
            "topic.min.insync.replicas": "2",
        },
    ),
)
