"""A topic with one copy of each message.

What it is
    replication.factor=1, stated or by the brokers' default (1, also for topics that are created by
    a typing error in a name).

Why it matters
    If one disk is lost, every message of the partition is lost. If one broker is down, the
    partition is unavailable. acks=all and min.insync.replicas cannot help.

Use instead
    replication.factor=3 with min.insync.replicas=2. It costs three times the disk.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a topic with one replica."""
    if Replication(pipeline).factor > 1:
        return None
    return (
        "replication.factor=1: the topic stops while one broker is down, and its messages are "
        "lost with one disk."
    )


RULE = Rule(
    code="T001",
    name="single-replica",
    severity=Severity.HIGH,
    component=Component.TOPIC,
    setting="replication.factor",
    check=check,
    sources=(
        "Kafka design.md, Replication",
        "KIP-464",
    ),
    valid=(
        {"family": "java", "topic.replication.factor": "3"},
        {"family": "java", "broker.default.replication.factor": "3"},
    ),
    invalid=(
        {"family": "java"},
        {"family": "java", "topic.replication.factor": "1", "topic.min.insync.replicas": "2"},
    ),
)
