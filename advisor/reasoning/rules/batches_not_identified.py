"""Spark batches that cannot be distinguished by their number.

What it is
    A query with asyncProgressTrackingEnabled=true, Trigger.Continuous or Trigger.RealTime
    (application.trigger).

Why it matters
    A sink that identifies a batch by its batchId assumes that a batch has the same messages when it
    is run again. With asynchronous progress tracking it may have others. A continuous query has no
    batches, and stops when a task fails. Real-time mode has no foreachBatch, and after a failure it
    writes up to one batch again (5 minutes unless stated).

Use instead
    Micro-batches, or a sink that identifies each message by its own key.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline

_WHY = {
    "async-progress": "a batch that is run again may have other messages under the same batchId",
    "continuous": (
        "there are no batches, delivery is at-least-once, and a task that fails stops the query"
    ),
    "real-time": "there is no foreachBatch, and up to one batch of output is written again",
}


def check(pipeline: Pipeline) -> str | None:
    """Reports the trigger; whether the sink uses a key of the message instead was not stated."""
    if pipeline.family is not Family.SPARK:
        return None
    why = _WHY.get(trigger := pipeline.text(Component.APPLICATION, "trigger"))
    return why and f"application.trigger={trigger}: {why}."


RULE = Rule(
    code="A003",
    name="batches-not-told-apart",
    severity=Severity.MEDIUM,
    component=Component.APPLICATION,
    setting="trigger",
    check=check,
    sources=("Spark performance-tips.md, asynchronous progress tracking; continuous processing",
             "Spark real-time-mode.md"),
    valid=({"family": "spark"}, {"family": "spark", "application.trigger": "micro-batch"}),
    invalid=(
        {"family": "spark", "application.trigger": "async-progress"},
        {"family": "spark", "application.trigger": "continuous"},
        {"family": "spark", "application.trigger": "real-time"},
    ),
    confidence=Confidence.MEDIUM,
)  # fmt: skip
