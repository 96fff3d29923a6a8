"""Messages are deleted by age or by size before the reader has come to them."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.event import FailureEvent, Permits, once_stated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.numbers import bytes_while_away
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Messages without an effect, if the reader may be away for longer than they are kept."""
    if "delete" not in pipeline.text(Component.TOPIC, "cleanup.policy"):
        return {}
    reason = _by_age(pipeline) or _by_size(pipeline)
    if not reason:
        return {}
    if pipeline.text(Component.CONSUMER, "auto.offset.reset") == "latest":
        reason += " auto.offset.reset=latest then passes over all that is left, too."
        return {Anomaly.EFFECT_MISSING: reason, Anomaly.SKIPPED: reason}
    return {Anomaly.EFFECT_MISSING: reason}


def _by_age(pipeline: Pipeline) -> str:
    kept_ms = pipeline.number(Component.TOPIC, "retention.ms")
    away_ms = pipeline.value(Component.APPLICATION, "outage.ms")
    if kept_ms < 0 or (isinstance(away_ms, int) and away_ms < kept_ms):
        return ""
    return f"retention.ms={kept_ms}: what nobody has read by then is deleted."


def _by_size(pipeline: Pipeline) -> str:
    """All messages may be of one partition. A load that was not stated may be any."""
    kept = pipeline.number(Component.TOPIC, "retention.bytes")
    coming = bytes_while_away(pipeline)
    if kept < 0 or (coming is not None and coming < kept):
        return ""
    while_away = "as many as come" if coming is None else f"rate × message.bytes = {coming}"
    return (
        f"retention.bytes={kept} in a partition, and {while_away} while readers are away "
        "(application.outage.ms): the oldest are deleted, read or not."
    )


EVENT = FailureEvent(
    name="retention-overtakes-reader",
    title="Retention overtakes the reader",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="The readers are down or too slow for longer than the topic keeps its messages.",
    permits=permits,
    scenario="retention-overtakes-reader",
    sources=(
        "Kafka TopicConfig, retention.ms and retention.bytes",
        "Kafka ConfigDef, auto.offset.reset",
    ),
    in_scope=once_stated("outage.ms"),
    not_counted="it counts once you say how long readers may be away (application.outage.ms)",
)
