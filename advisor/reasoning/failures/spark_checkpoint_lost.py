"""The checkpoint of a Spark query is gone."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits, once_stated
from advisor.reasoning.failures.no_committed_offset import without_position
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Nothing else knows how far the query was: it starts as a new one."""
    place = pipeline.text(Component.APPLICATION, "checkpoint")
    if place == "durable":
        return {}
    cause = (
        f"application.checkpoint={place or 'unknown'}: without it the query is a new one, and its "
        "batchIds begin at 0 again. "
    )
    return {**_taken_for_known(pipeline, cause), **without_position(pipeline, cause)}


def _taken_for_known(pipeline: Pipeline, cause: str) -> Permits:
    """A sink that goes by the batchId passes over a new batch that has the number of an old one;
    whether one goes by keys instead, no setting says (decision 0114)."""
    sink = pipeline.text(Component.APPLICATION, "sink")
    if sink != "idempotent":
        return {}
    words = (
        "one that identifies batches by batchId takes these for batches that it already has, and "
        "skips them. "
    )
    words += "One that merges by keys does not, but only its code shows that."
    return {Anomaly.EFFECT_MISSING: f"{cause}application.sink={sink}: {words}"}


EVENT = FailureEvent(
    name="spark-checkpoint-lost",
    title="The checkpoint of the Spark query is lost",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The checkpoint was on a disk that is gone, was deleted, or the query was started with "
        "another checkpointLocation."
    ),
    permits=permits,
    scenario="spark-checkpoint-lost",
    families=frozenset({Family.SPARK}),
    sources=(
        "Spark structured-streaming-programming-guide.md, recovering from failures",
        "Spark structured-streaming-kafka-integration.md, startingOffsets",
    ),
    in_scope=once_stated("checkpoint"),
    not_counted="it counts if you state where the checkpoint is (application.checkpoint)",
)
