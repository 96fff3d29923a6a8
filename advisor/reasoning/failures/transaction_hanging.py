"""A producer dies or hangs with an open transaction."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.session import ABORT_CHECK
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.transaction_aborted import writes_in_transactions
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Readers of committed records wait behind it; nothing is lost."""
    if pipeline.family is Family.STREAMS and Streams(pipeline).exactly_once:
        return _of_the_output(pipeline)
    isolation = pipeline.text(Component.CONSUMER, "isolation.level")
    if not writes_in_transactions(pipeline) or isolation != "read_committed":
        return {}
    timeout_ms = pipeline.number(Component.PRODUCER, "transaction.timeout.ms")
    return {
        Anomaly.BLOCKED: f"isolation.level=read_committed with transaction.timeout.ms={timeout_ms}:"
        f" everything behind the open transaction waits, for up to {_longest_ms(pipeline):,} ms."
    }


def _of_the_output(pipeline: Pipeline) -> Permits:
    """An instance's own transaction, and those who read what it writes."""
    timeout_ms = pipeline.number(Component.PRODUCER, "transaction.timeout.ms")
    return {
        Anomaly.BLOCKED: f"{Streams(pipeline).named} with transaction.timeout.ms={timeout_ms}: "
        "behind the open transaction of an instance that died, readers with read_committed wait "
        f"for up to {_longest_ms(pipeline):,} ms."
    }


def _longest_ms(pipeline: Pipeline) -> int:
    """From the last sign of life until a coordinator has looked and aborted it."""
    timeout_ms = pipeline.number(Component.PRODUCER, "transaction.timeout.ms")
    return timeout_ms + pipeline.number(Component.BROKER, ABORT_CHECK)


EVENT = FailureEvent(
    name="transaction-hanging",
    title="A transaction is left open",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "A transactional producer dies or hangs in the middle of a transaction. The brokers wait "
        "for it until the transaction times out."
    ),
    permits=permits,
    sources=("KIP-98", "Kafka ConfigDef, transaction.timeout.ms"),
    scenario="transaction-left-open",
    staged_as="while it is open, readers of committed messages wait at the last stable offset",
)
