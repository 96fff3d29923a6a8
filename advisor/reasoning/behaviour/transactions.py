"""Whose messages are in transactions, and how long one may stay open that nobody ends."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.session import ABORT_CHECK
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.pipeline import Pipeline

TIMEOUT = "transaction.timeout.ms"


def writes_in_transactions(pipeline: Pipeline) -> str:
    """The words of what makes records in the topic transactional, or the empty text."""
    if pipeline.family in (Family.SPARK, Family.STREAMS):
        upstream = pipeline.text(Component.APPLICATION, "upstream")
        return "application.upstream=transactional" if upstream == "transactional" else ""
    name = pipeline.text(Component.PRODUCER, "transactional.id")
    return f"transactional.id={name}" if name else ""


def readers_wait(pipeline: Pipeline) -> bool:
    """Whether somebody reads committed messages only: the readers of the topic, or those of what
    Kafka Streams writes in its own transactions."""
    if pipeline.family is Family.STREAMS and Streams(pipeline).exactly_once:
        return True
    isolation = pipeline.text(Component.CONSUMER, "isolation.level")
    return bool(writes_in_transactions(pipeline)) and isolation == "read_committed"


def open_for_ms(pipeline: Pipeline) -> tuple[int, int]:
    """How long a transaction that nobody ends stays open, from the last sign of life: until it has
    timed out, and then until a coordinator looks."""
    timeout_ms = pipeline.number(Component.PRODUCER, TIMEOUT)
    return timeout_ms, pipeline.number(Component.BROKER, ABORT_CHECK)
