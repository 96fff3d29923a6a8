"""Transactions of older clients, which share one epoch.

What it is
    A transactional producer of librdkafka or of kafka-clients before 4.0, or a cluster with
    transaction.version below 2, on brokers of 4.0 or later.

Why it matters
    All transactions of a session then share one epoch (KIP-890). A delayed request to commit or
    abort may end the next transaction: that one is committed in part, or messages that were
    acknowledged in it are lost. Brokers of 4.0 ask the coordinator before they accept a message.
    This keeps delayed messages out, but not delayed commits and aborts.

Use instead
    kafka-clients of 4.0 or later, and kafka-features.sh upgrade --feature transaction.version=2.
    Otherwise end the application's session after a commit or an abort that timed out.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.catalog.versions import at_least, effective_client
from advisor.reasoning.behaviour.replication import kafka_at_least
from advisor.reasoning.behaviour.streams import is_transactional
from advisor.reasoning.failures.transaction_aborted import has_own_epochs
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports the pipeline's own producer; before 4.0 a known bug of the brokers reports it."""
    if (
        not kafka_at_least(pipeline, "4.0")
        or not is_transactional(pipeline)
        or has_own_epochs(pipeline)
    ):
        return None
    client = f"{pipeline.family} {pipeline.version}"
    version = pipeline.number(Component.APPLICATION, "transaction.version")
    return (
        f"{client} clients with transaction.version={version}: a delayed commit or abort may end "
        f"the next transaction (KIP-890{_known_bug(pipeline)})."
    )


def _known_bug(pipeline: Pipeline) -> str:
    """Returns a reference to the known bug that is the same problem; empty if there is none."""
    if pipeline.family is Family.LIBRDKAFKA:
        return "; the same as librdkafka #5423"
    older = not at_least(effective_client(pipeline.family, pipeline.version), "4.0")
    return "; the same as KAFKA-14562" if older else ""


RULE = Rule(
    code="P010",
    name="transactions-of-older-clients",
    severity=Severity.MEDIUM,
    component=Component.PRODUCER,
    setting="transactional.id",
    check=check,
    sources=("KIP-890", "KAFKA-14402", "Kafka operations/transaction-protocol.md"),
    valid=(
        {"family": "java", "producer.transactional.id": "orders-1"},
        {"family": "librdkafka"},
        {"family": "java", "version": "3.9", "kafka": "3.9", "producer.transactional.id": "a"},
    ),
    invalid=(
        {"family": "java", "version": "3.9", "producer.transactional.id": "orders-1"},
        {"family": "librdkafka", "producer.transactional.id": "orders-1"},
        {
            "family": "java",
            "producer.transactional.id": "orders-1",
            "application.transaction.version": "0",
        },
    ),
    confidence=Confidence.MEDIUM,
)
