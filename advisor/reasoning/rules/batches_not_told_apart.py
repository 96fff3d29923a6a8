"""Spark batches that cannot be told apart by their number.

What it is
    A query with asyncProgressTrackingEnabled=true, Trigger.Continuous or Trigger.RealTime
    (application.trigger).

Why it matters
    A sink that knows a batch by its batchId relies on a batch that is run again having the same
    messages. With progress tracked on the side it may have others; a continuous query has no
    batches, and stops when a task fails; real-time mode has no foreachBatch, and writes up to
    one batch, 5 minutes unless stated, once more after a failure.

Use instead
    Micro-batches; or a sink that knows each message by a key of its own.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.finding import Confidence, Rule, Severity
from advisor.reasoning.pipeline import Pipeline

_WHY = {
    "async-progress": "a batch that is run again may have other messages under the same batchId",
    "continuous": "at-least-once, without batches, and a task that fails stops the query",
    "real-time": "no foreachBatch, and up to one batch of output is written again",
}


def check(pipeline: Pipeline) -> str | None:
    """Only who keys the sink by the message itself is safe, and which key it is nobody said."""
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
