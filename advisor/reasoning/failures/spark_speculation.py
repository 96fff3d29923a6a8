"""A second attempt of a Spark task runs at the same time as the first."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Duplicates: both attempts send, and the sink cannot take back what the slower one sent."""
    if not pipeline.flag(Component.APPLICATION, "speculation"):
        return {}
    return {
        Anomaly.DUPLICATE: (
            "application.speculation=true: two attempts of one task send the same rows, and "
            "Spark's Kafka sink does not take any of them back."
        )
    }


EVENT = FailureEvent(
    name="spark-speculation",
    title="A slow Spark task is run twice at once",
    boundary=Boundary.PRODUCER_TO_LOG,
    story="spark.speculation starts a second attempt of a task that is slow; both write.",
    permits=permits,
    scenario="spark-speculation",
    families=frozenset({Family.SPARK}),
    sources=(
        "Spark configuration.md, spark.speculation",
        "apache/spark KafkaStreamingWrite.scala (commit and abort do nothing)",
    ),
)
