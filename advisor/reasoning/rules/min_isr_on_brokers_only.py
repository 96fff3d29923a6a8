"""A min.insync.replicas in the brokers' files that a newer cluster does not read.

What it is
    min.insync.replicas above 1 is set on the brokers and not on the topic, and the cluster has
    eligible leader replicas: clusters created with 4.1 or later, and older ones after
    kafka-features.sh upgrade.

Why it matters
    With eligible leader replicas there is one value for the whole cluster, copied once from the
    active controller's file. If controllers are separate processes and their file lacks the line,
    or if it was added later, that value is 1 and overrides the brokers' files: all topics, existing
    ones too, silently require one copy only.
    Seen on 4.1.0, 4.2.1 and 4.3.1, and on a 4.0.2 cluster when it was upgraded.

Use instead
    Set it on the topic, or for the whole cluster with kafka-configs --entity-type brokers
    --entity-default. Do that while every replica is in sync, because the change resets what the
    cluster knows about eligible replicas. Write it into the controllers' files too.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import min_isr_only_on_brokers
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a minimum that is only in the brokers' files, where the release may ignore it."""
    stated = min_isr_only_on_brokers(pipeline)
    if stated is None:
        return None
    return (
        f"min.insync.replicas={stated} only in files of servers, with "
        "eligible.leader.replicas.version=1: the cluster keeps what its active controller's file "
        "stated when it was created or upgraded, and 1 if that stated nothing; kafka-configs "
        "--describe shows which."
    )


RULE = Rule(
    code="B001",
    name="min-isr-on-the-brokers-only",
    severity=Severity.HIGH,
    component=Component.BROKER,
    setting="min.insync.replicas",
    check=check,
    sources=(
        "Kafka operations/eligible-leader-replicas.md",
        "KIP-966",
        "strimzi/strimzi-kafka-operator#11685",
    ),
    valid=(
        {"family": "java", "broker.min.insync.replicas": "2", "topic.min.insync.replicas": "2"},
        {"family": "java", "kafka": "4.0", "broker.min.insync.replicas": "2"},
        {
            "family": "java",
            "broker.min.insync.replicas": "2",
            "application.eligible.leader.replicas.version": "0",
        },
    ),
    invalid=(
        {"family": "java", "broker.min.insync.replicas": "2"},
        {
            "family": "java",
            "kafka": "4.0",
            "broker.min.insync.replicas": "2",
            "application.eligible.leader.replicas.version": "1",
        },
    ),
    confidence=Confidence.MEDIUM,
)
