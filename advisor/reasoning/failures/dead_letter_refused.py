"""The topic for messages that cannot be processed does not take one."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.group import Group, missing
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.streams import Streams


def permits(pipeline: Pipeline) -> Permits:
    """Who waits for the acknowledgement stops at the message; who does not wait leaves it out."""
    group = Group.of(pipeline)
    if group is None or group.sets_aside == "none":
        return {}
    if pipeline.family is Family.STREAMS:
        return {
            Anomaly.BLOCKED: f"{Streams(pipeline).dead_letters}: the application stops at the "
            "message, after each start again, until the topic takes it."
        }
    named = f"application.dead.letter={group.sets_aside}"
    if group.sets_aside == "unacknowledged":
        return missing(
            f"{named}: the position moves on although it is unknown whether the dead-letter "
            "topic has the message."
        )
    return {
        Anomaly.BLOCKED: f"{named}: the message is tried again and its partition waits until the "
        "dead-letter topic takes it."
    }


EVENT = FailureEvent(
    name="dead-letter-refused",
    title="The dead-letter topic does not take a message",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "A message cannot be processed, and its send to the dead-letter topic fails: the topic "
        "has fewer partitions or a lower max.message.bytes than the source, is below "
        "min.insync.replicas, or may not be written."
    ),
    permits=permits,
    scenario="unprocessable-message",
    staged_as="a message that cannot be processed is what a dead-letter topic is for",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Spring for Apache Kafka DeadLetterPublishingRecoverer (same partition as the source; "
        "failIfSendResultIsError)",
        "SmallRye Reactive Messaging, Receiving Kafka Records, Dead Letter Queue",
        "KIP-1034 (a dead letter that is refused goes to the uncaught exception handler)",
    ),
    beyond_settings=(
        "Give the dead-letter topic as many partitions as the source has, at least its "
        "max.message.bytes with room for the added headers, and its copies."
    ),
)
