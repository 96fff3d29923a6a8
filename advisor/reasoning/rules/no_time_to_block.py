"""A producer of Spark or Kafka Streams that has no time to wait.

What it is
    max.block.ms of 10 ms or less, in a producer that Spark or Kafka Streams runs.

Why it matters
    The first send() to a topic needs the topic's metadata, and a send() that finds the buffer full
    needs room. Without time to wait, both fail. Nothing is lost, because the task is run again. But
    a Spark query stops when a task has failed for the fourth time, and the steps of a Kafka Streams
    transaction time out in the same way.

Use instead
    The default of 60,000 ms.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.session import MIN_RESPONSE_MS
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline

_BLOCK = "max.block.ms"


def check(pipeline: Pipeline) -> str | None:
    """Reports an engine's producer that does not wait long enough for a request."""
    if pipeline.family not in (Family.SPARK, Family.STREAMS):
        return None
    block_ms = pipeline.number(Component.PRODUCER, _BLOCK)
    if block_ms > MIN_RESPONSE_MS:
        return None
    effect = (
        "the task, and the query stops when a task has failed for the fourth time"
        if pipeline.family is Family.SPARK
        else "the task, and the thread dies when that lasts for task.timeout.ms"
    )
    return (
        f"{_BLOCK}={block_ms}: a send() that needs metadata or finds the buffer full fails "
        f"immediately. That fails {effect}."
    )


RULE = Rule(
    code="P009",
    name="no-time-to-block",
    severity=Severity.HIGH,
    component=Component.PRODUCER,
    setting=_BLOCK,
    check=check,
    sources=(
        "Kafka ConfigDef, max.block.ms",
        "KafkaRowWriter.scala, checkForErrors",
        "KIP-572 (task.timeout.ms)",
    ),
    valid=({"family": "spark"}, {"family": "java", "producer.max.block.ms": "0"}),
    invalid=(
        {"family": "spark", "producer.max.block.ms": "0"},
        {"family": "streams", "producer.max.block.ms": "10"},
    ),
)
