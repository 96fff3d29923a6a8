"""The topic is deleted, and another one with the same name is created."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.absence import covers_retention
from advisor.reasoning.behaviour.group import repeated, skipped
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

NAME = "topic.recreated"


def permits(pipeline: Pipeline) -> Permits:
    """Effects of offsets that begin at 0 again, and of positions that are deleted with the topic.

    Clients know a topic by its name only. Seen on 4.3.1: the position was deleted within 0.3 s, and
    a commit of the old offset for the new topic was accepted.
    """
    procedure = pipeline.text(Component.APPLICATION, NAME)
    if procedure == "never":
        return {}
    text = f"application.{NAME}={procedure}"
    permitted: Permits = {
        Anomaly.DIVERGED: f"{text}: offsets begin at 0 again, with other records."
    }
    if pipeline.family is Family.SPARK:
        permitted |= _stale_checkpoint(pipeline, text)
    if procedure == "clients-stopped":
        return permitted | _readers_restarted(pipeline, text)
    return permitted | _readers_running(pipeline, text) | _senders_running(pipeline, text)


def _stale_checkpoint(pipeline: Pipeline, text: str) -> Permits:
    """A checkpoint has no topic id: only offsets beyond the end of the log are noticed."""
    permitted = skipped(
        f"{text}: the checkpoint has the old topic's offsets. When the new topic has grown beyond "
        "them, the query continues there."
    )
    if pipeline.flag(Component.CONSUMER, "failOnDataLoss"):
        permitted[Anomaly.BLOCKED] = (
            f"{text}, failOnDataLoss=true: as long as the new topic ends before the checkpoint's "
            "offsets, the query stops."
        )
    return permitted


def _readers_restarted(pipeline: Pipeline, text: str) -> Permits:
    """Effects of a start without a position: every record is new, so none is delivered again."""
    if pipeline.family is Family.SPARK:
        return {}
    start = pipeline.text(Component.CONSUMER, "auto.offset.reset")
    reset = (
        f"{text}: the brokers delete the group's position together with the topic. "
        "auto.offset.reset="
    )
    if start in ("none", "error"):
        return {Anomaly.BLOCKED: f"{reset}{start}: the group stops until somebody sets one."}
    if start == "earliest" or covers_retention(pipeline, start):
        return {}
    return skipped(
        f"{reset}{start}: messages that are sent before the group has a position are skipped."
    )


def _readers_running(pipeline: Pipeline, text: str) -> Permits:
    """A reader keeps its offset, and may commit it for the new topic as well (KAFKA-12257).

    Seen on 4.3.1 with auto.offset.reset=earliest, without a line in any log: librdkafka 2.16
    skipped 960 of 17,460 records of the new topic, all below its old offset; a Java client 4.3.1
    with group.protocol=consumer skipped 980 of 15,140. With group.protocol=classic it skipped none.
    """
    permitted = skipped(
        f"{text}: unread messages are lost with the old topic. A reader that asks the new topic "
        "for an old offset gets no error once the new topic has grown beyond it."
    )
    redelivery = (
        f"{text}: a reader that has lost its position may start at the beginning of the new topic."
    )
    return permitted | repeated(pipeline, redelivery, committed=True)


def _senders_running(pipeline: Pipeline, text: str) -> Permits:
    """The new topic knows no sequence numbers, so it accepts whichever batch arrives first."""
    session = Session(pipeline)
    permitted: Permits = {
        Anomaly.LOST_WRITE: (
            f"{text}: messages that the old topic acknowledged last are lost with it. "
            f"{_creation(pipeline)}"
        ),
        Anomaly.UNAVAILABLE: f"{text}: sends wait, or fail, until the clients know the new topic.",
    }
    if not (session.application_resends or session.engine_resends):
        permitted[Anomaly.GIVEN_UP] = (
            f"{text}: messages that are sent while the topic does not exist may be reported as "
            "failed."
        )
    if session.application_resends or session.in_flight > 1:
        permitted[Anomaly.REORDERED] = (
            f"{text}: a batch that failed is sent again after one that the new topic has accepted."
        )
    if pipeline.text(Component.PRODUCER, "transactional.id"):
        permitted[Anomaly.TORN_TRANSACTION] = (
            f"{text}: a part of an open transaction is lost with the old topic."
        )
    return permitted


def _creation(pipeline: Pipeline) -> str:
    """Returns who creates the new topic: by default, a producer's first request does."""
    if not pipeline.flag(Component.BROKER, "auto.create.topics.enable"):
        return "auto.create.topics.enable=false: only the operator creates it."
    copies = pipeline.number(Component.BROKER, "default.replication.factor")
    return (
        "auto.create.topics.enable=true: a producer may create it before the operator does, with "
        f"default.replication.factor={copies} and the brokers' other defaults."
    )


EVENT = FailureEvent(
    name="topic-recreated",
    title="The topic is deleted and created again",
    boundary=Boundary.END_TO_END,
    story=(
        "Somebody deletes a topic and creates it again with the same name, to empty it or to "
        "change what cannot be altered. Its offsets begin at 0, and clients know it only by its "
        "name."
    ),
    permits=permits,
    scenario="topic-recreated",
    sources=(
        "KIP-516 (topic ids)",
        "KAFKA-12257 (consumers and topics of the same name)",
        "librdkafka issue 3255 (a reader misses records of the new topic)",
        "Kafka GroupCoordinator, onPartitionsDeleted",
        "Kafka ConfigDef, auto.create.topics.enable",
    ),
)
