"""A static member of the group is gone and does not come back."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Its partitions wait for it; nothing is lost."""
    name = pipeline.text(Component.CONSUMER, "group.instance.id")
    if not name:
        return {}
    timeout_ms = pipeline.number(Component.CONSUMER, "session.timeout.ms")
    return {
        Anomaly.BLOCKED: f"group.instance.id={name} with session.timeout.ms={timeout_ms}: nobody "
        "reads its partitions until that time is over, after an orderly stop as well."
    }


EVENT = FailureEvent(
    name="static-member-lost",
    title="A static member of the group is lost",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="A reader with a group.instance.id is stopped or dies, and nothing takes its place.",
    permits=permits,
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("KIP-345", "Kafka ConfigDef, session.timeout.ms"),
)
