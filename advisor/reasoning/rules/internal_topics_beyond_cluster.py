"""Internal topics that need more brokers than there are.

What it is
    offsets.topic.replication.factor, or with transactions transaction.state.log.replication.factor,
    is above the number of brokers. 3 is the default of both.

Why it matters
    The topic cannot be created. A group reads nothing, without an error. A transactional producer
    waits in initTransactions() until it times out. Sending without transactions still works.

Use instead
    On a development machine, set them to the number of brokers. Elsewhere, run 3 brokers.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports replication factors above the number of brokers."""
    names = ["offsets.topic.replication.factor"] if pipeline.family is not Family.SPARK else []
    if pipeline.text(Component.PRODUCER, "transactional.id"):
        names.append("transaction.state.log.replication.factor")
    factors = {name: pipeline.number(Component.BROKER, name) for name in names}
    beyond = [f"{name}={factor}" for name, factor in factors.items() if factor > pipeline.brokers]
    if not beyond:
        return None
    unit = "broker" if pipeline.brokers == 1 else "brokers"
    return (
        f"{', '.join(beyond)} with {pipeline.brokers} {unit}: the topic cannot be created, and "
        "what needs it waits without an error."
    )


RULE = Rule(
    code="B003",
    name="internal-topics-beyond-the-cluster",
    severity=Severity.HIGH,
    component=Component.BROKER,
    setting="offsets.topic.replication.factor",
    check=check,
    sources=(
        "Kafka GroupCoordinatorConfig, offsets.topic.replication.factor",
        "Kafka TransactionLogConfig, transaction.state.log.replication.factor",
    ),
    valid=(
        {"family": "java"},
        {"family": "java", "brokers": "1", "broker.offsets.topic.replication.factor": "1"},
        {"family": "spark", "brokers": "1"},
    ),
    invalid=(
        {"family": "java", "brokers": "1"},
        {
            "family": "java",
            "brokers": "2",
            "broker.offsets.topic.replication.factor": "2",
            "producer.transactional.id": "orders-1",
        },
    ),
)
