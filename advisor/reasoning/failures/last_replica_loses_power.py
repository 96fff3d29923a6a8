"""The last in-sync replica loses power, and what was not yet on its disk is lost."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.event import FailureEvent, Permits, never_counted, outage, truncated
from advisor.reasoning.failures import unclean_election
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import agreed, counted


def permits(pipeline: Pipeline) -> Permits:
    """Loss of committed records from every replica, unless another replica may lead (KIP-966).

    Without eligible leader replicas the last in-sync replica leads again, whatever its disk kept,
    and the others truncate what it lacks, although they had it. Seen in a run: 10,909 of 49,793
    acknowledged records were lost, all of which had been on three replicas and had been read. With
    unclean elections a stale replica leads before the last one is back, whatever that one's disk
    kept.
    """
    topic = Replication(pipeline)
    if topic.unclean and topic.fails_over:
        return {**_disk_loss(topic), **unclean_election.permits(pipeline)}
    return _disk_loss(topic)


def _disk_loss(topic: Replication) -> Permits:
    if topic.flushes and topic.copies:
        return {}
    if topic.eligible_replicas and topic.copies > 1:
        return outage(
            "eligible.leader.replicas.version=1: after an unclean stop the last replica cannot "
            "lead immediately; a replica that has every committed record must be back first."
        )
    reason = _loss_reason(topic)
    permitted = {Anomaly.LOST_WRITE: reason}
    if topic.high_watermark_advances(1) or not topic.eligible_replicas:
        permitted |= truncated(reason)
    return permitted


def _memory_clause(topic: Replication) -> str:
    return "that one was in memory only" if topic.copies == 1 else "nothing was on a disk"


def _loss_reason(topic: Replication) -> str:
    if topic.copies < 2:
        return (
            f"acks={topic.acks} with min.insync.replicas={topic.min_isr}: of an acknowledged "
            f"record {topic.copies} of {counted(topic.factor, 'copy', 'copies')} "
            f"{agreed(topic.copies, 'is', 'are')} guaranteed, and {_memory_clause(topic)}."
        )
    return (
        "eligible.leader.replicas.version=0: the last replica in sync leads again with what its "
        "disk kept, and the others truncate the committed records that it lacks."
    )


EVENT = FailureEvent(
    name="last-replica-loses-power",
    title="The last replica in sync loses power",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "Replicas leave the in-sync set one after the other without a loss. Then the machine of "
        "the last one loses power, and the end of its log, which was only in memory, is gone."
    ),
    permits=permits,
    scenario="last-replica-loses-power",
    sources=("KIP-966, Motivation", "Kafka design.md, Replication (no fsync on every write)"),
    beyond_settings="Eligible leader replicas (Kafka 4.1 and later) need 2 copies or more.",
    in_scope=never_counted,
    not_counted="a broker that is lost for good does not include a power cut",
)
