"""Records have timestamps of long ago, or of the future."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.timestamps import max_age, max_ahead, stamped_by_sender
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Old records deleted early, and future ones refused: the brokers use the sender's timestamps.

    Seen in a run: 5 acknowledged records, 10 days old, were deleted at the next retention check.
    """
    timestamps = pipeline.text(Component.APPLICATION, "timestamps")
    if timestamps == "now" or not stamped_by_sender(pipeline):
        return {}
    text = f"application.timestamps={timestamps} with message.timestamp.type=CreateTime"
    permitted: Permits = {}
    retention_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if retention_ms >= 0 and "delete" in pipeline.text(Component.TOPIC, "cleanup.policy"):
        permitted[Anomaly.EFFECT_MISSING] = (
            f"{text}: a record that is older than retention.ms={retention_ms} when it is sent is "
            "acknowledged, and then deleted at the next retention check."
        )
    refused = [
        f"a record that is {direction} than {limit} is refused for good"
        for direction, limit in (
            ("further ahead", max_ahead(pipeline)), ("older", max_age(pipeline)),
        )
        if limit
    ]  # fmt: skip
    if refused:
        permitted |= Session(pipeline).refused(f"{text}: {'; '.join(refused)}.")
    return permitted


EVENT = FailureEvent(
    name="foreign-timestamps",
    title="Timestamps are old or in the future",
    boundary=Boundary.END_TO_END,
    story=(
        "A replay, a backfill or a device with its own clock sends records with timestamps that "
        "are far from the current time."
    ),
    permits=permits,
    scenario="foreign-timestamps",
    sources=("Kafka TopicConfig, message.timestamp.type", "KIP-32", "KIP-937", "KIP-1030"),
)
