"""Messages are deleted by age or by size before the reader has reached them."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.absence import (
    longest_unread,
    read_before_compaction,
    required_retention,
)
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Missing effects, if the reader may be away for longer than the messages are retained."""
    policy = pipeline.text(Component.TOPIC, "cleanup.policy")
    reason = _age_reason(pipeline) or _size_reason(pipeline) if "delete" in policy else ""
    if not reason:
        deletes = _missed_deletes(pipeline) if "compact" in policy else ""
        return {Anomaly.EFFECT_MISSING: deletes} if deletes else {}
    if pipeline.text(Component.CONSUMER, "auto.offset.reset") == "latest":
        reason += " auto.offset.reset=latest then also skips everything that is left."
        return {Anomaly.EFFECT_MISSING: reason, Anomaly.SKIPPED: reason}
    return {Anomaly.EFFECT_MISSING: reason}


def _missed_deletes(pipeline: Pipeline) -> str:
    """Returns why a reader may miss that a key was deleted.

    The delete is removed `delete.retention.ms` after the log was compacted (KIP-534), and that does
    not happen before `min.compaction.lag.ms` (KIP-58).
    """
    retention_ms, absence = (
        pipeline.number(Component.TOPIC, "delete.retention.ms"),
        longest_unread(pipeline),
    )
    if absence.ms < retention_ms or read_before_compaction(pipeline):
        return ""
    return (
        f"delete.retention.ms={retention_ms}, and nobody may read for {absence.ms:,} ms "
        f"({absence.reason}): the delete of a key that nobody has read by then is removed from a "
        "compacted topic, and the reader keeps the key."
    )


def _age_reason(pipeline: Pipeline) -> str:
    """Returns why messages may be deleted by age.

    The last message of a segment counts, also of the active one: if nothing arrives for that long,
    all of it is deleted (UnifiedLog, deleteRetentionMsBreachedSegments).
    """
    retention_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if retention_ms < 0:
        return ""
    absence = longest_unread(pipeline)
    if absence.ms < retention_ms:
        return ""
    return (
        f"retention.ms={retention_ms}, and nobody may read for {absence.ms:,} ms "
        f"({absence.reason}): messages that nobody has read by then are deleted."
    )


def _size_reason(pipeline: Pipeline) -> str:
    """Returns why messages may be deleted by size.

    All messages may be in one partition. A load that was not stated may be any load.
    """
    retention_bytes = pipeline.number(Component.TOPIC, "retention.bytes")
    if retention_bytes < 0:
        return ""
    needed = required_retention(pipeline)
    if needed.least is not None and retention_bytes >= needed.least:
        return ""
    return (
        f"retention.bytes={retention_bytes} in a partition, and {needed.reason} may arrive while "
        "nobody reads: the oldest messages are deleted, read or not."
    )


EVENT = FailureEvent(
    name="retention-overtakes-reader",
    title="Retention overtakes the reader",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The readers are down for longer than the topic keeps its messages: for as long as you "
        "say, and at least for as long as it takes to replace a reader that dies. Or they wait as "
        "long behind a transaction that is left open, or for a new leader."
    ),
    permits=permits,
    scenario="retention-overtakes-reader",
    sources=(
        "Kafka TopicConfig, retention.ms, retention.bytes and delete.retention.ms",
        "Kafka ConfigDef, auto.offset.reset, session.timeout.ms and max.poll.interval.ms",
        "apache/kafka UnifiedLog.scala (what retention deletes: up to the high watermark)",
        "apache/kafka LogManager.scala (cleanupLogs: of followers, too)",
        "Spark configuration.md, spark.network.timeout",
    ),
)
