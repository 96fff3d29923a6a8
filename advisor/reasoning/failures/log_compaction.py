"""Older values of a key are removed from the log."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.absence import read_before_compaction
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

HISTORY = "history"
"""What readers of a compacted topic need: the latest message of each key, or every message."""


def needs_every_message(pipeline: Pipeline) -> bool:
    """Whether readers need every message, which a compacted topic does not keep."""
    return pipeline.text(Component.APPLICATION, HISTORY) == "every"


def permits(pipeline: Pipeline) -> Permits:
    """Missing effects: a reader that is behind gets only the last value of each key, unless
    `min.compaction.lag.ms` is longer than that."""
    policy = pipeline.text(Component.TOPIC, "cleanup.policy")
    if "compact" not in policy or read_before_compaction(pipeline):
        return {}
    return {
        Anomaly.EFFECT_MISSING: (
            f"cleanup.policy={policy}: only the latest value of each key is guaranteed to stay; a "
            "reader that is behind never sees the values in between."
        )
    }


EVENT = FailureEvent(
    name="log-compaction",
    title="Compaction removes older values",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The log is compacted while a reader is behind: only the latest value of each key is left."
    ),
    permits=permits,
    scenario="log-compaction",
    sources=("Kafka design.md, Log Compaction", "KIP-58 (min.compaction.lag.ms)"),
    in_scope=needs_every_message,
    not_counted="readers need the latest message of each key (application.history)",
)
