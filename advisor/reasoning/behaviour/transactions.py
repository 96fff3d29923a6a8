"""Which records are transactional, and how long an abandoned transaction stays open."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.session import ABORT_CHECK
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.pipeline import Pipeline

TIMEOUT = "transaction.timeout.ms"


def writes_in_transactions(pipeline: Pipeline) -> str:
    """Returns the setting that makes records in the topic transactional, with its value, or ""."""
    if pipeline.family in (Family.SPARK, Family.STREAMS):
        upstream = pipeline.text(Component.APPLICATION, "upstream")
        return "application.upstream=transactional" if upstream == "transactional" else ""
    name = pipeline.text(Component.PRODUCER, "transactional.id")
    return f"transactional.id={name}" if name else ""


def readers_wait(pipeline: Pipeline) -> bool:
    """Whether some readers only read committed messages: those of the topic, or those of the
    results that Kafka Streams writes in its own transactions."""
    if pipeline.family is Family.STREAMS and Streams(pipeline).exactly_once:
        return True
    isolation = pipeline.text(Component.CONSUMER, "isolation.level")
    return bool(writes_in_transactions(pipeline)) and isolation == "read_committed"


def open_for_ms(pipeline: Pipeline) -> tuple[int, int]:
    """Returns the two waits, in ms, for which an abandoned transaction stays open: until it times
    out, and then until the coordinator's next check."""
    timeout_ms = pipeline.number(Component.PRODUCER, TIMEOUT)
    return timeout_ms, pipeline.number(Component.BROKER, ABORT_CHECK)
