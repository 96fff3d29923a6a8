"""Brokers whose heartbeat interval is too long for their session timeout.

What it is
    broker.heartbeat.interval.ms is more than half of broker.session.timeout.ms (KRaft mode).

Why it matters
    The controller fences a broker that has sent no heartbeat for the session timeout. If the
    interval is more than half of that, one late heartbeat is enough. If it is as long, every broker
    is fenced between two heartbeats, again and again, while it runs: its partitions lose their
    leader, and it leaves their in-sync sets. Kafka starts with such settings. Since 4.2 a broker
    logs an error. Seen on 4.3.1 with 3,000 and 1,000 ms: for 90 seconds three brokers were fenced
    and unfenced in turn, and all of them were never up together.

Use instead
    The defaults (2,000 and 9,000 ms), or a session of at least two intervals. Controllers read the
    session timeout and brokers read the interval, so write both into the files of both.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.finding import Alike, Rule, Severity
from advisor.reasoning.pipeline import Pipeline

_BEAT = "broker.heartbeat.interval.ms"


def check(pipeline: Pipeline) -> str | None:
    """Reports a session timeout shorter than two heartbeat intervals."""
    topic = Replication(pipeline)
    beat_ms = topic.heartbeat_ms
    if beat_ms is None or 2 * beat_ms <= topic.session_timeout_ms:
        return None
    if topic.repeated_fencing:
        return f"{topic.repeated_fencing}."
    return (
        f"{_BEAT}={beat_ms} is more than half of {topic.fencing}: after one late heartbeat, a "
        "broker that runs loses its partitions."
    )


RULE = Rule(
    code="B009",
    name="heartbeats-too-rare",
    severity=Severity.HIGH,
    component=Component.BROKER,
    setting=_BEAT,
    check=check,
    sources=("KAFKA-19432", "KIP-631", "BrokerHeartbeatManager.java, hasValidSession"),
    valid=(
        {"family": "java"},
        {"family": "java", "broker.broker.session.timeout.ms": "4000"},
        {"family": "java", "kafka": "3.2", "broker.zookeeper.session.timeout.ms": "6000"},
    ),
    invalid=(
        {"family": "java", "broker.broker.session.timeout.ms": "3000"},
        {"family": "java", "broker.broker.session.timeout.ms": "11"},
        {"family": "java", "broker.broker.heartbeat.interval.ms": "9000"},
    ),
    shown_by=(Alike("leader-killed", "of a broker that is silent because it is dead"),),
)
