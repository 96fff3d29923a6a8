"""Older values of a key are removed from the log."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.event import FailureEvent, Permits, never_counted
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A reader that comes later sees the last value of each key only."""
    policy = pipeline.text(Component.TOPIC, "cleanup.policy")
    if "compact" not in policy:
        return {}
    return {
        Anomaly.EFFECT_MISSING: f"cleanup.policy={policy}: of each key only the latest value is "
        "sure to stay; a reader that is behind never sees the ones between."
    }


EVENT = FailureEvent(
    name="log-compaction",
    title="Compaction removes older values",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="The log is compacted while a reader is behind: of each key the latest value is left.",
    permits=permits,
    scenario="log-compaction",
    sources=("Kafka design.md, Log Compaction",),
    in_scope=never_counted,
    not_counted="a compacted topic is meant to do this",
)
