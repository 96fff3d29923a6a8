"""A replica that lacks acknowledged messages may lead.

What it is
    unclean.leader.election.enable=true, on the topic or on the brokers.

Why it matters
    When every in-sync replica is down, one that fell behind becomes leader, and the others truncate
    what it does not have. Acknowledged messages are lost for good, with acks=all too. In a test,
    11,434 of 39,999 were lost.

Use instead
    false, the default: the partition waits for a replica that has everything.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports unclean elections that are allowed."""
    if not pipeline.flag(Component.TOPIC, "unclean.leader.election.enable"):
        return None
    return (
        "unclean.leader.election.enable=true: a replica that fell behind may lead, and "
        "acknowledged messages that it lacks are lost for good."
    )


RULE = Rule(
    code="T005",
    name="unclean-leader-election",
    severity=Severity.HIGH,
    component=Component.TOPIC,
    setting="unclean.leader.election.enable",
    check=check,
    sources=(
        "Kafka design.md, Unclean leader election",
        "KIP-106",
    ),
    valid=({"family": "java"},),
    invalid=(
        {"family": "java", "topic.unclean.leader.election.enable": "true"},
        {"family": "java", "broker.unclean.leader.election.enable": "true"},
    ),
)
