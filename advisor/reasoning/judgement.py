"""What one failure event may do under one pipeline's settings, and what of it counts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from advisor.reasoning.event import FailureEvent
from advisor.reasoning.guarantees import REPEATED_DELIVERY, Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


class EventAssessment(NamedTuple):
    """One event under one pipeline's settings.

    `permits` counts against a guarantee. `absorbed` may be seen as well, and a ledger counts
    it, but it leaves no trace: the first attempt is undone, or the sink knows the message.
    `in_scope` tells whether the team's requirement covers the event at all.
    """

    event: FailureEvent
    permits: Mapping[Anomaly, str]
    absorbed: Mapping[Anomaly, str]
    in_scope: bool


def judge(event: FailureEvent, pipeline: Pipeline) -> EventAssessment:
    """What one event permits.

    Beyond the log, a record that comes twice counts only if its effect may: that is how
    commits in a transaction and idempotent sinks reach exactly-once at all, though every
    group that does not commit first is handed records again (see docs/decisions/0005).
    """
    seen, in_scope = event.permits(pipeline), event.in_scope(pipeline)
    if (
        event.boundary is Boundary.PRODUCER_TO_LOG
        or REPEATED_DELIVERY.isdisjoint(seen)
        or Anomaly.EFFECT_DUPLICATED in seen
    ):
        return EventAssessment(event, seen, {}, in_scope)
    return EventAssessment(
        event=event,
        permits={anomaly: why for anomaly, why in seen.items() if anomaly not in REPEATED_DELIVERY},
        absorbed={anomaly: why for anomaly, why in seen.items() if anomaly in REPEATED_DELIVERY},
        in_scope=in_scope,
    )
