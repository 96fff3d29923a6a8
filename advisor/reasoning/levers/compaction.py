"""Levers of what compaction removes from the topic."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component, Value
from advisor.reasoning.behaviour.absence import (
    COMPACTION_LAG,
    longest_unread,
    read_before_compaction,
    uncompacted_ms,
)
from advisor.reasoning.failures.log_compaction import needs_every_message
from advisor.reasoning.levers.lever import LONG_MAX, TOPIC_CONFIG, Lever, costs
from advisor.reasoning.pipeline import Pipeline

_TOPIC = Component.TOPIC


def _policies(pipeline: Pipeline) -> Sequence[Value]:
    """No compaction, if readers need every message of the topic."""
    compacted = "compact" in pipeline.text(_TOPIC, "cleanup.policy")
    return ["delete"] if compacted and needs_every_message(pipeline) else []


def _compaction_lags(pipeline: Pipeline) -> Sequence[Value]:
    """A longer lag, if one was stated for readers that need every message and is too short."""
    now, needed_ms = pipeline.number(_TOPIC, COMPACTION_LAG), uncompacted_ms(pipeline)
    if not 0 < now <= needed_ms or not needs_every_message(pipeline):
        return []
    return [min(2 * needed_ms + 1, LONG_MAX)]


def _delete_retentions(pipeline: Pipeline) -> Sequence[Value]:
    away_ms, now = longest_unread(pipeline).ms, pipeline.number(_TOPIC, "delete.retention.ms")
    compacted = "compact" in pipeline.text(_TOPIC, "cleanup.policy")
    if not compacted or now > away_ms or read_before_compaction(pipeline):
        return []
    return [min(2 * away_ms + 1, LONG_MAX)]


LEVERS = (
    Lever(
        _TOPIC, COMPACTION_LAG, _compaction_lags,
        costs(disk="the messages of a key are kept for that long, and not only the latest."),
        "Kafka TopicConfig, min.compaction.lag.ms; KIP-58",
        TOPIC_CONFIG,
    ),
    Lever(
        _TOPIC, "cleanup.policy", _policies,
        costs(disk="each message is kept until retention.ms, and not only the latest of a key.",
              more="Meaning: after retention.ms the latest message of a key is deleted, too."),
        "Kafka design.md, Log Compaction",
        TOPIC_CONFIG,
    ),
    Lever(
        _TOPIC, "delete.retention.ms", _delete_retentions,
        costs(disk="the deletes of keys are kept for longer; each is a key without a value."),
        "Kafka TopicConfig, delete.retention.ms",
        TOPIC_CONFIG,
    ),
)  # fmt: skip
