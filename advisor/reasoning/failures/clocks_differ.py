"""The clocks of brokers and clients differ.

Timestamps and retention are all that goes by the time of day. Sessions, leases, elections and
transactions go by durations, which each machine measures by itself: a clock that is wrong, or
jumps, does nothing to them.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.absence import longest_unread
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.behaviour.timestamps import APART, clocks_apart, furthest_ahead, oldest
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A sender whose clock is off is refused, and a broker's that is ahead deletes early."""
    return _refused(pipeline) | _deleted_early(pipeline)


def _refused(pipeline: Pipeline) -> Permits:
    """A record is stamped once, and a broker's refusal is final (INVALID_TIMESTAMP)."""
    apart = clocks_apart(pipeline)
    limits = (("ahead of", furthest_ahead(pipeline)), ("behind", oldest(pipeline)))
    refused = [
        f"{limit}: a sender whose clock is further {where} the broker's gets its records refused"
        for where, limit in limits
        if limit is not None and limit.ms < apart.ms
    ]
    if not refused:
        return {}
    reason = f"{apart}, {'; '.join(refused)} until the clocks agree."
    permitted: Permits = {Anomaly.UNAVAILABLE: reason}
    return permitted | Session(pipeline).refused(reason)


def _deleted_early(pipeline: Pipeline) -> Permits:
    """Counted once it is said: by a second or so nobody's retention is short."""
    if pipeline.value(Component.APPLICATION, APART) is None:
        return {}
    kept_ms = pipeline.number(Component.TOPIC, "retention.ms")
    if kept_ms < 0 or "delete" not in pipeline.text(Component.TOPIC, "cleanup.policy"):
        return {}
    apart, readers = clocks_apart(pipeline), longest_unread(pipeline)
    if readers.ms < kept_ms - apart.ms:
        return {}
    return {
        Anomaly.EFFECT_MISSING: (
            f"{apart}: a broker whose clock is ahead of the clock that stamped a record deletes "
            f"the record that much earlier than retention.ms={kept_ms}, and readers may be away "
            f"for {readers.ms:,} ms ({readers.reason})."
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
