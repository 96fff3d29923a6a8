"""A quota holds the producer back, and records wait in the client."""

from __future__ import annotations

from advisor.reasoning.behaviour.quota import Backlog, quota
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.delivery_timeout import applied_twice
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Records given up, if a full buffer takes longer to empty than a record is retried.

    Brokers respond immediately and read nothing more until the client is within its quota
    (KIP-219), so the response is not late, but the next request waits.
    """
    backlog = quota(pipeline)
    if backlog is None:
        return {}
    session = Session(pipeline)
    permitted: Permits = {
        Anomaly.UNAVAILABLE: (
            f"{backlog}: the last record in a full buffer waits for {backlog.empty_ms:,} ms."
        )
    }
    if not (session.application_resends or session.engine_resends):
        reason = _given_up(session, backlog)
        if reason:
            given_up = session.given_up(reason)
            permitted |= given_up | applied_twice(pipeline, given_up)
    if backlog.in_flight_ms(session) > session.response_timeout_ms:
        permitted |= session.repeats()
    return permitted


def _given_up(session: Session, backlog: Backlog) -> str:
    timeout_ms = session.delivery_timeout_ms
    if timeout_ms is not None and timeout_ms < backlog.empty_ms:
        return (
            f"{backlog}: it is empty after {backlog.empty_ms:,} ms, and "
            f"delivery.timeout.ms={timeout_ms} gives up records that wait for longer."
        )
    block_ms = backlog.block_ms
    if block_ms is not None and block_ms < backlog.room_ms:
        return (
            f"{backlog}: when it is full, there is room for the next batch after "
            f"{backlog.room_ms:,} ms, and send() gives up after max.block.ms={block_ms}."
        )
    return ""


EVENT = FailureEvent(
    name="quota-throttled",
    title="A quota holds the producer back",
    boundary=Boundary.END_TO_END,
    story=(
        "The brokers allow the producer fewer bytes a second than it sends, for so long that its "
        "buffer fills. No send fails, but every record waits."
    ),
    permits=permits,
    scenario="quota-throttled",
    sources=(
        "KIP-13 (quotas)",
        "KIP-219 (the response is immediate, and the connection is muted)",
        "KIP-91 (delivery.timeout.ms)",
        "librdkafka issue 2153 (it knows of the throttle, and continues to send)",
    ),
)
