"""A Spark query's driver dies between the sink and the checkpoint."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import repeated
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """The last batch again; a sink that identifies the batch or the key applies it once."""
    max_offsets = pipeline.value(Component.CONSUMER, "maxOffsetsPerTrigger")
    bound = "" if max_offsets is None else f" (maxOffsetsPerTrigger={max_offsets} messages at most)"
    return repeated(
        pipeline,
        "Spark records a batch in its checkpoint after the sink has it: a batch in between"
        f"{bound} is run again with the same offsets and the same batchId.",
    )


EVENT = FailureEvent(
    name="spark-restarted",
    title="The Spark driver dies between the sink and the checkpoint",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="The batch is written, but its end is not yet recorded when the query starts again.",
    permits=permits,
    scenario="spark-restarted",
    families=frozenset({Family.SPARK}),
    sources=(
        "Spark apis-on-dataframes-and-datasets.md, foreachBatch",
        "Spark structured-streaming-programming-guide.md, fault tolerance semantics",
    ),
)
