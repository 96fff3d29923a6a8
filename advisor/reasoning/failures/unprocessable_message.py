"""A message that cannot be processed, now or later."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.group import Group
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """It stops its partition, or the code goes on without it."""
    group = Group.of(pipeline)
    if group is None:
        return {}
    if group.on_error == "skip":
        return {
            Anomaly.EFFECT_MISSING: "application.processing.errors=skip: the message is passed "
            "over, and only a log line says so."
        }
    return {
        Anomaly.BLOCKED: f"application.processing.errors={group.on_error}: the partition stands "
        "still at this message until somebody acts."
    }


EVENT = FailureEvent(
    name="unprocessable-message",
    title="A message cannot be processed",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="A message cannot be read or makes the code fail, however often it is tried.",
    permits=permits,
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("KafkaConsumer javadoc, poll() (RecordDeserializationException)", "KIP-1036"),
    beyond_settings="Send such messages to a topic of their own, with the reason, and go on.",
)
