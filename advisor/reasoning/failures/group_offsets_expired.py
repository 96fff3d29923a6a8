"""The group was away for so long that its offsets were deleted."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.absence import longest_absence
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.no_committed_offset import without_position
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline

NAME = "offsets.retention.minutes"


def permits(pipeline: Pipeline) -> Permits:
    """A group without a position, if it may be away for longer than its offsets are retained."""
    retention_minutes = pipeline.number(Component.BROKER, NAME)
    absence = longest_absence(pipeline)
    if absence.ms < retention_minutes * 60_000:
        return {}
    cause = (
        f"{NAME}={retention_minutes}, and the group may be without a member for {absence.ms:,} ms "
        f"({absence.reason}): the position of an empty group is deleted. "
    )
    return without_position(pipeline, cause)


EVENT = FailureEvent(
    name="group-offsets-expired",
    title="The group's offsets expire while it is away",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="No member of the group runs for longer than the brokers keep its committed offsets.",
    permits=permits,
    scenario="group-offsets-expired",
    families=frozenset(Family) - {Family.SPARK},
    sources=("Kafka ConfigDef, offsets.retention.minutes", "KIP-186"),
)
