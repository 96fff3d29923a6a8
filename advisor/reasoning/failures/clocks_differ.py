"""The clocks of brokers and clients differ.

Only timestamps and retention depend on the time of day. Sessions, leases, elections and
transactions use durations, which each machine measures by itself: a clock that is wrong or jumps
does not affect them.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.absence import longest_unread
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.timestamps import CLOCK_SKEW, clock_skew, max_age, max_ahead
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Records that are refused, if a sender's clock is off, or deleted early, if a broker's is."""
    return _refused(pipeline) | _deleted_early(pipeline)


def _refused(pipeline: Pipeline) -> Permits:
    """Refused records: each is stamped once, and INVALID_TIMESTAMP is a final error."""
    skew = clock_skew(pipeline)
    limits = (("ahead of", max_ahead(pipeline)), ("behind", max_age(pipeline)))
    refused = [
        f"{limit}: a sender whose clock is further {side} the broker's gets its records refused"
        for side, limit in limits
        if limit is not None and limit.ms < skew.ms
    ]
    if not refused:
        return {}
    reason = f"{skew}, {'; '.join(refused)} until the clocks agree."
    permitted: Permits = {Anomaly.UNAVAILABLE: reason}
    return permitted | Session(pipeline).refused(reason)


def _deleted_early(pipeline: Pipeline) -> Permits:
    """Records deleted early, counted only if the difference is stated.

    No retention is so short that the default difference of about a second matters.
    """
    if pipeline.value(Component.APPLICATION, CLOCK_SKEW) is None:
        return {}
    retention_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if retention_ms < 0 or "delete" not in pipeline.text(Component.TOPIC, "cleanup.policy"):
        return {}
    skew, absence = clock_skew(pipeline), longest_unread(pipeline)
    if absence.ms < retention_ms - skew.ms:
        return {}
    return {
        Anomaly.EFFECT_MISSING: (
            f"{skew}: a broker whose clock is ahead of the clock that stamped a record deletes "
            f"the record that much earlier than retention.ms={retention_ms}, and readers may be "
            f"away for {absence.ms:,} ms ({absence.reason})."
        )
    }


EVENT = FailureEvent(
    name="clocks-differ",
    title="Clocks differ",
    boundary=Boundary.END_TO_END,
    story=(
        "A machine's clock is wrong, or jumps. Records get timestamps from one clock, and are "
        "refused or deleted by another. Everything else uses durations and is not affected."
    ),
    permits=permits,
    scenario="clocks-differ",
    sources=(
        "Kafka TopicConfig, message.timestamp.after.max.ms and retention.ms",
        "KIP-32", "KIP-937", "KIP-1030",
        "apache/kafka LogValidator.java (validateTimestamp); UnifiedLog (retention)",
    ),
)  # fmt: skip
