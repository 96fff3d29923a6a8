"""A static member of the group is lost and does not come back."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import assigned_by_brokers, session_timeout
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Blocked partitions: they wait for the member; nothing is lost."""
    name = pipeline.text(Component.CONSUMER, "group.instance.id")
    if not name:
        return {}
    setting, timeout_ms = session_timeout(pipeline)
    second = (
        "group.protocol=consumer: a second member with this name is refused while the first is "
        "alive."
        if assigned_by_brokers(pipeline)
        else "group.protocol=classic: a second member with this name fences the first."
    )
    return {
        Anomaly.BLOCKED: (
            f"group.instance.id={name} with {setting}={timeout_ms}: nobody reads its partitions "
            f"until that time is over, even after an orderly stop. {second}"
        )
    }


EVENT = FailureEvent(
    name="static-member-lost",
    title="A static member of the group is lost",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="A reader with a group.instance.id is stopped or dies, and no other takes its place.",
    permits=permits,
    scenario="static-member-lost",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "KIP-345",
        "Kafka ConfigDef, session.timeout.ms",
        "Kafka operations/consumer-rebalance-protocol.md",
    ),
)
