"""One plain sentence about a pipeline's guarantee: the number first, no adjectives."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.assess import Assessment, EventAssessment
from advisor.reasoning.behaviour.group import sink_absorbs
from advisor.reasoning.failures.log_compaction import needs_every_message
from advisor.reasoning.guarantees import (
    FORBIDS,
    ORDER,
    REPEATED_DELIVERY,
    Anomaly,
    Boundary,
    Guarantee,
)
from advisor.reasoning.pipeline import Pipeline

_MAY = {
    Anomaly.LOST_WRITE: "acknowledged messages can be lost",
    Anomaly.GIVEN_UP: "messages can be given up by the producer",
    Anomaly.SKIPPED: "messages can be skipped by the consumer",
    Anomaly.EFFECT_MISSING: "messages can have no effect",
    Anomaly.STATE_LOST: "state can be lost",
    Anomaly.TORN_TRANSACTION: "transactions can be delivered in part",
    Anomaly.ABORTED_READ: "messages of aborted transactions can be read",
    Anomaly.DUPLICATE: "messages can be in the log twice",
    Anomaly.REDELIVERY: "messages can be processed twice",
    Anomaly.EFFECT_DUPLICATED: "effects can be applied twice",
    Anomaly.REORDERED: "messages can get out of order",
    Anomaly.KEY_REORDERED: "messages of one key can get out of order",
}
"""In the order in which they are reported: losses first."""

_GIVES = {
    Guarantee.EXACTLY_ONCE: "These settings give exactly-once delivery",
    Guarantee.AT_LEAST_ONCE: "These settings give at-least-once delivery",
    Guarantee.AT_MOST_ONCE: "These settings only give at-most-once delivery",
    Guarantee.NONE: "These settings give no delivery guarantee",
}

PLAINEST = "leader-killed-followers-behind"
"""The preferred one of equally grave events: its experiment is the shortest and never a race."""


def describe_guarantee(pipeline: Pipeline, assessment: Assessment) -> str:
    """Returns the end-to-end guarantee, and what can break the stronger one, with numbers.

    If there is no guarantee, the text names both a loss and a repeat; also order if it is required.
    """
    guarantee = assessment.guarantees[Boundary.END_TO_END]
    scoped = [failure for failure in assessment.failures if failure.in_scope]
    absorbed = REPEATED_DELIVERY if sink_absorbs(pipeline) else frozenset[Anomaly]()
    reported = FORBIDS[Guarantee.EXACTLY_ONCE] - FORBIDS[guarantee] - absorbed
    losses, repeats = FORBIDS[Guarantee.AT_LEAST_ONCE], FORBIDS[Guarantee.AT_MOST_ONCE]
    kinds = [kind & reported for kind in (losses, repeats, reported - losses - repeats)]
    if pipeline.requirement.ordering:
        kinds.append(ORDER)
    clauses = [clause for kind in kinds if (clause := _worst(scoped, kind))]
    if harmless := _worst(scoped, absorbed):
        clauses.append(f"{harmless}; the sink applies each of them once")
    compaction = _compaction_note(pipeline, guarantee)
    if not clauses:
        sentence = f"{_GIVES[guarantee]}, in each of the {len(scoped)} failures that were examined."
        return f"{sentence} {compaction}".rstrip()
    first, *rest = clauses
    sentences = [f"{_GIVES[guarantee]}: {first}.", *(f"{_capitalized(clause)}." for clause in rest)]
    return " ".join([*sentences, compaction]).rstrip()


def _compaction_note(pipeline: Pipeline, guarantee: Guarantee) -> str:
    """Returns for which messages of a compacted topic a guarantee against losses holds, or ""."""
    compacted = "compact" in pipeline.text(Component.TOPIC, "cleanup.policy")
    if (
        not compacted
        or needs_every_message(pipeline)
        or not FORBIDS[guarantee] & FORBIDS[Guarantee.AT_LEAST_ONCE]
    ):
        return ""
    return (
        "The topic is compacted: that holds for the latest message of each key, not for earlier "
        "ones."
    )


def _worst(failures: list[EventAssessment], kind: frozenset[Anomaly]) -> str | None:
    """Returns a clause about the first of these anomalies that is possible: in how many failures,
    with an example. None if none is possible."""
    for anomaly in _MAY:
        events = [failure.event for failure in failures if anomaly in failure.permits]
        if anomaly in kind and events:
            example = min(events, key=lambda event: event.name != PLAINEST).title
            counted = f"{len(events)} of {len(failures)} failures"
            return f"{_MAY[anomaly]} in {counted}, such as: {example[0].lower()}{example[1:]}"
    return None


def _capitalized(clause: str) -> str:
    return f"{clause[0].upper()}{clause[1:]}"
