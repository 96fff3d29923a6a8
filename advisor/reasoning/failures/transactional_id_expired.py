"""A transactional producer that was idle for too long."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.catalog.versions import at_least
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

_EXPIRES = "transactional.id.expiration.ms"


def permits(pipeline: Pipeline) -> Permits:
    """One transaction is refused, or all until the producer is created again; nothing is lost.

    If the application reads, processes and writes, its input waits for that as well.
    """
    name = pipeline.text(Component.PRODUCER, "transactional.id")
    expires_ms = pipeline.number(Component.BROKER, _EXPIRES)
    idle_ms = pipeline.value(Component.APPLICATION, "idle.ms")
    if not name or (isinstance(idle_ms, int) and idle_ms < expires_ms):
        return {}
    refused = (
        f"transactional.id={name} with {_EXPIRES}={expires_ms}: after that time without a "
        "transaction the next one fails (INVALID_PRODUCER_ID_MAPPING) "
    )
    if not _is_fatal(pipeline):
        return {Anomaly.UNAVAILABLE: refused + "and must be aborted; those after it succeed."}
    permitted = {
        Anomaly.UNAVAILABLE: (
            f"{refused}until the producer is created again: the Java client of {pipeline.version} "
            "cannot even abort then."
        )
    }
    if pipeline.text(Component.APPLICATION, "commit") == "in-transaction":
        permitted[Anomaly.BLOCKED] = (
            f"{refused}until the application is restarted, and its input waits."
        )
    return permitted


def _is_fatal(pipeline: Pipeline) -> bool:
    """Whether the client cannot recover (KIP-1050).

    Java clients of 4.0 and later cannot: seen with 4.0.2, 4.3.1 and 4.4.0. Earlier ones and
    librdkafka abort and get a new producer id (KIP-360): seen with 3.3.2, 3.8.1, 3.9.2 and
    librdkafka 2.16. Only the client's version matters: 4.3.1 could not continue with brokers of
    3.9.2 either.
    """
    return pipeline.family is Family.JAVA and at_least(pipeline.version, "4.0")


EVENT = FailureEvent(
    name="transactional-id-expired",
    title="A transactional producer was idle for too long",
    boundary=Boundary.PRODUCER_TO_LOG,
    story="A producer begins no transaction for days, and then begins one again.",
    permits=permits,
    scenario="transactional-id-expired",
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    beyond_settings=(
        "An application that creates a new producer after a fatal error continues by itself."
    ),
    sources=("Kafka ConfigDef, transactional.id.expiration.ms", "KIP-98", "KIP-360", "KIP-1050"),
)
