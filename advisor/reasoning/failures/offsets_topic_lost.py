"""The brokers that hold the group's committed offsets are lost for good."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good
from advisor.reasoning.failures.no_committed_offset import without_position
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted

NAME = "offsets.topic.replication.factor"


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
        return {}
    return without_position(pipeline, f"{NAME}={copies}: the committed offsets are gone, too. ")


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
    ),
    in_scope=broker_lost_for_good,
)
