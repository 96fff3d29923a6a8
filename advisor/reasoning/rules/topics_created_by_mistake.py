"""Topics created by a misspelt name, with one copy.

What it is
    auto.create.topics.enable=true on brokers whose default.replication.factor is 1, if at least one
    of the two was stated.

Why it matters
    When a producer writes to a topic that does not exist, the topic is created with 1 copy and
    min.insync.replicas=1, and acks=all succeeds. This was seen in a run. All messages are on the
    disk of one broker.

Use instead
    auto.create.topics.enable=false; or default.replication.factor=3 and, for the whole
    cluster, min.insync.replicas=2.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Alike, Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline

_CREATES, _COPIES = "auto.create.topics.enable", "default.replication.factor"


def check(pipeline: Pipeline) -> str | None:
    """Reports what a broker's file states; defaults alone do not show what the cluster has."""
    if not {_CREATES, _COPIES} & pipeline.stated(Component.BROKER).keys():
        return None
    copies = pipeline.number(Component.BROKER, _COPIES)
    if copies > 1 or not pipeline.flag(Component.BROKER, _CREATES):
        return None
    return (
        f"{_CREATES}=true with {_COPIES}={copies}: a misspelt name becomes a topic with one copy, "
        "and sends to it succeed."
    )


RULE = Rule(
    code="B006",
    name="topics-made-by-a-slip",
    severity=Severity.MEDIUM,
    component=Component.BROKER,
    setting=_CREATES,
    check=check,
    sources=("Kafka ConfigDef, auto.create.topics.enable", "KIP-464"),
    valid=(
        {"family": "java"},
        {"family": "java", "broker.auto.create.topics.enable": "false"},
        {"family": "java", "broker.default.replication.factor": "3"},
    ),
    invalid=(
        {"family": "java", "broker.auto.create.topics.enable": "true"},
        {"family": "java", "broker.default.replication.factor": "1"},
    ),
    confidence=Confidence.MEDIUM,
    shown_by=(
        Alike(
            "only-replica-down",
            "of a topic with one copy that was created on purpose: no run misspells a name",
        ),
    ),
)
