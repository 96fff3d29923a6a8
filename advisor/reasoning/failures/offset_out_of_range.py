"""The reader's position is no longer in the log."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import skipped
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.no_committed_offset import without_position
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Decided by auto.offset.reset, also for a running reader; for Spark by failOnDataLoss."""
    if pipeline.family is not Family.SPARK:
        return without_position(pipeline)
    if pipeline.flag(Component.CONSUMER, "failOnDataLoss"):
        return {Anomaly.BLOCKED: "failOnDataLoss=true: the query stops and names the offsets."}
    return skipped("failOnDataLoss=false: the query skips the gap without an error.")


EVENT = FailureEvent(
    name="offset-out-of-range",
    title="The reader's position is no longer in the log",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "Records were deleted by hand, the topic was recreated, or an unclean election truncated "
        "the log: the offset that the reader asks for does not exist."
    ),
    permits=permits,
    scenario="offset-out-of-range",
    sources=(
        "Kafka ConfigDef, auto.offset.reset",
        "Spark structured-streaming-kafka-integration.md, failOnDataLoss",
    ),
)
