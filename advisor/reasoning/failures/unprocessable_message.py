"""A message that cannot be processed, now or later."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures import exception_then_close
from advisor.reasoning.group import Group
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.streams import Streams, handler


def permits(pipeline: Pipeline) -> Permits:
    """It stops its partition, or the code goes on without it, be it by a close() that commits.

    Seen in a run: the message and 208 behind it had no effect after such a close().
    """
    group = Group.of(pipeline)
    if group is None:
        return {}
    if pipeline.family is Family.STREAMS:
        return _in_streams(pipeline)
    if group.on_error == "skip":
        return {
            Anomaly.EFFECT_MISSING: "application.processing.errors=skip: the message is passed "
            "over, and only a log line says so."
        }
    return exception_then_close.permits(pipeline) or {
        Anomaly.BLOCKED: f"application.processing.errors={group.on_error}: the partition stands "
        "still at this message until somebody acts."
    }


def _in_streams(pipeline: Pipeline) -> Permits:
    passing = Streams(pipeline).passes_over
    if passing:
        return {
            Anomaly.EFFECT_MISSING: f"{' and '.join(passing)}: the application may go on without "
            "the message; a metric and a log line say so."
        }
    name = handler(pipeline, "deserialization")
    return {
        Anomaly.BLOCKED: f"{name}=LogAndFailExceptionHandler: the application stops at the "
        "message, after each start again, until somebody acts."
    }


EVENT = FailureEvent(
    name="unprocessable-message",
    title="A message cannot be processed",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="A message cannot be read or makes the code fail, however often it is tried.",
    permits=permits,
    scenario="unprocessable-message",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "KafkaConsumer javadoc, poll() (RecordDeserializationException)",
        "KIP-1036",
        "KIP-161 and KIP-1033 (exception handlers of Kafka Streams)",
    ),
    beyond_settings=(
        "Send such messages to a topic of their own, with the reason, and go on; Kafka Streams "
        "does since 4.2 (errors.dead.letter.queue.topic.name)."
    ),
)
