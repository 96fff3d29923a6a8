"""A partition is reassigned while one of its replicas is down, and then the leader is lost."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import REPLICAS_MOVED, Replication, removed_early
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good, outage, truncated
from advisor.reasoning.failures import leader_killed, unclean_election
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import agreed, counted


def permits(pipeline: Pipeline) -> Permits:
    """What the leader's death permits while a replica is copied, and the loss of an in-sync copy.

    A new copy counts only when it is in sync, and a replica is removed only when all that remain
    are in sync (KAFKA-15665, KAFKA-19975); in KRaft mode, since 3.8.
    """
    topic = Replication(pipeline)
    permitted = leader_killed.permits(pipeline)
    permitted = permitted | _until_copied(topic, permitted)
    if not removed_early(pipeline, topic.factor):
        return permitted
    text = (
        f"application.{REPLICAS_MOVED}=any-time with kafka={pipeline.kafka}: the controller "
        "removes an in-sync replica while another one is out of sync"
    )
    if topic.waits_for_followers and topic.min_isr > 1:
        permitted |= outage(
            f"{text}; fewer than min.insync.replicas={topic.min_isr} may be left, so writes wait."
        )
    if topic.unclean:
        permitted |= unclean_election.permits(pipeline)
    lost = max(pipeline.requirement.survive, 1)
    if topic.copies <= 1 + lost:
        left = agreed(
            lost, "the leader's may be left, and its disk is", f"{lost} may be left, and these are"
        )
        reason = (
            f"{text}; of the {topic.copies} copies that are guaranteed for an acknowledged record, "
            f"only {left} lost."
        )
        permitted |= truncated(reason)
    return permitted


def _until_copied(topic: Replication, permitted: Permits) -> Permits:
    """An outage until the copy is complete, if acks=all has too few replicas in sync without it.

    A throttle delays a copy that is not in sync yet, and never one that is (ReplicaManager.scala,
    shouldLeaderThrottle).
    """
    left = topic.factor - 2
    if not topic.waits_for_followers or not 0 < left < topic.min_isr:
        return {}
    return outage(
        f"{permitted[Anomaly.UNAVAILABLE]} With replication.factor={topic.factor} and "
        f"min.insync.replicas={topic.min_isr}, {counted(left, 'replica')} in sync may be left: "
        "writes wait until the copy is complete. With a throttle below the rate of new records it "
        "is never complete."
    )


EVENT = FailureEvent(
    name="reassignment-during-failure",
    title="A partition is reassigned while a replica is away",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "One follower is down, and an operator or a tool removes another one from the partition's "
        "replicas, or has new ones copy it. Meanwhile the leader is lost, its disk included."
    ),
    permits=permits,
    sources=(
        "KIP-455 (replicas are added before others are removed)",
        "KIP-73 (replication quotas)",
        "KAFKA-15665 (since 3.8 all replicas that stay must be in sync)",
        "PartitionReassignmentReplicas.java, maybeCompleteReassignment",
    ),
    beyond_settings=(
        "Start a reassignment when no partition is under-replicated, and wait until "
        "kafka-reassign-partitions.sh --verify reports it as complete before you start the next. "
        "Set its --throttle well above the rate of new records, or the copy never ends; --execute "
        "--additional with a higher value changes it while it runs. Before Kafka 3.8, upgrade the "
        "controllers first."
    ),
    scenario="reassignment-during-failure",
    in_scope=broker_lost_for_good,
)
