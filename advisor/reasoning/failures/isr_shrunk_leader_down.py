"""The in-sync set has shrunk to the leader, and the leader is down with its disk intact."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.event import FailureEvent, Permits, outage
from advisor.reasoning.failures import leader_killed, unclean_election
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A wait, unless a replica without the leader's last records may lead instead.

    With acks below all, loss is possible with eligible leader replicas: such a replica has
    everything below the high watermark, which does not advance below min.insync.replicas, while the
    leader continues to acknowledge records above it. Seen in a run: 3 of 3 such records were lost.
    """
    topic = Replication(pipeline)
    if not topic.fails_over:
        return {}
    if topic.unclean:
        return unclean_election.permits(pipeline)
    permitted = _no_leader(topic)
    if topic.eligible_replicas and topic.min_isr > 1 and not topic.waits_for_followers:
        permitted[Anomaly.LOST_WRITE] = (
            f"eligible.leader.replicas.version=1 with acks={topic.acks}: the leader acknowledged "
            f"alone, below min.insync.replicas={topic.min_isr}; an eligible replica that leads "
            "next has only what was committed before."
        )
    if topic.acks == "0":
        permitted |= leader_killed.lost_with_the_leader(topic)
    return permitted


def _no_leader(topic: Replication) -> Permits:
    if topic.eligible_replicas and topic.min_isr > 1:
        return outage(
            "eligible.leader.replicas.version=1: a replica that was stopped cleanly may lead; if "
            "none of these is up, no replica leads until the old leader is back."
        )
    return outage(
        "unclean.leader.election.enable=false: no replica may lead until the old leader is back "
        "with its log."
    )


EVENT = FailureEvent(
    name="isr-shrunk-leader-down",
    title="The in-sync set shrinks to the leader, then the leader is down",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "The followers fall out of the in-sync set or are stopped one after the other. The leader "
        "continues alone, then its process dies; the followers come back before it does."
    ),
    permits=permits,
    sources=(
        "Kafka operations/eligible-leader-replicas.md",
        "KIP-966",
        "Kafka design.md, Unclean leader election",
    ),
    scenario="isr-shrunk-leader-killed",
)
