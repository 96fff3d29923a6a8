"""Brokers are restarted in turn, each before the one before it is in sync again."""

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
    """What a killed leader may do, and one that was alone in sync; writes wait meanwhile.

    An orderly stop hands leadership to a replica in sync, and waits for no follower to fetch what
    acks=1 acknowledged (design.md, "Graceful shutdown"; KIP-966 for who may lead afterwards). So
    it permits no less than a leader's death.
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
