"""What a team needs, held against what its settings permit.

A wish is met where nothing that it forbids may happen. Nothing else decides it: the verdict, the
exit code, the changes, and what is called impossible all follow from `breaking`.
"""

from __future__ import annotations

from advisor.reasoning.assess import judged
from advisor.reasoning.assumptions import Assumption, assumptions
from advisor.reasoning.group import sink_absorbs
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Traced


def forbidden(pipeline: Pipeline) -> frozenset[Anomaly]:
    """What must not be able to happen; a sink that knows its messages makes repeats harmless."""
    return pipeline.requirement.forbids(absorbed=sink_absorbs(pipeline))


def breaking(pipeline: Pipeline) -> frozenset[str]:
    """The events that may do something which the team forbids, by name."""
    forbids = forbidden(pipeline)
    return frozenset(
        assessment.event.name
        for assessment in judged(pipeline)
        if assessment.in_scope and forbids & assessment.permits.keys()
    )


def rests_on(pipeline: Pipeline) -> tuple[Assumption, ...]:
    """What was not stated, and decides which failures break what is needed."""
    return assumptions(Traced.of(pipeline), breaking)
