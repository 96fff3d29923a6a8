"""A reader that does not wait for transactions to be committed.

What it is
    isolation.level=read_uncommitted (the default of the Java client, of Spark, and of Kafka
    Streams with at_least_once) on a topic with a transactional producer.

Why it matters
    The reader gets messages of transactions that are open or were aborted, and then also the
    messages that replace them.

Use instead
    isolation.level=read_committed in every reader of the topic.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.transactions import writes_in_transactions
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a reader that does not wait for a transactional writer's commits."""
    transactional = writes_in_transactions(pipeline)
    isolation = pipeline.text(Component.CONSUMER, "isolation.level")
    if not transactional or isolation != "read_uncommitted":
        return None
    return (
        f"isolation.level=read_uncommitted with {transactional}: messages of "
        "aborted transactions are delivered."
    )


RULE = Rule(
    code="C003",
    name="uncommitted-reads-of-transactions",
    severity=Severity.HIGH,
    component=Component.CONSUMER,
    setting="isolation.level",
    check=check,
    sources=(
        "KIP-98",
        "Kafka ConfigDef, isolation.level",
    ),
    valid=(
        {"family": "java"},
        {
            "family": "librdkafka",
            "producer.transactional.id": "orders-1",
            "producer.delivery.timeout.ms": "60000",
        },
        {
            "family": "java",
            "producer.transactional.id": "orders-1",
            "consumer.isolation.level": "read_committed",
        },
    ),
    invalid=(
        {"family": "java", "producer.transactional.id": "orders-1"},
        {"family": "spark", "application.upstream": "transactional"},
        {"family": "streams", "application.upstream": "transactional"},
    ),
)
