"""Compares a team's requirement with the anomalies that its settings permit.

A requirement is met if no anomaly that it forbids is possible. Nothing else decides that: the
verdict, the exit code, the changes, and what is called impossible all follow from `breaking`.
"""

from __future__ import annotations

from functools import reduce
from operator import or_

from advisor.reasoning.assess import EventAssessment, judgements
from advisor.reasoning.assumptions import Assumption, assumptions
from advisor.reasoning.behaviour.group import sink_absorbs
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import events_for
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.keys import BIT, Key
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Traced


def forbidden(pipeline: Pipeline) -> frozenset[Anomaly]:
    """Returns the anomalies that must not be possible. With a sink that recognizes its messages
    repeated deliveries are not among them."""
    return pipeline.requirement.forbids(absorbed=sink_absorbs(pipeline))


def breaking(pipeline: Pipeline) -> frozenset[str]:
    """Returns the names of the events that may cause a forbidden anomaly."""
    forbids = forbidden(pipeline)
    return frozenset(
        assessment.event.name for assessment in judgements(pipeline) if breaks(assessment, forbids)
    )


def reasons(pipeline: Pipeline, event: FailureEvent) -> list[str]:
    """Returns why an event may cause forbidden anomalies; empty if it does not or is not
    counted."""
    if not event.in_scope(pipeline):
        return []
    forbids = forbidden(pipeline)
    permits = Traced.of(pipeline).judged(event)[0].permits
    return [why for anomaly, why in permits.items() if anomaly in forbids]


def decisive_assumptions(pipeline: Pipeline) -> tuple[Assumption, ...]:
    """Returns the assumptions that decide which failures break the requirement."""
    traced = Traced.of(pipeline)
    events = events_for(traced)
    reads = [traced.judged(event)[1] for event in events]
    forbidden_reads = traced.ask(forbidden)[1]
    broken = breaking(traced)

    def differs(other: Pipeline, key: Key) -> bool:
        forbids = forbidden(other)
        bit = BIT[key]
        affects_all = bit & forbidden_reads
        may_differ = [
            event
            for event, event_reads in zip(events, reads, strict=True)
            if affects_all or bit & event_reads
        ]
        return any(
            breaks(assessment, forbids) is not (assessment.event.name in broken)
            for assessment in judgements(other, may_differ)
        )

    return assumptions(traced, reduce(or_, reads, forbidden_reads), differs)


def breaks(assessment: EventAssessment, forbids: frozenset[Anomaly]) -> bool:
    """Whether an event is in scope and may cause a forbidden anomaly."""
    return assessment.in_scope and not forbids.isdisjoint(assessment.permits)
