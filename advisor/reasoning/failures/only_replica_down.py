"""The broker with the only copy is down, and comes back with its disk."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.leader_killed import lost_with_the_leader
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """An outage while the broker is down; its log is still on its disk."""
    topic = Replication(pipeline)
    if topic.fails_over:
        return {}
    reason = "replication.factor=1: no other broker has the partition."
    permitted: Permits = {Anomaly.UNAVAILABLE: reason, Anomaly.BLOCKED: reason}
    permitted |= Session(pipeline).gives_up(topic.failover_ms, topic.wait_for_leader)
    return permitted | lost_with_the_leader(topic)


EVENT = FailureEvent(
    name="only-replica-down",
    title="The broker with the only copy is down",
    boundary=Boundary.PRODUCER_TO_LOG,
    story="The partition has one replica; its broker is away for a while and returns intact.",
    permits=permits,
    sources=("Kafka design.md, Replication",),
    scenario="only-replica-down",
)
