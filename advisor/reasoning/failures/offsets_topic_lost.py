"""The brokers that hold the group's committed offsets are lost for good."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good
from advisor.reasoning.failures.no_committed_offset import without_position
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted
from advisor.reasoning.replication import Replication

NAME, MINIMUM = "offsets.topic.replication.factor", "min.insync.replicas"


def permits(pipeline: Pipeline) -> Permits:
    """A group without a position, if no copy of its offsets is left."""
    copies = pipeline.number(Component.BROKER, NAME)
    lost = max(pipeline.requirement.survive, 1)
    if copies > pipeline.brokers:
        return {
            Anomaly.BLOCKED: f"{NAME}={copies} cannot be reached with "
            f"{counted(pipeline.brokers, 'broker')}: until it is lowered, no group can read "
            "anything."
        }
    if copies > lost:
        return _led_by_an_empty_disk(pipeline, copies)
    return without_position(pipeline, f"{NAME}={copies}: the committed offsets are gone, too. ")


def _led_by_an_empty_disk(pipeline: Pipeline, copies: int) -> Permits:
    """__consumer_offsets has no minimum of its own, so that the brokers' counts (KIP-966)."""
    least = min(pipeline.number(Component.BROKER, MINIMUM), copies)
    if copies == 1 or not Replication(pipeline).may_lead_empty(least):
        return {}
    return without_position(
        pipeline,
        f"application.disk.lost=returns-empty, {NAME}={copies} with {MINIMUM}={least} of the "
        "brokers: the last broker in sync comes back empty and leads, and the "
        "committed offsets are gone. ",
    )


EVENT = FailureEvent(
    name="offsets-topic-lost",
    title="The brokers with the committed offsets are lost",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "Groups keep their positions in a topic of their own, __consumer_offsets. Its copies are "
        "on the brokers that are lost for good."
    ),
    permits=permits,
    scenario="offsets-topic-lost",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Kafka GroupCoordinatorConfig, offsets.topic.replication.factor",
        "apache/kafka config/server.properties (ships 1)",
        "KIP-966, Motivation",
    ),
    in_scope=broker_lost_for_good,
)
