"""Brokers are restarted in turn, each before the previous one is in sync again."""

from __future__ import annotations

from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures import (
    brokers_below_min_isr,
    isr_shrunk_leader_down,
    leader_killed,
)
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """What the leader's death permits, also with a shrunk in-sync set; writes wait meanwhile.

    A clean shutdown moves leadership to an in-sync replica, but waits for no follower to fetch what
    acks=1 acknowledged (design.md, "Graceful shutdown"; KIP-966 for who may lead afterwards). So it
    permits no less than the leader's death.
    """
    return {
        **brokers_below_min_isr.permits(pipeline),
        **isr_shrunk_leader_down.permits(pipeline),
        **leader_killed.permits(pipeline),
    }


EVENT = FailureEvent(
    name="rolling-restart",
    title="A rolling restart does not wait for replicas to be in sync",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "The brokers are restarted in turn while partitions are under-replicated. Most stop "
        "cleanly and hand leadership over; one is killed when its grace period ends."
    ),
    permits=permits,
    sources=(
        "Kafka operations/basic-kafka-operations.md, Graceful shutdown",
        "Kafka design.md, Availability and Durability Guarantees",
        "KIP-966",
    ),
    scenario="rolling-restart",
)
