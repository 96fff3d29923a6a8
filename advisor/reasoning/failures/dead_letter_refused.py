"""The dead-letter topic does not accept a message."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import Group, skipped
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A blocked partition if the code waits for the acknowledgement, else a skipped message."""
    group = Group.of(pipeline)
    if group is None or group.dead_letter_mode == "none":
        return {}
    if pipeline.family is Family.STREAMS:
        return {
            Anomaly.BLOCKED: (
                f"{Streams(pipeline).dead_letters}: the application stops at the message, and "
                "again after each restart, until the topic accepts it."
            )
        }
    setting = f"application.dead.letter={group.dead_letter_mode}"
    if group.dead_letter_mode == "unacknowledged":
        return skipped(
            f"{setting}: the position advances although it is unknown whether the dead-letter "
            "topic has the message."
        )
    return {
        Anomaly.BLOCKED: (
            f"{setting}: the message is tried again, and its partition waits until the dead-letter "
            "topic accepts it."
        )
    }


EVENT = FailureEvent(
    name="dead-letter-refused",
    title="The dead-letter topic does not accept a message",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "A message cannot be processed, and its send to the dead-letter topic fails: the topic "
        "has fewer partitions or a lower max.message.bytes than the source, is below "
        "min.insync.replicas, or its ACLs do not allow the write."
    ),
    permits=permits,
    scenario="unprocessable-message",
    staged_as="dead-letter topics are for messages that cannot be processed",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Spring for Apache Kafka DeadLetterPublishingRecoverer (same partition as the source; "
        "failIfSendResultIsError)",
        "SmallRye Reactive Messaging, Receiving Kafka Records, Dead Letter Queue",
        "KIP-1034 (a dead letter that is refused goes to the uncaught exception handler)",
    ),
    beyond_settings=(
        "Give the dead-letter topic as many partitions and copies as the source has, and a "
        "max.message.bytes that is larger than the source's by the added headers."
    ),
)
