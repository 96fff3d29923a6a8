"""Partitions are added to the topic while it is read."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.absence import (
    Absence,
    duration_ms,
    longest_wait,
    required_retention,
    until_discovered,
)
from advisor.reasoning.behaviour.group import skipped
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A group at the end misses what is written before it knows the new partition. From the
    beginning it misses what is deleted before."""
    reset = pipeline.text(Component.CONSUMER, "auto.offset.reset")
    back_ms, found = duration_ms(reset), until_discovered(pipeline)
    if reset != "latest" and not 0 < back_ms < found.ms:
        gone = _deleted(pipeline, found)
        return {Anomaly.EFFECT_MISSING: gone} if gone else {}
    end = f"{back_ms:,} ms before its end" if back_ms else "its end"
    return skipped(
        f"auto.offset.reset={reset}: the group has no position in a new partition and starts at "
        f"{end}, when it discovers it, {found.reason}."
    )


def _deleted(pipeline: Pipeline, found: Absence) -> str:
    """What retention deletes of a new partition before the group reads it; empty for nothing."""
    if "delete" not in pipeline.text(Component.TOPIC, "cleanup.policy"):
        return ""
    text = f"The group discovers a new partition {found.reason}"
    kept_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if 0 <= kept_ms <= found.ms:
        return f"{text}: with retention.ms={kept_ms} messages are deleted before."
    kept = pipeline.number(Component.TOPIC, "retention.bytes")
    if kept < 0 or found.ms <= longest_wait(pipeline).ms:
        return ""
    needed = required_retention(pipeline, found)
    if needed.least is not None and kept >= needed.least:
        return ""
    return f"{text}: with retention.bytes={kept} messages may be deleted before."


EVENT = FailureEvent(
    name="partition-added",
    title="A partition is added while the topic is read",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The topic gets more partitions. Producers use them at once; readers discover them later."
    ),
    permits=permits,
    scenario="partition-added",
    # Spark reads new partitions of a running query from their beginning.
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Kafka ConfigDef, auto.offset.reset",
        "Kafka ConfigDef, metadata.max.age.ms",
        "librdkafka CONFIGURATION.md, topic.metadata.refresh.interval.ms",
    ),
)
