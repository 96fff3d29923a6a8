"""Partitions are added to the topic while it is read."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.absence import reach_ms
from advisor.reasoning.behaviour.group import missing
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline

METADATA_MS = 300_000
"""metadata.max.age.ms and topic.metadata.refresh.interval.ms, the clients' defaults."""


def permits(pipeline: Pipeline) -> Permits:
    """A group at the end misses what is written before it knows the new partition."""
    reset = pipeline.text(Component.CONSUMER, "auto.offset.reset")
    back_ms = reach_ms(reset)
    if reset != "latest" and not 0 < back_ms < METADATA_MS:
        return {}
    end = f"{back_ms:,} ms before its end" if back_ms else "its end"
    return missing(
        f"auto.offset.reset={reset}: the group has no position in a new partition and starts at "
        f"{end}, when it discovers it, up to {METADATA_MS:,} ms after the first producer."
    )


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
    sources=("Kafka ConfigDef, auto.offset.reset", "Kafka ConfigDef, metadata.max.age.ms"),
)
