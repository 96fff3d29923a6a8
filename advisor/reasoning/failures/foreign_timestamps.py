"""Records bear timestamps of long ago, or of the future."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.timestamps import Limit, furthest_ahead, oldest, stamped_by_sender

_CLOCKS_DIFFER_MS = 1000
"""By how much the clocks of machines differ that nobody watches."""


def permits(pipeline: Pipeline) -> Permits:
    """Retention goes by the sender's clock: old records are deleted soon, future ones refused.

    Seen in a run: 5 acknowledged records, 10 days old, gone at the next check of retention.
    """
    if not stamped_by_sender(pipeline):
        return {}
    given = pipeline.text(Component.APPLICATION, "timestamps")
    ahead = furthest_ahead(pipeline)
    if given == "now":
        return _by_clocks(ahead)
    said = f"application.timestamps={given} with message.timestamp.type=CreateTime"
    found: Permits = {}
    kept_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if kept_ms >= 0 and "delete" in pipeline.text(Component.TOPIC, "cleanup.policy"):
        found[Anomaly.EFFECT_MISSING] = (
            f"{said}: what is older than retention.ms={kept_ms} when it is sent is acknowledged, "
            "and deleted at the next check."
        )
    refused = [
        f"what is {where} than {limit} is refused, however often it is sent"
        for where, limit in (("further ahead", ahead), ("older", oldest(pipeline)))
        if limit
    ]
    if refused:
        found[Anomaly.UNAVAILABLE] = f"{said}: {'; '.join(refused)}."
    return found


def _by_clocks(ahead: Limit | None) -> Permits:
    """Clocks that differ in the ordinary way: a sender's that is ahead has its records refused."""
    if ahead is None or ahead.ms >= _CLOCKS_DIFFER_MS:
        return {}
    return {
        Anomaly.UNAVAILABLE: f"{ahead}: a sender whose clock is further ahead of the broker's has "
        "every record refused until the clocks agree."
    }


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
