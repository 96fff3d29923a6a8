"""Brokers that are taken to have ZooKeeper.

What it is
    The brokers run a line of Kafka before 3.3, the first whose KRaft mode is for production.

Why it matters
    ZooKeeper says which broker is alive. A dead one is given up after up to 21 s
    (zookeeper.session.timeout.ms=18000 and one tick), where KRaft takes 9 s; a leader that is cut
    off from the other brokers while it reaches ZooKeeper is never given up. There are no eligible
    leader replicas. All this was read in Kafka's and ZooKeeper's code and documents and not seen
    in a run: experiments for these brokers run on Kafka 3.3, in KRaft mode.

Use instead
    No setting closes it, and no guarantee hangs on it where clients wait long enough. Kafka 4.0
    and later have no ZooKeeper: a cluster goes there from KRaft mode, with a metadata version of
    3.3 or later.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import Replication


def check(pipeline: Pipeline) -> str | None:
    """The line alone says it."""
    topic = Replication(pipeline)
    if not topic.zookeeper:
        return None
    return (
        f"kafka={pipeline.kafka} is taken to have ZooKeeper, as all before 3.3: a dead broker is "
        f"given up after up to {topic.silent_ms:,} ms ({topic.fencing}). Experiments run on Kafka "
        "3.3 in KRaft mode, where broker.session.timeout.ms decides."
    )


RULE = Rule(
    code="B008",
    name="brokers-before-kraft",
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
    valid=({"family": "java", "kafka": "3.3"}, {"family": "java"}),
    invalid=(
        {"family": "java", "kafka": "3.2"},
        {"family": "java", "kafka": "2.8", "broker.zookeeper.session.timeout.ms": "6000"},
    ),
    confidence=Confidence.MEDIUM,
)
