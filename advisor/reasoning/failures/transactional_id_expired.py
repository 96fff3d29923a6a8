"""A transactional producer that was idle for too long."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

_EXPIRES = "transactional.id.expiration.ms"


def permits(pipeline: Pipeline) -> Permits:
    """Nothing is written until the application makes its producer again; nothing is lost."""
    name = pipeline.text(Component.PRODUCER, "transactional.id")
    if not name:
        return {}
    expires_ms = pipeline.number(Component.BROKER, _EXPIRES)
    return {
        Anomaly.UNAVAILABLE: f"transactional.id={name} with {_EXPIRES}={expires_ms}: after so long "
        "without a transaction the next one fails (INVALID_PRODUCER_ID_MAPPING) until the "
        "producer is made again."
    }


EVENT = FailureEvent(
    name="transactional-id-expired",
    title="A transactional producer was idle for too long",
    boundary=Boundary.PRODUCER_TO_LOG,
    story="A producer begins no transaction for days, and then one again.",
    permits=permits,
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("Kafka ConfigDef, transactional.id.expiration.ms", "KIP-98"),
)
