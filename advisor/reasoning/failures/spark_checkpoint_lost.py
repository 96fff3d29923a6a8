"""The checkpoint of a Spark query is gone."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits, once_stated
from advisor.reasoning.failures.no_committed_offset import without_position
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A query that starts as a new one: only the checkpoint records how far it was."""
    place = pipeline.text(Component.APPLICATION, "checkpoint")
    if place == "durable":
        return {}
    cause = (
        f"application.checkpoint={place or 'unknown'}: without it the query is a new one, and its "
        "batchIds begin at 0 again. "
    )
    return {**_skipped_batches(pipeline, cause), **without_position(pipeline, cause)}


def _skipped_batches(pipeline: Pipeline, cause: str) -> Permits:
    """Batches that a sink skips, because an earlier batch had the same batchId.

    No setting shows whether a sink uses keys instead (decision 0114).
    """
    sink = pipeline.text(Component.APPLICATION, "sink")
    if sink != "idempotent":
        return {}
    effect = (
        "one that identifies batches by batchId takes these for batches that it already has, and "
        "skips them. "
    )
    effect += "One that merges by keys does not, but only its code shows that."
    return {Anomaly.EFFECT_MISSING: f"{cause}application.sink={sink}: {effect}"}


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
