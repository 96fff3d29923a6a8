"""A transaction that times out before a failover is over.

What it is
    transaction.timeout.ms is below the longest pause that ends by itself.

Why it matters
    When a broker dies, sends wait for the next leader. Meanwhile the brokers abort the transaction.
    The producer is fenced or gets an error, and the work is done again.

Use instead
    The default of 60,000 ms, or more than broker.session.timeout.ms and 1.5 times
    replica.lag.time.max.ms. With a dead producer, readers of committed records wait for that time,
    too.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a transaction that times out before the longest pause ends."""
    topic = Replication(pipeline)
    if not pipeline.text(Component.PRODUCER, "transactional.id") or not topic.fails_over:
        return None
    timeout_ms = pipeline.number(Component.PRODUCER, "transaction.timeout.ms")
    if timeout_ms >= topic.slowest_pause_ms:
        return None
    return (
        f"transaction.timeout.ms={timeout_ms}: a pause for a slow or dead replica lasts up to "
        f"{topic.slowest_pause_ms} ms, and the brokers may abort the transaction during that pause."
    )


RULE = Rule(
    code="P007",
    name="transaction-timeout-below-fail-over",
    severity=Severity.MEDIUM,
    component=Component.PRODUCER,
    setting="transaction.timeout.ms",
    check=check,
    sources=(
        "Kafka ConfigDef, transaction.timeout.ms",
        "KIP-98",
        "ReplicaManager.scala, startup (ISR check)",
    ),
    valid=(
        {
            "family": "java",
            "producer.transactional.id": "orders-1",
            "topic.replication.factor": "3",
        },
        {"family": "java", "producer.transaction.timeout.ms": "1000"},
    ),
    invalid=(
        {
            "family": "java",
            "producer.transactional.id": "orders-1",
            "topic.replication.factor": "3",
            "producer.transaction.timeout.ms": "10000",
        },
    ),
)
