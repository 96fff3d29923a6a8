"""A producer that stops trying before a fail-over is over.

What it is
    delivery.timeout.ms (or retries) ends before a dead broker is fenced or a hung follower has
    left the in-sync set; with one replica, before its only broker may be back (60 s).

Why it matters
    The client reports an error for a failure that would have ended by itself. If nobody checks the
    result, the message is missing. If the code sends it again, it may be in the log twice, because
    the first copy may have been written.

Use instead
    The default of the client (120,000 ms in Java, 300,000 ms in librdkafka), or more than
    broker.session.timeout.ms and 1.5 times replica.lag.time.max.ms.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a client that gives up before the longest pause that ends by itself."""
    return Session(pipeline).reason_to_give_up(Replication(pipeline).slowest_pause_ms)


RULE = Rule(
    code="P004",
    name="delivery-timeout-below-fail-over",
    severity=Severity.MEDIUM,
    component=Component.PRODUCER,
    setting="delivery.timeout.ms",
    check=check,
    sources=(
        "KIP-91",
        "ReplicaManager.scala, startup (ISR check)",
        "KIP-631",
    ),
    valid=(
        {"family": "java", "topic.replication.factor": "3"},
        {"family": "java", "producer.delivery.timeout.ms": "60000"},
    ),
    invalid=(
        {
            "family": "java",
            "topic.replication.factor": "3",
            "producer.delivery.timeout.ms": "40000",
        },
        {"family": "librdkafka", "topic.replication.factor": "3", "producer.retries": "3"},
    ),
)
