"""What a team needs, held against what its settings permit."""

from __future__ import annotations

from advisor.reasoning.assess import Assessment, judged
from advisor.reasoning.assumptions import Assumption, assumptions
from advisor.reasoning.group import sink_absorbs
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Traced


def forbidden(pipeline: Pipeline) -> frozenset[Anomaly]:
    """What must not be able to happen; a sink that knows its messages makes repeats harmless."""
    forbids = pipeline.requirement.forbids()
    if sink_absorbs(pipeline):
        forbids -= {Anomaly.REDELIVERY, Anomaly.DUPLICATE}
    return forbids


def is_met(pipeline: Pipeline, assessment: Assessment) -> bool:
    """Whether the settings give what the team needs, end to end, order included."""
    need = pipeline.requirement
    given = assessment.guarantees[Boundary.END_TO_END]
    reordered = any(
        each.in_scope and Anomaly.REORDERED in each.permits for each in assessment.failures
    )
    return FORBIDS[need.guarantee] <= FORBIDS[given] and not (need.ordering and reordered)


def breaking(pipeline: Pipeline) -> frozenset[str]:
    """The events that may do something which the team forbids, by name."""
    forbids = forbidden(pipeline)
    return frozenset(
        each.event.name
        for each in judged(pipeline)
        if each.in_scope and forbids & each.permits.keys()
    )


def rests_on(pipeline: Pipeline) -> tuple[Assumption, ...]:
    """What was not stated, and decides which failures break what is needed."""
    return assumptions(Traced.of(pipeline), breaking)
