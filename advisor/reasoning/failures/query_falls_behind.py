"""A Spark query may read fewer messages in a batch than arrive, while its readers may be behind."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.retention_overtakes_reader import permits as overtaken
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Missing effects, if messages are retained for less time than the query may be behind."""
    max_offsets = pipeline.value(Component.CONSUMER, "maxOffsetsPerTrigger")
    deleted = overtaken(pipeline).get(Anomaly.EFFECT_MISSING)
    if max_offsets is None or deleted is None:
        return {}
    if pipeline.flag(Component.CONSUMER, "failOnDataLoss"):
        effect = "failOnDataLoss=true: the query stops at the first offset that was deleted."
    else:
        effect = "failOnDataLoss=false: the query skips deleted messages without an error."
    reason = (
        f"maxOffsetsPerTrigger={max_offsets}: while more messages arrive, the query falls behind. "
        f"{deleted} {effect}"
    )
    return {Anomaly.EFFECT_MISSING: reason}


EVENT = FailureEvent(
    name="query-falls-behind",
    title="A Spark query falls behind the topic's retention",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "For as long as you say that readers may be behind, more messages arrive than the query "
        "may read in a batch. Retention deletes what it has not read."
    ),
    permits=permits,
    scenario="query-falls-behind",
    families=frozenset({Family.SPARK}),
    sources=(
        "Spark structured-streaming-kafka-integration.md, maxOffsetsPerTrigger and failOnDataLoss",
        "Kafka TopicConfig, retention.ms and retention.bytes",
    ),
)
