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
    """Loss of records on the brokers, and of segments that are only in remote storage."""
    return _remote_storage_loss(pipeline) | _topic_loss(pipeline)


def _remote_storage_loss(pipeline: Pipeline) -> Permits:
    """Loss of segments' locations, if the brokers' setting allows unclean elections.

    __remote_log_metadata is created without the setting (TopicBasedRemoteLogMetadataManager).
    """
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


def _topic_loss(pipeline: Pipeline) -> Permits:
    """Loss, if a replica without the acknowledged records may lead; a wait in any case.

    A record is on at least `copies` replicas. Only if these are all replicas does every replica
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
        return permitted if topic.hides_below_min_isr else permitted | _early_reads(topic)
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


def _early_reads(topic: Replication) -> Permits:
    """Diverged offsets: records can be read that nobody has acknowledged yet.

    The high watermark follows the replicas in sync, even where acks=all is refused. A replica that
    has such a record at another offset, from when it was leader itself, answers the producer's
    retry as a duplicate, and no reader goes back
    (docs/decisions/0147-a-group-may-skip-records-after-a-truncation.md).
    """
    reason = (
        f"unclean.leader.election.enable=true with kafka={topic.pipeline.kafka}: below "
        f"min.insync.replicas={topic.min_isr} a record can be read that not every replica has, and "
        "one that lacks it may lead. Its offset then holds another record, which a group may "
        f"skip.{topic.unclean_election_note}"
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
