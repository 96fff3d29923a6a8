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
    """Skipped messages: those written before a group that starts at the end knows the partition.

    A group that starts at the beginning misses what is deleted before that.
    """
    reset = pipeline.text(Component.CONSUMER, "auto.offset.reset")
    back_ms, discovery = duration_ms(reset), until_discovered(pipeline)
    if reset != "latest" and not 0 < back_ms < discovery.ms:
        reason = _retention_reason(pipeline, discovery)
        return {Anomaly.EFFECT_MISSING: reason} if reason else {}
    end = f"{back_ms:,} ms before its end" if back_ms else "its end"
    return skipped(
        f"auto.offset.reset={reset}: the group has no position in a new partition and starts at "
        f"{end}, when it discovers it, {discovery.reason}."
    )


def _retention_reason(pipeline: Pipeline, discovery: Absence) -> str:
    """Returns why messages are deleted before the group reads them; empty if none are."""
    if "delete" not in pipeline.text(Component.TOPIC, "cleanup.policy"):
        return ""
    text = f"The group discovers a new partition {discovery.reason}"
    retention_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if 0 <= retention_ms <= discovery.ms:
        return f"{text}: with retention.ms={retention_ms} messages are deleted before."
    retention_bytes = pipeline.number(Component.TOPIC, "retention.bytes")
    if retention_bytes < 0 or discovery.ms <= longest_wait(pipeline).ms:
        return ""
    needed = required_retention(pipeline, discovery)
    if needed.least is not None and retention_bytes >= needed.least:
        return ""
    return f"{text}: with retention.bytes={retention_bytes} messages may be deleted before."


EVENT = FailureEvent(
    name="partition-added",
    title="A partition is added while the topic is read",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The topic gets more partitions. Producers use them immediately; readers discover them "
        "later."
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
