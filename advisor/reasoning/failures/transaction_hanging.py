"""A producer dies or hangs with an open transaction."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.behaviour.transactions import open_for_ms, readers_wait
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Readers of committed records wait behind it; retention meanwhile is another event."""
    if pipeline.family is Family.STREAMS and Streams(pipeline).exactly_once:
        return _blocked_output(pipeline)
    if not readers_wait(pipeline):
        return {}
    times = open_for_ms(pipeline)
    return {
        Anomaly.BLOCKED: f"isolation.level=read_committed with transaction.timeout.ms={times[0]}: "
        f"everything behind the open transaction waits, for up to {sum(times):,} ms."
    }


def _blocked_output(pipeline: Pipeline) -> Permits:
    """Readers of the output wait behind an instance's open transaction."""
    times = open_for_ms(pipeline)
    return {
        Anomaly.BLOCKED: (
            f"{Streams(pipeline).guarantee_setting} with transaction.timeout.ms={times[0]}: behind "
            "the open transaction of an instance that died, readers with read_committed wait for "
            f"up to {sum(times):,} ms."
        )
    }


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
