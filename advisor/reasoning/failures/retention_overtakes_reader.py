"""Messages are deleted by age or by size before the reader has reached them."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.absence import longest_unread, required_retention
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Messages without an effect, if the reader may be away for longer than they are kept."""
    policy = pipeline.text(Component.TOPIC, "cleanup.policy")
    reason = _by_age(pipeline) or _by_size(pipeline) if "delete" in policy else ""
    if not reason:
        forgotten = _forgotten(pipeline) if "compact" in policy else ""
        return {Anomaly.EFFECT_MISSING: forgotten} if forgotten else {}
    if pipeline.text(Component.CONSUMER, "auto.offset.reset") == "latest":
        reason += " auto.offset.reset=latest then also skips everything that is left."
        return {Anomaly.EFFECT_MISSING: reason, Anomaly.SKIPPED: reason}
    return {Anomaly.EFFECT_MISSING: reason}


def _forgotten(pipeline: Pipeline) -> str:
    """A delete of a key goes `delete.retention.ms` after the log was compacted (KIP-534)."""
    kept_ms, readers = (
        pipeline.number(Component.TOPIC, "delete.retention.ms"),
        longest_unread(pipeline),
    )
    if readers.ms < kept_ms:
        return ""
    return (
        f"delete.retention.ms={kept_ms}, and nobody may read for {readers.ms:,} ms "
        f"({readers.reason}): the delete of a key that nobody has read by then is removed from a "
        "compacted topic, and the reader keeps the key."
    )


def _by_age(pipeline: Pipeline) -> str:
    """Of a segment the last message counts, of the one that is written to as well: where nothing
    comes for so long, all of it goes (UnifiedLog, deleteRetentionMsBreachedSegments)."""
    kept_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if kept_ms < 0:
        return ""
    readers = longest_unread(pipeline)
    if readers.ms < kept_ms:
        return ""
    return (
        f"retention.ms={kept_ms}, and nobody may read for {readers.ms:,} ms ({readers.reason}): "
        "messages that nobody has read by then are deleted."
    )


def _by_size(pipeline: Pipeline) -> str:
    """All messages may be of one partition. A load that was not stated may be any."""
    kept = pipeline.number(Component.TOPIC, "retention.bytes")
    if kept < 0:
        return ""
    needed = required_retention(pipeline)
    if needed.least is not None and kept >= needed.least:
        return ""
    return (
        f"retention.bytes={kept} in a partition, and {needed.reason} may arrive while nobody "
        "reads: the oldest messages are deleted, read or not."
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
