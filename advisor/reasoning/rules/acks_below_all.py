"""A producer that does not wait for the followers.

What it is
    With acks=1 only the leader confirms a record; with acks=0 no broker does.

Why it matters
    When the leader dies, the messages that it acknowledged alone are lost: the next leader does not
    have them, and the old one truncates them when it returns. With acks=0 there is not even an
    error.

Use instead
    acks=all with min.insync.replicas=2 on a topic with three replicas. It costs a network round
    trip.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports acks other than all."""
    acks = pipeline.text(Component.PRODUCER, "acks")
    if acks == "0":
        return (
            "acks=0: a send counts as done when it leaves the client; a message that fails is "
            "lost without an error."
        )
    if acks == "1":
        return (
            "acks=1: messages that only the leader has are lost when it dies, acknowledged or not."
        )
    return None


RULE = Rule(
    code="P001",
    name="acks-below-all",
    severity=Severity.HIGH,
    component=Component.PRODUCER,
    setting="acks",
    check=check,
    sources=(
        "Kafka ConfigDef, acks",
        "Kafka design.md, Availability and Durability Guarantees",
    ),
    valid=(
        {"family": "java"},
        {"family": "librdkafka", "producer.acks": "-1"},
    ),
    invalid=(
        {"family": "java", "producer.acks": "1"},
        {"family": "librdkafka", "producer.acks": "0"},
        {"family": "java", "version": "2.8"},
    ),
)
