"""All replicas in sync are down, and one that fell behind is up."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.group import skipped
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits, outage, truncated
from advisor.reasoning.failures.broker_disk_lost import FACTOR, TIERED, remote_copies
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """What is lost of the topic, and of what is in a remote storage alone."""
    return _of_remote_storage(pipeline) | _of_topic(pipeline)


def _of_remote_storage(pipeline: Pipeline) -> Permits:
    """The brokers' own setting counts: __remote_log_metadata is made without one
    (TopicBasedRemoteLogMetadataManager)."""
    copies = remote_copies(pipeline)
    unclean = pipeline.flag(Component.BROKER, "unclean.leader.election.enable")
    if copies is None or not unclean:
        return {}
    factor = pipeline.number(Component.APPLICATION, FACTOR)
    if copies >= factor:
        return {}
    return {
        Anomaly.LOST_WRITE: (
            f"{TIERED}=true with unclean.leader.election.enable=true of the brokers: where a "
            f"segment is in the remote storage is guaranteed to be on {copies} of {factor} "
            "replicas of __remote_log_metadata, and one that lacks it may lead."
            f"{Replication(pipeline).unclean_election_note}"
        )
    }


def _of_topic(pipeline: Pipeline) -> Permits:
    """Loss if a replica without the acknowledged records may lead; a wait in any case.

    A record is on `copies` replicas at least; only if that is all of them does every replica
    have it, and an unclean election cannot lose it.
    """
    topic = Replication(pipeline)
    if not topic.fails_over:
        return {}
    if not topic.unclean:
        return outage(
            "unclean.leader.election.enable=false: no replica leads until an in-sync (or, since "
            "4.1, an eligible) replica is back."
        )
    permitted = outage(
        f"{topic.fencing}: no replica leads until the replicas that are down are fenced."
    )
    if topic.copies >= topic.factor:
        return permitted if topic.hides_below_min_isr else permitted | _read_too_early(topic)
    reason = (
        "unclean.leader.election.enable=true: an acknowledged record is guaranteed to be on "
        f"{topic.copies} of {topic.factor} replicas, and one that lacks it may lead. The others "
        f"then truncate it too.{topic.unclean_election_note}"
    )
    if Session(pipeline).idempotent:
        # docs/decisions/0025: seen in a run of the calibration.
        permitted |= {
            Anomaly.GIVEN_UP: (
                "enable.idempotence=true: the new leader lacks the producer's last batches and "
                "refuses the batches after them (OUT_OF_ORDER_SEQUENCE_NUMBER). librdkafka then "
                "gives up for good, with everything in its queue."
            )
        }
    return permitted | truncated(reason)


def _read_too_early(topic: Replication) -> Permits:
    """The high watermark moves with whoever is in sync, also where acks=all is refused.

    What can then be read nobody acknowledged yet. A replica that has it at other offsets, from when
    it led itself, answers the producer's next try as one that it knows, and no reader goes back
    (docs/decisions/0147-a-group-may-skip-after-a-truncation.md).
    """
    reason = (
        f"unclean.leader.election.enable=true with kafka={topic.pipeline.kafka}: below "
        f"min.insync.replicas={topic.min_isr} a record can be read that not every replica has, and "
        "one that lacks it may lead. Its offset then holds another record, which a group may pass "
        f"over.{topic.unclean_election_note}"
    )
    return {Anomaly.DIVERGED: reason} | skipped(reason)


EVENT = FailureEvent(
    name="unclean-election",
    title="Every in-sync replica is down, a stale one is up",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "All in-sync replicas are down at the same time for a while (a rack, a failed rolling "
        "restart), and the only replica that is up had fallen behind before."
    ),
    permits=permits,
    sources=("Kafka design.md, Unclean leader election", "KIP-106", "KIP-966"),
    scenario="unclean-election",
)
