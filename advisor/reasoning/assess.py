"""Derives the possible anomalies of a pipeline, and so the guarantees that it gives."""

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
    """The guarantee at each boundary, the assessment of every event, and the findings."""

    guarantees: Mapping[Boundary, Guarantee]
    failures: tuple[EventAssessment, ...]
    findings: tuple[Finding, ...]


def judgements(
    pipeline: Pipeline, events: Iterable[FailureEvent] | None = None
) -> Iterator[EventAssessment]:
    """Returns what each event permits; by default for every event that can affect the pipeline."""
    selected = events_for(pipeline) if events is None else events
    if isinstance(pipeline, Traced):
        return (pipeline.judged(event)[0] for event in selected)
    memoized = MemoizedPipeline.of(pipeline)
    return (judge(event, memoized) for event in selected)


def assess(pipeline: Pipeline) -> Assessment:
    """Returns what the settings permit: a total and pure function of a valid pipeline."""
    cached = pipeline if isinstance(pipeline, Traced) else MemoizedPipeline.of(pipeline)
    failures = tuple(judgements(cached))
    absorbs = sink_absorbs(cached)
    return Assessment(
        guarantees=_guarantees(failures, absorbs),
        failures=failures,
        findings=_findings(cached),
    )


def _guarantees(failures: Iterable[EventAssessment], absorbs: bool) -> Mapping[Boundary, Guarantee]:
    """Returns the guarantees. A boundary is affected by its own events, end-to-end by all."""
    permitted: dict[Boundary, set[Anomaly]] = {boundary: set() for boundary in Boundary}
    for failure in failures:
        if failure.in_scope and failure.permits:
            permitted[failure.event.boundary].update(failure.permits)
    combined = set().union(*permitted.values())
    permitted[Boundary.END_TO_END] = combined - REPEATED_DELIVERY if absorbs else combined
    return {boundary: strongest(anomalies) for boundary, anomalies in permitted.items()}


def _findings(pipeline: Pipeline) -> tuple[Finding, ...]:
    rules = ((rule, rule.check(pipeline)) for rule in all_rules())
    return tuple(Finding(rule, message) for rule, message in rules if message is not None)
