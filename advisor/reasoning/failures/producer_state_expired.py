"""A retry arrives after the broker has forgotten the producer."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A broker without a producer's state takes any sequence number (ProducerAppendInfo).

    A transaction is over long before, and its producer fenced.
    """
    session = Session(pipeline)
    if not session.idempotent:
        return session.repeats()
    if pipeline.text(Component.PRODUCER, "transactional.id"):
        return {}
    patience_ms = session.delivery_timeout_ms
    name, forgets_ms = session.remembered
    if patience_ms is not None and patience_ms <= forgets_ms:
        return {}
    waits = "0 (no limit)" if patience_ms is None else patience_ms
    reason = (
        f"delivery.timeout.ms={waits} with {name}={forgets_ms}: a later retry reaches a broker "
        "that has forgotten this producer's sequence numbers and writes the batch again."
    )
    return {Anomaly.DUPLICATE: reason}


EVENT = FailureEvent(
    name="producer-state-expired",
    title="The broker has forgotten the producer when its retry comes",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "An acknowledgement is lost, and the client cannot reach any broker for so long that the "
        "brokers forget its sequence numbers."
    ),
    permits=permits,
    scenario="producer-state-expired",
    beyond_settings="Brokers before 3.4 use transactional.id.expiration.ms.",
    sources=("Kafka ConfigDef, producer.id.expiration.ms", "KIP-854", "KIP-360"),
)
