"""A retry arrives after the broker has forgotten the producer."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Duplicates: a broker without the producer's state accepts any sequence number.

    See ProducerAppendInfo. A transaction has ended long before that, and its producer is fenced.
    """
    session = Session(pipeline)
    if not session.idempotent:
        return session.repeats()
    if pipeline.text(Component.PRODUCER, "transactional.id"):
        return {}
    timeout_ms = session.delivery_timeout_ms
    name, expiry_ms = session.producer_id_expiration
    if timeout_ms is not None and timeout_ms <= expiry_ms:
        return {}
    timeout = "0 (no limit)" if timeout_ms is None else timeout_ms
    reason = (
        f"delivery.timeout.ms={timeout} with {name}={expiry_ms}: a later retry reaches a broker "
        "that has forgotten this producer's sequence numbers and writes the batch again."
    )
    return {Anomaly.DUPLICATE: reason, **_overtaken(pipeline, session)}


def _overtaken(pipeline: Pipeline, session: Session) -> Permits:
    """A batch that is refused for good, because a later one was written first (KAFKA-14359).

    A broker that refuses the first batch for a moment accepts the later one meanwhile if it has
    forgotten the sequence numbers. Java retries the first until delivery.timeout.ms
    (TransactionManager.canRetry); librdkafka stops for good
    (rd_kafka_handle_idempotent_Produce_error).
    """
    topic = Replication(pipeline)
    name, expiry_ms = session.producer_id_expiration
    if session.in_flight == 1 or expiry_ms >= topic.slowest_pause_ms:
        return {}
    reason = (
        f"{name}={expiry_ms} with max.in.flight.requests.per.connection={session.in_flight}: in "
        f"a pause of up to {topic.slowest_pause_ms:,} ms a broker forgets the sequence numbers, "
        "takes a later batch first, and refuses the earlier one (OUT_OF_ORDER_SEQUENCE_NUMBER) "
        "until the client gives it up."
    )
    if session.application_resends or session.engine_resends:
        return {Anomaly.REORDERED: f"{reason} What is sent again is then out of order."}
    return {Anomaly.GIVEN_UP: reason}


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
    sources=("Kafka ConfigDef, producer.id.expiration.ms", "KIP-854", "KIP-360", "KAFKA-14359"),
)
