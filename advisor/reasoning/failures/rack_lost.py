"""A whole rack or zone is lost, with every replica in it."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication, in_fullest_rack
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits, truncated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted

_SITES = 2


def permits(pipeline: Pipeline) -> Permits:
    """Loss, unless a copy of an acknowledged record is guaranteed outside the fullest rack.

    Replicas are spread evenly over racks if every broker states its rack (KIP-36). Of two racks,
    one has the majority of the controllers, whatever their number, unless one more in a third place
    decides.
    """
    topic = Replication(pipeline)
    racks = pipeline.value(Component.APPLICATION, "racks")
    count = racks if isinstance(racks, int) else 1
    in_rack = in_fullest_rack(topic.factor, count)
    placement = (
        f"application.racks={count if racks else 'unknown'}, replication.factor={topic.factor}: "
        f"{in_rack} of {counted(topic.factor, 'replica')} may be in one rack"
    )
    permitted: Permits = {}
    if topic.copies <= in_rack:
        permitted |= _loss(pipeline, topic, in_rack, placement)
    if topic.waits_for_followers and topic.factor - in_rack < topic.min_isr:
        permitted[Anomaly.UNAVAILABLE] = (
            f"{placement}; without them fewer than min.insync.replicas={topic.min_isr} are left."
        )
    elif count == _SITES:
        permitted[Anomaly.UNAVAILABLE] = f"{placement}; {_majority_clause(topic)}"
    return permitted


def _loss(pipeline: Pipeline, topic: Replication, in_rack: int, placement: str) -> Permits:
    """Loss, and refused batches if an operator elects a stale replica (docs/decisions/0025)."""
    copies = counted(topic.copies, "copy", "copies")
    reason = (
        f"{placement}, and an acknowledged record is guaranteed {copies} (acks={topic.acks}, "
        f"min.insync.replicas={topic.min_isr}): a rack that is cut off may continue to acknowledge "
        "alone, and then it is lost."
    )
    permitted = {Anomaly.LOST_WRITE: reason}
    if topic.high_watermark_advances(in_rack):
        permitted |= truncated(reason)
    if Session(pipeline).idempotent:
        permitted[Anomaly.GIVEN_UP] = (
            "enable.idempotence=true: a replica that an operator elects lacks the producer's last "
            "batches and refuses the batches after them (OUT_OF_ORDER_SEQUENCE_NUMBER)."
        )
    return permitted


def _majority_clause(topic: Replication) -> str:
    who = "ZooKeeper's servers" if topic.zookeeper else "the controllers"
    return (
        f"one of the two racks has the majority of {who}, unless a third place has one of them. If "
        "that rack is lost, no leader can be elected, and its partitions wait until they are "
        "back."
    )


def _in_scope(pipeline: Pipeline) -> bool:
    stated = pipeline.value(Component.APPLICATION, "racks") is not None
    return stated and pipeline.requirement.survive >= 1


EVENT = FailureEvent(
    name="rack-lost",
    title="A rack or zone is lost for good",
    boundary=Boundary.PRODUCER_TO_LOG,
    story="Every broker of one rack or availability zone is lost at once, disks included.",
    permits=permits,
    scenario="rack-lost",
    sources=("KIP-36 (rack-aware replica assignment)", "Kafka design.md, Replication"),
    beyond_settings=(
        "Spread the brokers over 3 racks or more. With 2, no settings both survive the loss of "
        "one and keep writes available. With min.insync.replicas above half of the replicas, "
        "acks=all has a copy in both racks, and waits while either is down. With a controller in "
        "a third place (two and a half data centres), the remaining rack can elect leaders."
    ),
    in_scope=_in_scope,
    not_counted=(
        "it counts if you state in how many racks the brokers are (application.racks) and want to "
        "survive 1 broker or more"
    ),
)
