"""Messages are deleted by age before the reader has come to them."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.event import FailureEvent, Permits, once_stated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Messages without an effect, if the reader may be away for longer than they are kept."""
    kept_ms = pipeline.number(Component.TOPIC, "retention.ms")
    away_ms = pipeline.value(Component.APPLICATION, "outage.ms")
    endless = kept_ms < 0 or "delete" not in pipeline.text(Component.TOPIC, "cleanup.policy")
    if endless or (isinstance(away_ms, int) and away_ms < kept_ms):
        return {}
    reason = f"retention.ms={kept_ms}: what nobody has read by then is deleted."
    if pipeline.text(Component.CONSUMER, "auto.offset.reset") == "latest":
        reason += " auto.offset.reset=latest then passes over all that is left, too."
        return {Anomaly.EFFECT_MISSING: reason, Anomaly.SKIPPED: reason}
    return {Anomaly.EFFECT_MISSING: reason}


EVENT = FailureEvent(
    name="retention-overtakes-reader",
    title="Retention overtakes the reader",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="The readers are down or too slow for longer than the topic keeps its messages.",
    permits=permits,
    scenario="retention-overtakes-reader",
    sources=("Kafka TopicConfig, retention.ms", "Kafka ConfigDef, auto.offset.reset"),
    in_scope=once_stated("outage.ms"),
    not_counted="it counts once you say how long readers may be away (application.outage.ms)",
)
