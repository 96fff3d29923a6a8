"""Records bear timestamps of long ago, or of the future."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import kafka_at_least


def permits(pipeline: Pipeline) -> Permits:
    """Retention goes by the sender's clock: old records are deleted soon, future ones refused.

    Seen in a run: 5 acknowledged records, 10 days old, gone at the next check of retention.
    """
    stamped_by = pipeline.text(Component.TOPIC, "message.timestamp.type")
    given = pipeline.text(Component.APPLICATION, "timestamps")
    if given == "now" or stamped_by == "LogAppendTime":
        return {}
    said = f"application.timestamps={given} with message.timestamp.type={stamped_by}"
    found: Permits = {}
    kept_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if kept_ms >= 0 and "delete" in pipeline.text(Component.TOPIC, "cleanup.policy"):
        found[Anomaly.EFFECT_MISSING] = (
            f"{said}: what is older than retention.ms={kept_ms} when it is sent is acknowledged, "
            "and deleted at the next check."
        )
    if kafka_at_least(pipeline, "3.6"):
        ahead_ms = pipeline.number(Component.TOPIC, "message.timestamp.after.max.ms")
        found[Anomaly.UNAVAILABLE] = (
            f"{said}: what is further ahead than message.timestamp.after.max.ms={ahead_ms} is "
            "refused, however often it is sent."
        )
    return found


EVENT = FailureEvent(
    name="foreign-timestamps",
    title="Timestamps are old or in the future",
    boundary=Boundary.END_TO_END,
    story=(
        "A replay, a backfill or a machine with a wrong clock sends records with timestamps that "
        "are far from now."
    ),
    permits=permits,
    scenario="foreign-timestamps",
    sources=("Kafka TopicConfig, message.timestamp.type", "KIP-32", "KIP-937", "KIP-1030"),
)
