"""From a pipeline to what may happen to its messages, and so to the guarantees it gives."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.reasoning.behaviour.group import sink_absorbs
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import events_for
from advisor.reasoning.finding import Finding
from advisor.reasoning.guarantees import (
    REPEATED_DELIVERY,
    Anomaly,
    Boundary,
    Guarantee,
    strongest,
)
from advisor.reasoning.judgement import EventAssessment, judge
from advisor.reasoning.memoized import MemoizedPipeline
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.rules import all_rules
from advisor.reasoning.trace import Traced

__all__ = ["Assessment", "EventAssessment", "assess", "judgements"]


@dataclass(frozen=True, slots=True)
class Assessment:
    """The guarantee at each boundary, every event behind it, and the bad patterns found."""

    guarantees: Mapping[Boundary, Guarantee]
    failures: tuple[EventAssessment, ...]
    findings: tuple[Finding, ...]


def judgements(
    pipeline: Pipeline, events: Iterable[FailureEvent] | None = None
) -> Iterator[EventAssessment]:
    """What each event permits, by default each that this pipeline can meet."""
    of = events_for(pipeline) if events is None else events
    if isinstance(pipeline, Traced):
        return (pipeline.judged(event)[0] for event in of)
    remembered = MemoizedPipeline.of(pipeline)
    return (judge(event, remembered) for event in of)


def assess(pipeline: Pipeline) -> Assessment:
    """What these settings permit; total for every valid pipeline, and a pure function of it."""
    asked = pipeline if isinstance(pipeline, Traced) else MemoizedPipeline.of(pipeline)
    failures = tuple(judgements(asked))
    absorbs = sink_absorbs(asked)
    return Assessment(
        guarantees=_guarantees(failures, absorbs),
        failures=failures,
        findings=_findings(asked),
    )


def _guarantees(failures: Iterable[EventAssessment], absorbs: bool) -> Mapping[Boundary, Guarantee]:
    """A boundary answers for its own events; end to end answers for all of them."""
    permitted: dict[Boundary, set[Anomaly]] = {boundary: set() for boundary in Boundary}
    for failure in failures:
        if failure.in_scope and failure.permits:
            permitted[failure.event.boundary].update(failure.permits)
    whole = set().union(*permitted.values())
    permitted[Boundary.END_TO_END] = whole - REPEATED_DELIVERY if absorbs else whole
    return {boundary: strongest(anomalies) for boundary, anomalies in permitted.items()}


def _findings(pipeline: Pipeline) -> tuple[Finding, ...]:
    rules = ((rule, rule.check(pipeline)) for rule in all_rules())
    return tuple(Finding(rule, message) for rule, message in rules if message is not None)
