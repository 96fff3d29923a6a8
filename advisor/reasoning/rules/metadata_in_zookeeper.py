"""Brokers that use ZooKeeper, or may use it.

What it is
    The brokers run a line of Kafka before 3.3 and are assumed to use ZooKeeper, because 3.3 is the
    first line whose KRaft mode is for production. Or they run a line from 3.3 to 3.9, which has
    both modes, and use ZooKeeper, or their mode was not stated (application.metadata.mode).

Why it matters
    ZooKeeper decides which broker is alive. A broker that crashes is declared dead after up to 21 s
    (zookeeper.session.timeout.ms=18000 and one tick); KRaft takes 9 s. A leader that is cut off
    from the other brokers but still reaches ZooKeeper is not declared dead. There are no eligible
    leader replicas. All this was read in Kafka's and ZooKeeper's code and documents. Experiments
    use ZooKeeper where their scenario says so (`manage.py scenarios`), and KRaft mode otherwise.

Use instead
    State which mode it is. No setting changes the rest, and no guarantee depends on it if clients
    wait long enough. Kafka 4.0 and later have no ZooKeeper: a cluster is upgraded to them from
    KRaft mode, with a metadata version of 3.3 or later.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication, controllers
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline

_MODE = "metadata.mode"


def check(pipeline: Pipeline) -> str | None:
    """Reports ZooKeeper, stated or assumed, and a mode that was not stated where both exist."""
    topic = Replication(pipeline)
    if topic.zookeeper:
        where = "Experiments use ZooKeeper where their scenario says so, and KRaft mode otherwise."
        return f"{topic.with_zookeeper}: {_detection_time(topic)}. {where}"
    answers = pipeline.stated(Component.APPLICATION)
    if not topic.asks_for_the_mode or _MODE in answers or controllers(pipeline):
        return None
    other = Replication(pipeline.with_setting(Component.APPLICATION, _MODE, "zookeeper"))
    return (
        f"Brokers of {pipeline.kafka} use KRaft or ZooKeeper, and which one was not stated. KRaft "
        "is assumed: a broker that crashes is declared dead after "
        f"{topic.failure_detection_ms:,} ms ({topic.fencing}). With ZooKeeper ({_MODE}=zookeeper) "
        f"{_detection_time(other)}."
    )


def _detection_time(topic: Replication) -> str:
    return (
        f"a broker that crashes is declared dead after up to {topic.failure_detection_ms:,} ms "
        f"({topic.fencing})"
    )


RULE = Rule(
    code="B008",
    name="metadata-in-zookeeper",
    severity=Severity.LOW,
    component=Component.BROKER,
    setting="zookeeper.session.timeout.ms",
    check=check,
    sources=(
        "KIP-833 (KRaft for production)",
        "KIP-500, Motivation",
        "KIP-537 (zookeeper.session.timeout.ms)",
        "Kafka upgrade.md, 4.0 (from KRaft mode, metadata version 3.3)",
    ),
    valid=(
        {"family": "java"},
        {"family": "java", "kafka": "3.9", "application.metadata.mode": "kraft"},
        {"family": "java", "kafka": "3.3", "application.controllers": "3"},
    ),
    invalid=(
        {"family": "java", "kafka": "3.2"},
        {"family": "java", "kafka": "2.8", "broker.zookeeper.session.timeout.ms": "6000"},
        {"family": "java", "kafka": "3.3", "application.metadata.mode": "zookeeper"},
        {"family": "java", "kafka": "3.9"},
    ),
    confidence=Confidence.MEDIUM,
)
