"""A record, or a batch of records, is larger than a limit."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.sizes import (
    RESPONSE_LIMIT,
    exceeded_limits,
    largest_message,
    oversized_response,
    refusal_of_batches,
    refusal_of_requests,
)
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Records that are refused for good: too large by themselves, or in a batch that is too large.

    A record that is too large by itself is refused again whenever it is sent.
    """
    session = Session(pipeline)
    request_refusal = refusal_of_requests(pipeline)
    permitted = {
        **_unreadable_batch(pipeline),
        **_refused_batches(pipeline, session),
        **(session.refused(request_refusal) if request_refusal else {}),
    }
    size, limits = largest_message(pipeline), exceeded_limits(pipeline)
    if size and limits:
        text = (
            f"{size} takes up to {size.record_bytes} bytes with its batch, more than "
            f"{' and '.join(map(str, limits))}:"
        )
        least = min(limits, key=lambda limit: limit.most)
        for limit in (limits[0], least):  # what the client accepts may still be too large
            by_broker = limit.component is not Component.PRODUCER
            permitted |= session.refused(f"{text} it is refused.", by_broker=by_broker)
    return permitted


def _unreadable_batch(pipeline: Pipeline) -> Permits:
    """A batch that the reader cannot get past, so that retention deletes what follows it."""
    size = oversized_response(pipeline)
    if size is None:
        return {}
    reason = (
        f"{RESPONSE_LIMIT}={pipeline.number(Component.CONSUMER, RESPONSE_LIMIT)}: the response "
        f"with the largest batch has up to {size} bytes. The client closes the connection and "
        "fetches again, forever, and reads nothing after it."
    )
    return {Anomaly.BLOCKED: reason, Anomaly.EFFECT_MISSING: reason}


def _refused_batches(pipeline: Pipeline, session: Session) -> Permits:
    """Batches that are refused.

    librdkafka sends the records again in other batches, which are accepted in the end. In a Java
    client the records wait behind the refused batch, and more full batches follow it.
    """
    reason = refusal_of_batches(pipeline)
    if reason is None:
        return {}
    resends = session.application_resends or session.engine_resends
    if resends and pipeline.family is Family.LIBRDKAFKA:
        return {}
    return session.refused(reason)


EVENT = FailureEvent(
    name="record-too-large",
    title="A record or a batch is larger than the topic accepts",
    boundary=Boundary.END_TO_END,
    story=(
        "One record is much larger than the others, or a pause fills the client's batches. The "
        "client or the broker refuses what exceeds its limit, no matter how often it is sent."
    ),
    permits=permits,
    scenario="record-too-large",
    sources=(
        "TopicConfig, max.message.bytes and segment.bytes",
        "Kafka SocketServerConfigs, socket.request.max.bytes",
        "KafkaProducer.ensureValidRecordSize",
        "KIP-126 (a batch that is too large is split)",
        "KAFKA-8350 (before 4.2 not into smaller ones than batch.size)",
        "librdkafka issues 488 and 1716",
        "KIP-74; librdkafka CONFIGURATION.md, receive.message.max.bytes",
    ),
)
