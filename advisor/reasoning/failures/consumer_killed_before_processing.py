"""The consumer dies with records that it has received and not processed."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import Group, skipped
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Skipped records, if the position is saved before they are processed."""
    group = Group.of(pipeline)
    reason = group.skip_reason() if group is not None else None
    return skipped(reason) if reason is not None else {}


EVENT = FailureEvent(
    name="consumer-killed-before-processing",
    title="The consumer dies with records not yet processed",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="A member of the group receives records and dies before it has processed them.",
    permits=permits,
    scenario="consumer-killed-before-processing",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Kafka design.md, Message Delivery Semantics",
        "librdkafka INTRODUCTION.md, At-least-once processing",
    ),
)
