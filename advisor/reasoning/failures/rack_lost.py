"""A whole rack or zone is lost, with every replica in it."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import Replication, in_fullest_rack


def permits(pipeline: Pipeline) -> Permits:
    """Loss unless an acknowledged record is sure of a copy outside the fullest rack.

    Replicas are spread evenly over racks if every broker names its own (KIP-36).
    """
    topic = Replication(pipeline)
    racks = pipeline.value(Component.APPLICATION, "racks")
    known = racks if isinstance(racks, int) else 1
    together = in_fullest_rack(topic.factor, known)
    said = (
        f"application.racks={known if racks else 'unknown'}, replication.factor={topic.factor}: "
        f"{together} of the replicas may stand in one rack"
    )
    found: Permits = {}
    if topic.copies <= together:
        found[Anomaly.LOST_WRITE] = (
            f"{said}, and an acknowledged record is sure of {topic.copies} copies (acks="
            f"{topic.acks}, min.insync.replicas={topic.min_isr})."
        )
    if topic.waits_for_followers and topic.factor - together < topic.min_isr:
        found[Anomaly.UNAVAILABLE] = (
            f"{said}; without them fewer than min.insync.replicas={topic.min_isr} are left."
        )
    return found


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
        "Spread the brokers over 3 racks or more: with 2, no settings both survive the loss of "
        "one and go on writing."
    ),
    in_scope=_in_scope,
    not_counted=(
        "it counts once you say in how many racks the brokers stand (application.racks) and want "
        "to survive 1 broker or more"
    ),
)
