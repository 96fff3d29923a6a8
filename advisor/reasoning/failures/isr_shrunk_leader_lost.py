"""The in-sync set has shrunk to the leader, and the leader's disk is lost."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good, outage, truncated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

OPERATORS_STEPS = (
    "Where no setting helps, only the order of an operator's steps does: if a disk ends with its "
    "container or pod, put the logs on a persistent volume; keep the broker that lost its disk "
    "stopped, and also the others, except the one with the newest log: the latest leader epoch "
    "(leader-epoch-checkpoint in the partition's folder), and of several such the longest. Have "
    "that one elected (kafka-leader-election.sh --election-type unclean accepts any that is up), "
    "then start the rest."
)


def permits(pipeline: Pipeline) -> Permits:
    """Loss of what the leader accepted alone, unless acks=all requires a second copy.

    More may be lost: the broker returns with an empty disk, leads as the last known leader
    (KIP-966), and the others truncate their logs. Seen in a run: 21,000 of 21,000 records were
    lost, of which 12,019 had been acknowledged by all three replicas. Without eligible leader
    replicas this happens with any minimum, because the set shrinks below it (docs/decisions/0033).
    """
    topic = Replication(pipeline)
    if not topic.fails_over:
        return {}
    if topic.copies > 1:
        return _with_copies(topic)
    return _loss(topic, _loss_reason(topic)) | outage(_outage_reason(topic))


def _with_copies(topic: Replication) -> Permits:
    """Effects if the leader acknowledges nothing alone: the next leader's log decides."""
    refused = (
        f"acks=all with min.insync.replicas={topic.min_isr}: one in-sync replica is too few, so "
        "writes are refused, and no acknowledged message can be lost."
    )
    if topic.unclean and topic.copies < topic.factor:
        reason = (
            "unclean.leader.election.enable=true: any replica that is back may lead, even the one "
            "that left the in-sync set first, which lacks what the others acknowledged after "
            f"that.{topic.unclean_election_note}"
        )
        return truncated(reason) | outage(refused)
    if topic.eligible_replicas:
        return {Anomaly.UNAVAILABLE: refused}
    if not topic.returns_empty:
        return outage(
            f"{refused} {topic.disk_lost}: no replica leads until an operator has "
            "elected the replica with the newest log."
        )
    reason = (
        f"{topic.disk_lost} without eligible leader replicas: the in-sync set can shrink to the "
        f"leader alone, even below min.insync.replicas={topic.min_isr}. The leader returns with an "
        "empty disk and leads, and the others truncate acknowledged messages."
    )
    return truncated(reason) | outage(refused)


def _loss(topic: Replication, reason: str) -> Permits:
    permitted = {Anomaly.LOST_WRITE: reason}
    # An unclean leader may have left the set while enough other replicas committed records.
    stale_leads = topic.unclean and topic.min_isr < topic.factor
    if stale_leads or topic.high_watermark_advances(1) or topic.may_lead_empty(topic.copies):
        permitted |= truncated(reason)
    return permitted


def _loss_reason(topic: Replication) -> str:
    if topic.waits_for_followers:
        return (
            "min.insync.replicas=1: acks=all waits for the in-sync replicas, and here only the "
            "leader is in sync; the messages that it then acknowledged have one copy."
        )
    return (
        f"acks={topic.acks}: the leader acknowledges alone, whatever min.insync.replicas is; "
        "messages that it accepted while the others were out of sync have one copy."
    )


def _outage_reason(topic: Replication) -> str:
    if topic.unclean:
        return (
            f"{topic.fencing}: no replica leads until the lost broker is fenced; then a replica "
            "that lacks the records leads."
        )
    return (
        "unclean.leader.election.enable=false: no replica may lead until the lost broker returns "
        "or an operator elects a replica that lacks the records. If the last in-sync replica "
        "returns with an empty disk, it leads again, and the others truncate everything."
    )


EVENT = FailureEvent(
    name="isr-shrunk-leader-lost",
    title="The in-sync set shrinks to the leader, then its disk is lost",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "The followers fall out of the in-sync set or are stopped one after the other. The leader "
        "continues alone, and then its machine is lost for good."
    ),
    permits=permits,
    sources=(
        "Kafka design.md, Availability and Durability Guarantees",
        "KIP-966 (eligible leader replicas)",
    ),
    beyond_settings=(
        "A second copy needs a second broker. Eligible leader replicas, which are on in clusters "
        f"created with Kafka 4.1 or later, keep an empty broker from leading. {OPERATORS_STEPS}"
    ),
    scenario="leader-disk-lost",
    in_scope=broker_lost_for_good,
)
