"""From a pipeline to what may happen to its messages, and so to the guarantees it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.reasoning.behaviour.group import sink_absorbs
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import events_for
from advisor.reasoning.finding import Finding
from advisor.reasoning.guarantees import REPEATED_DELIVERY, Boundary, Guarantee, strongest
from advisor.reasoning.judgement import Assessed
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.rules import all_rules
from advisor.reasoning.trace import Traced

__all__ = ["RULES_VERSION", "Assessed", "Assessment", "assess", "judgements"]

RULES_VERSION = "30"
"""Version of the failure model and the rules together; raised when an answer may change."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """The guarantee at each boundary, every event behind it, and the bad patterns found."""

    guarantees: Mapping[Boundary, Guarantee]
    failures: tuple[Assessed, ...]
    findings: tuple[Finding, ...]


def judgements(
    pipeline: Pipeline, events: Iterable[FailureEvent] | None = None
) -> Iterator[Assessed]:
    """What each event permits, by default each that this pipeline can meet."""
    traced_pipeline = Traced.of(pipeline)
    of = events_for(pipeline) if events is None else events
    return (traced_pipeline.judged(event)[0] for event in of)


def assess(pipeline: Pipeline) -> Assessment:
    """What these settings permit; total for every valid pipeline, and a pure function of it."""
    traced_pipeline = Traced.of(pipeline)
    failures = tuple(judgements(traced_pipeline))
    absorbs = sink_absorbs(traced_pipeline)
    return Assessment(
        guarantees={boundary: _guarantee(boundary, failures, absorbs) for boundary in Boundary},
        failures=failures,
        findings=_findings(traced_pipeline),
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
        permitted -= REPEATED_DELIVERY
    return strongest(permitted)


def _findings(pipeline: Pipeline) -> tuple[Finding, ...]:
    rules = ((rule, rule.check(pipeline)) for rule in all_rules())
    return tuple(Finding(rule, message) for rule, message in rules if message is not None)
