"""The possible effects of one failure event under a pipeline's settings, and which of them
count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from advisor.reasoning.event import FailureEvent
from advisor.reasoning.guarantees import REPEATED_DELIVERY, Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


class EventAssessment(NamedTuple):
    """One event under one pipeline's settings.

    `permits` are the anomalies that count against a guarantee, with their reasons. `absorbed` are
    also possible, and a ledger counts them, but they have no effect: the first attempt is undone,
    or the sink recognizes the message. `in_scope` tells whether the requirement covers the event.
    """

    event: FailureEvent
    permits: Mapping[Anomaly, str]
    absorbed: Mapping[Anomaly, str]
    in_scope: bool


def judge(event: FailureEvent, pipeline: Pipeline) -> EventAssessment:
    """Returns what one event permits.

    After the log, repeated delivery only counts if the effect may be repeated, too. So transactions
    and idempotent sinks can give exactly-once, although every group that does not commit first
    receives records again (see docs/decisions/0005).
    """
    permitted, in_scope = event.permits(pipeline), event.in_scope(pipeline)
    if (
        event.boundary is Boundary.PRODUCER_TO_LOG
        or REPEATED_DELIVERY.isdisjoint(permitted)
        or Anomaly.EFFECT_DUPLICATED in permitted
    ):
        return EventAssessment(event, permitted, {}, in_scope)
    return EventAssessment(
        event=event,
        permits={
            anomaly: why for anomaly, why in permitted.items() if anomaly not in REPEATED_DELIVERY
        },
        absorbed={
            anomaly: why for anomaly, why in permitted.items() if anomaly in REPEATED_DELIVERY
        },
        in_scope=in_scope,
    )
