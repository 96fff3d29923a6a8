"""A transactional producer that was idle for too long."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

_EXPIRES = "transactional.id.expiration.ms"


def permits(pipeline: Pipeline) -> Permits:
    """One transaction is refused, or all until the producer is made again; nothing is lost.

    Java's client cannot go on (TransactionManager.java, `maybeTransitionToErrorState`).
    librdkafka aborts and takes a new producer id (KIP-360): seen with 2.16 on Kafka 4.3.1, where
    the transaction after the refused one was committed 20 ms later.
    """
    name = pipeline.text(Component.PRODUCER, "transactional.id")
    if not name:
        return {}
    expires_ms = pipeline.number(Component.BROKER, _EXPIRES)
    goes_on = (
        "and must be aborted; those after it go through."
        if pipeline.family is Family.LIBRDKAFKA
        else "until the producer is made again."
    )
    return {
        Anomaly.UNAVAILABLE: f"transactional.id={name} with {_EXPIRES}={expires_ms}: after so long "
        f"without a transaction the next one fails (INVALID_PRODUCER_ID_MAPPING) {goes_on}"
    }


EVENT = FailureEvent(
    name="transactional-id-expired",
    title="A transactional producer was idle for too long",
    boundary=Boundary.PRODUCER_TO_LOG,
    story="A producer begins no transaction for days, and then one again.",
    permits=permits,
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("Kafka ConfigDef, transactional.id.expiration.ms", "KIP-98", "KIP-360"),
)
