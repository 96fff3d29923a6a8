"""Outcomes of transactions on one broker only.

What it is
    A transactional producer, and transaction.state.log.min.isr (or the replication factor) is 1, as
    in the sample file that Kafka ships.

Why it matters
    The outcome of a transaction is written there before markers are written to the partitions. If
    the outcome is lost with its broker, the transaction may have a marker in some partitions and
    stay open in others.

Use instead
    transaction.state.log.replication.factor=3 with transaction.state.log.min.isr=2, the defaults.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports outcomes of transactions of which only one copy is guaranteed."""
    if not pipeline.text(Component.PRODUCER, "transactional.id"):
        return None
    names = ("transaction.state.log.replication.factor", "transaction.state.log.min.isr")
    factor, least = (pipeline.number(Component.BROKER, name) for name in names)
    if min(factor, least) > 1:
        return None
    return (
        f"{names[0]}={factor} with {names[1]}={least}: only one copy of a "
        "transaction's outcome is guaranteed."
    )


RULE = Rule(
    code="B004",
    name="transaction-log-with-one-copy",
    severity=Severity.HIGH,
    component=Component.BROKER,
    setting="transaction.state.log.min.isr",
    check=check,
    sources=(
        "Kafka TransactionLogConfig, transaction.state.log.min.isr",
        "KIP-98",
    ),
    valid=(
        {"family": "java", "producer.transactional.id": "orders-1"},
        {"family": "java", "broker.transaction.state.log.min.isr": "1"},
    ),
    invalid=(
        {
            "family": "java",
            "producer.transactional.id": "orders-1",
            "broker.transaction.state.log.min.isr": "1",
        },
        {
            "family": "librdkafka",
            "producer.transactional.id": "orders-1",
            "broker.transaction.state.log.replication.factor": "1",
        },
    ),
)
