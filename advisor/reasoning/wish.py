"""What a team needs, held against what its settings permit.

A wish is met where nothing that it forbids may happen. Nothing else decides it: the verdict, the
exit code, the changes, and what is called impossible all follow from `breaking`.
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
    """What must not be able to happen; a sink that knows its messages makes repeats harmless."""
    return pipeline.requirement.forbids(absorbed=sink_absorbs(pipeline))


def breaking(pipeline: Pipeline) -> frozenset[str]:
    """The events that may do something which the team forbids, by name."""
    forbids = forbidden(pipeline)
    return frozenset(
        assessment.event.name for assessment in judgements(pipeline) if breaks(assessment, forbids)
    )


def reasons(pipeline: Pipeline, event: FailureEvent) -> list[str]:
    """Why this event may do what is forbidden; none where it does not count or may do nothing."""
    if not event.in_scope(pipeline):
        return []
    forbids = forbidden(pipeline)
    permits = Traced.of(pipeline).judged(event)[0].permits
    return [why for anomaly, why in permits.items() if anomaly in forbids]


def decisive_assumptions(pipeline: Pipeline) -> tuple[Assumption, ...]:
    """What was not stated, and decides which failures break what is needed."""
    traced = Traced.of(pipeline)
    events = events_for(traced)
    reads = [traced.judged(event)[1] for event in events]
    reads_of_wish = traced.ask(forbidden)[1]
    broken = breaking(traced)

    def differs(other: Pipeline, key: Key) -> bool:
        forbids = forbidden(other)
        bit = BIT[key]
        whole = bit & reads_of_wish
        may_differ = [event for event, of in zip(events, reads, strict=True) if whole or bit & of]
        return any(
            breaks(assessment, forbids) is not (assessment.event.name in broken)
            for assessment in judgements(other, may_differ)
        )

    return assumptions(traced, reduce(or_, reads, reads_of_wish), differs)


def breaks(assessment: EventAssessment, forbids: frozenset[Anomaly]) -> bool:
    """Whether an event that counts may do something which is forbidden."""
    return assessment.in_scope and not forbids.isdisjoint(assessment.permits)
