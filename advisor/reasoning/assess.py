"""From a pipeline to what may happen to its messages, and so to the guarantees it gives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import events_for
from advisor.reasoning.finding import Finding
from advisor.reasoning.group import sink_absorbs
from advisor.reasoning.guarantees import Anomaly, Boundary, Guarantee, strongest
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.rules import all_rules

RULES_VERSION = "1"
"""Version of the failure model and the rules together; raised when an answer may change."""

_REPEATED_DELIVERY = frozenset({Anomaly.REDELIVERY, Anomaly.DUPLICATE})


@dataclass(frozen=True, slots=True)
class Assessed:
    """One event under one pipeline's settings.

    `permits` counts against a guarantee. `absorbed` may be seen as well, and a ledger counts
    it, but it leaves no trace: the first attempt is undone, or the sink knows the message.
    `in_scope` tells whether the team's requirement covers the event at all.
    """

    event: FailureEvent
    permits: Mapping[Anomaly, str]
    absorbed: Mapping[Anomaly, str]
    in_scope: bool


@dataclass(frozen=True, slots=True)
class Assessment:
    """The guarantee at each boundary, every event behind it, and the bad patterns found."""

    guarantees: Mapping[Boundary, Guarantee]
    failures: tuple[Assessed, ...]
    findings: tuple[Finding, ...]


def assess(pipeline: Pipeline) -> Assessment:
    """What these settings permit; total for every valid pipeline, and a pure function of it."""
    failures = tuple(judge(event, pipeline) for event in events_for(pipeline))
    absorbs = sink_absorbs(pipeline)
    return Assessment(
        guarantees={each: _guarantee(each, failures, absorbs) for each in Boundary},
        failures=failures,
        findings=_findings(pipeline),
    )


def judge(event: FailureEvent, pipeline: Pipeline) -> Assessed:
    """What one event permits.

    Beyond the log, a record that comes twice counts only if its effect may: that is how
    commits in a transaction and idempotent sinks reach exactly-once at all, though every
    group that does not commit first is handed records again (see docs/decisions/0005).
    """
    seen = event.permits(pipeline)
    beyond_log = event.boundary is not Boundary.PRODUCER_TO_LOG
    undone = beyond_log and Anomaly.EFFECT_DUPLICATED not in seen
    absorbed = _REPEATED_DELIVERY if undone else frozenset[Anomaly]()
    return Assessed(
        event=event,
        permits={anomaly: why for anomaly, why in seen.items() if anomaly not in absorbed},
        absorbed={anomaly: why for anomaly, why in seen.items() if anomaly in absorbed},
        in_scope=event.in_scope(pipeline.requirement),
    )


def _guarantee(boundary: Boundary, failures: Iterable[Assessed], absorbs: bool) -> Guarantee:
    """A boundary answers for its own events; end to end answers for all of them."""
    whole = boundary is Boundary.END_TO_END
    permitted = {
        anomaly
        for failure in failures
        if failure.in_scope and (whole or failure.event.boundary is boundary)
        for anomaly in failure.permits
    }
    if whole and absorbs:
        permitted -= _REPEATED_DELIVERY
    return strongest(permitted)


def _findings(pipeline: Pipeline) -> tuple[Finding, ...]:
    found = ((rule, rule.check(pipeline)) for rule in all_rules())
    return tuple(Finding(rule, message) for rule, message in found if message is not None)
