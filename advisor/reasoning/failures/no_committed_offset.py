"""The group has no valid position: it is new, or its offsets or its checkpoint are gone."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.absence import covers_retention
from advisor.reasoning.behaviour.group import repeated, skipped
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def start_setting(pipeline: Pipeline) -> str:
    """Returns the setting that decides where a group without a position starts."""
    return "startingOffsets" if pipeline.family is Family.SPARK else "auto.offset.reset"


def permits(pipeline: Pipeline) -> Permits:
    """Effects of a start without a position."""
    return without_position(pipeline)


def without_position(pipeline: Pipeline, cause: str = "") -> Permits:
    """Skips with latest, redelivery with earliest, both with a duration, a stop with none or error.

    `cause` is a sentence that precedes each reason, with a space at its end.
    """
    name = start_setting(pipeline)
    start = pipeline.text(Component.CONSUMER, name)
    text = f"{cause}{name}={start}"
    skips = f"{text}: records that are in the log before the group has a position are skipped."
    repeats = (
        f"{text}: records that the group processed before it lost its position are delivered again."
    )
    if start == "latest":
        return skipped(skips)
    if start == "earliest" or covers_retention(pipeline, start):
        return repeated(pipeline, repeats, committed=True)
    if start in ("none", "error"):
        reason = f"{text}: the consumer stops with an error until somebody sets a position."
        return {Anomaly.BLOCKED: reason}
    older = skipped(f"{text}: older records are skipped.")
    return older | repeated(pipeline, repeats, committed=True)


EVENT = FailureEvent(
    name="no-committed-offset",
    title="The group has no valid position",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The group is new, its offsets expired (offsets.retention.minutes, 7 days) or were lost; "
        "for Spark, the query is new or its checkpoint is gone."
    ),
    permits=permits,
    scenario="no-committed-offset",
    sources=(
        "Kafka ConfigDef, auto.offset.reset",
        "Kafka ConfigDef, offsets.retention.minutes",
        "Spark structured-streaming-kafka-integration.md, startingOffsets",
    ),
)
