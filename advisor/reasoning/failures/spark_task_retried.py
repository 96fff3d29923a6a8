"""A Spark task that writes to Kafka fails late and is run again."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Duplicates, whatever the settings: the sink cannot take back what a task sent."""
    reason = (
        "Spark's Kafka sink sends rows as they are produced, and its commit and abort do nothing: "
        "the rows of a failed attempt stay, and the next attempt sends them again. No setting "
        "changes this; enable.idempotence recognises only one client's own retries."
    )
    return {Anomaly.DUPLICATE: reason}


EVENT = FailureEvent(
    name="spark-task-retried",
    title="A Spark task that writes to Kafka is run again",
    # The session that matters here is the query: its engine sends again, not the application.
    boundary=Boundary.PRODUCER_TO_LOG,
    story="A task of a query with a Kafka sink fails after it sent rows; Spark runs it again.",
    permits=permits,
    scenario="spark-task-retried",
    families=frozenset({Family.SPARK}),
    beyond_settings=(
        "Give each row a unique id and let its reader drop repeats "
        "(dropDuplicatesWithinWatermark), write with foreachBatch to a store that knows the "
        "batchId, or make the last hop to Kafka with a transactional Java or Python producer."
    ),
    sources=(
        "Spark structured-streaming-kafka-integration.md, at least once write semantics",
        "apache/spark KafkaStreamingWrite.scala (commit and abort do nothing)",
    ),
)
