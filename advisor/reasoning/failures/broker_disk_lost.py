"""As many brokers as the team wants to survive are lost for good, disks included."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication, simultaneous_loss
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good, truncated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted

TIERED, FACTOR = "remote.storage.enable", "remote.metadata.replication.factor"
MINIMUM = "remote.metadata.min.insync.replicas"


def permits(pipeline: Pipeline) -> Permits:
    """Loss, unless more copies of an acknowledged record are guaranteed than brokers are lost.

    A segment that is only in remote storage also needs a copy of the record of its location.
    """
    return _remote_storage_loss(pipeline) | _topic_loss(pipeline)


def remote_copies(pipeline: Pipeline) -> int | None:
    """Returns how many brokers are guaranteed to know where a segment in remote storage is.

    None without remote storage.
    """
    if not (pipeline.knows(Component.TOPIC, TIERED) and pipeline.flag(Component.TOPIC, TIERED)):
        return None
    application = Component.APPLICATION
    return min(pipeline.number(application, name) for name in (FACTOR, MINIMUM))


def _remote_storage_loss(pipeline: Pipeline) -> Permits:
    """Loss of segments whose locations are lost: only __remote_log_metadata has them."""
    copies = remote_copies(pipeline)
    if copies is None:
        return {}
    lost = simultaneous_loss(pipeline, pipeline.number(Component.APPLICATION, FACTOR))
    if copies > lost.count:
        return {}
    settings = ", ".join(
        f"application.{name}={pipeline.number(Component.APPLICATION, name)}"
        for name in (FACTOR, MINIMUM)
    )
    return {
        Anomaly.LOST_WRITE: (
            f"{TIERED}=true, {settings}: only __remote_log_metadata records where a segment is in "
            f"the remote storage. That record is guaranteed on {counted(copies, 'broker')} only, "
            f"and {lost} may be lost. Then nobody can find the messages that "
            "the brokers have deleted."
        )
    }


def _topic_loss(pipeline: Pipeline) -> Permits:
    """Loss of the copies that the brokers keep, and writes that wait for a replacement."""
    topic = Replication(pipeline)
    lost = max(pipeline.requirement.survive, 1)
    permitted: Permits = {}
    if topic.copies <= lost:
        permitted[Anomaly.LOST_WRITE] = reason = _loss_reason(topic, lost)
        if topic.high_watermark_advances(lost):
            permitted |= truncated(reason)
    if topic.waits_for_followers and topic.factor - lost < topic.min_isr:
        permitted[Anomaly.UNAVAILABLE] = (
            f"replication.factor={topic.factor} and min.insync.replicas={topic.min_isr}: with "
            f"{counted(lost, 'broker')} lost, {counted(max(topic.factor - lost, 0), 'replica')} "
            "may be left, and writes wait for a replacement."
        )
    return permitted


def _loss_reason(topic: Replication, lost: int) -> str:
    if not topic.waits_for_followers:
        copies = "no copy" if topic.copies == 0 else "only the leader's copy"
        brokers = counted(lost, "broker")
        return (
            f"acks={topic.acks}: {copies} of an acknowledged record is guaranteed; {brokers} may "
            "be lost."
        )
    if topic.factor <= lost:
        return (
            f"replication.factor={topic.factor}: every copy is lost with {counted(lost, 'broker')}."
        )
    return (
        f"min.insync.replicas={topic.min_isr} with replication.factor={topic.factor}: an "
        f"acknowledged record is guaranteed {counted(topic.copies, 'copy', 'copies')}. It survives "
        f"the loss of {counted(topic.survives, 'broker')}, not of {lost}."
    )


EVENT = FailureEvent(
    name="broker-disk-lost",
    title="Brokers are lost for good, disks included",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "As many brokers as you want to survive are lost with their disks, at the worst moment: "
        "when the in-sync set is as small as the settings allow."
    ),
    permits=permits,
    sources=(
        "Kafka design.md, Availability and Durability Guarantees",
        "KIP-405; KIP-1235 (__remote_log_metadata)",
        "KAFKA-15583 (effective minimum = min(min.insync.replicas, replication.factor) since 3.7)",
    ),
    beyond_settings=(
        "Add brokers. To survive the loss of one, you need 2 with min.insync.replicas=2, and a "
        "third one to continue writing while one is down. For each further loss, add one broker "
        "and raise min.insync.replicas by one."
    ),
    scenario="leader-disk-fails",
    staged_as=(
        "a broker whose disk is replaced has lost its messages, like a broker that never comes back"
    ),
    in_scope=broker_lost_for_good,
)
