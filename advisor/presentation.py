"""What the advisor's pages show, from what the reasoning says: chosen, ordered, put in words."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor import services
from advisor.catalog import Component, settings_of
from advisor.questionnaire import FAMILIES, question_of
from advisor.reasoning.assess import Assessed, Assessment, assess
from advisor.reasoning.assumptions import Assumption, assumptions
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.group import sink_absorbs
from advisor.reasoning.guarantees import FORBIDS, Anomaly, Boundary, Guarantee
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.trace import Traced
from advisor.reasoning.words import PLAINEST
from advisor.steps import compared, in_order
from advisor.templatetags.look import GUARANTEES, KINDS, say

GRAVITY = (
    Anomaly.LOST_WRITE, Anomaly.DIVERGED, Anomaly.SKIPPED, Anomaly.EFFECT_MISSING,
    Anomaly.STATE_LOST, Anomaly.TORN_TRANSACTION, Anomaly.ABORTED_READ, Anomaly.GIVEN_UP,
    Anomaly.DUPLICATE, Anomaly.EFFECT_DUPLICATED, Anomaly.REDELIVERY, Anomaly.REORDERED,
    Anomaly.POLL_SKIP, Anomaly.NONMONOTONIC_POLL, Anomaly.UNSEEN, Anomaly.BLOCKED,
    Anomaly.UNAVAILABLE,
)  # fmt: skip
"""Anomalies, the gravest first: gone, then wrong, then twice, then out of order, then late."""


KIND_ORDER = ("lost", "wrong", "duplicated", "reordered", "late", "unavailable")
"""The kinds of harm as columns of the matrix; one that nothing does is left out."""

Reasons = tuple[tuple[tuple[Anomaly, ...], str], ...]
"""Anomalies that have one reason in common, with that reason; the gravest first."""


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that may happen: which event makes which anomaly, and why."""

    event: FailureEvent
    anomaly: Anomaly
    reason: str


@dataclass(frozen=True, slots=True)
class Card:
    """The short answer beside the questionnaire and on top of the advice."""

    guarantees: tuple[tuple[Boundary, Guarantee], ...]
    met: bool
    sentence: str
    worst: Happening | None


@dataclass(frozen=True, slots=True)
class Cell:
    """One event and one kind of harm: its anomalies, and whether one of them is forbidden."""

    kind: str
    anomalies: tuple[Anomaly, ...]
    forbidden: bool


@dataclass(frozen=True, slots=True)
class Row:
    """One event in the matrix: what it may do to messages, and what it may do without a trace."""

    event: FailureEvent
    in_scope: bool
    breaks: bool
    cells: tuple[Cell, ...]
    permits: Reasons
    absorbed: Reasons


@dataclass(frozen=True, slots=True)
class Assumed:
    """What was taken for one question without an answer; `ask` is the question in words, if it
    has any."""

    field: str
    key: str
    ask: str
    value: str


@dataclass(frozen=True, slots=True)
class InForce:
    """One setting as it counts: its value, and whether the team wrote it down."""

    component: Component
    key: str
    value: str
    stated: bool


def card(pipeline: Pipeline) -> Card:
    """The guarantee at each boundary, whether it is enough, and the gravest thing left."""
    assessment = assess(pipeline)
    guarantees = tuple((boundary, assessment.guarantees[boundary]) for boundary in Boundary)
    met = is_met(pipeline, assessment)
    return Card(guarantees, met, sentence(pipeline, assessment, met), worst(pipeline, assessment))


def advice(slug: str, pipeline: Pipeline) -> dict[str, Any]:
    """Everything that the page of a saved pipeline shows, and its report for the printer."""
    assessment = assess(pipeline)
    columns = services.columns(pipeline)
    settings = list(in_force(pipeline))
    need = pipeline.requirement.guarantee
    return {
        "slug": slug, "pipeline": pipeline, "need": need, "client": client(pipeline),
        "rules_version": services.RULES_VERSION,
        "card": card(pipeline), "assumed": assumed(pipeline),
        "copies": pipeline.value(Component.TOPIC, "replication.factor"),
        "guarantees": {str(part): given for part, given in assessment.guarantees.items()},
        "to_prove": to_prove(pipeline, assessment),
        "matrix": matrix(pipeline, assessment),
        "recommended": columns[need], "columns": list(columns.items()),
        "steps": in_order(columns[need].changes),
        "numbers": compared(pipeline, columns[need].pipeline),
        "findings": assessment.findings,
        "in_force": settings, "stated": sum(each.stated for each in settings),
    }  # fmt: skip


def client(pipeline: Pipeline) -> str:
    """The client and its version, as people call them."""
    return f"{FAMILIES[pipeline.family][0]} {pipeline.version}"


def is_met(pipeline: Pipeline, assessment: Assessment) -> bool:
    """Whether the settings give what the team needs, end to end, order included."""
    need = pipeline.requirement
    given = assessment.guarantees[Boundary.END_TO_END]
    permitted = {each.anomaly for each in happenings(pipeline, assessment)}
    in_order = not need.ordering or Anomaly.REORDERED not in permitted
    return FORBIDS[need.guarantee] <= FORBIDS[given] and in_order


def forbidden(pipeline: Pipeline) -> frozenset[Anomaly]:
    """What must not be able to happen; a sink that knows its messages makes repeats harmless."""
    forbids = pipeline.requirement.forbids()
    if sink_absorbs(pipeline):
        forbids -= {Anomaly.REDELIVERY, Anomaly.DUPLICATE}
    return forbids


def sentence(pipeline: Pipeline, assessment: Assessment, met: bool) -> str:
    """What is needed beside what is given, with the number of failures that break it."""
    need = GUARANTEES[pipeline.requirement.guarantee]
    if met:
        given = GUARANTEES[assessment.guarantees[Boundary.END_TO_END]]
        more = " in order" if pipeline.requirement.ordering else ""
        return f"You need {need}{more}, and these settings give {given}."
    events = sum(each.in_scope for each in assessment.failures)
    broken = len(breaking(pipeline, assessment))
    breaks = "breaks" if broken == 1 else "break"
    return f"You need {need}; with these settings {broken} of {events} failures {breaks} it."


def breaking(pipeline: Pipeline, assessment: Assessment) -> frozenset[str]:
    """The events that may do something which the team forbids, by name."""
    forbids = forbidden(pipeline)
    return frozenset(
        each.event.name
        for each in assessment.failures
        if each.in_scope and forbids & each.permits.keys()
    )


def rests_on(pipeline: Pipeline) -> tuple[Assumption, ...]:
    """What was not stated, and decides which failures break what is needed."""
    return assumptions(Traced.of(pipeline), lambda each: breaking(each, assess(each)))


def assumed(pipeline: Pipeline) -> list[Assumed]:
    """`rests_on` in words, as far as the questionnaire asks for it."""
    found = []
    for each in rests_on(pipeline):
        field = f"{each.component}.{each.setting}"
        if question := question_of(field):
            value = say(each.value)
            words = dict(question.words).get(value, value)
            found.append(Assumed(field, each.setting, question.ask, words))
    return found


def happenings(pipeline: Pipeline, assessment: Assessment) -> Iterator[Happening]:
    """Everything that may happen in the events that the team wants to survive."""
    for each in assessment.failures:
        if each.in_scope:
            for anomaly, reason in each.permits.items():
                yield Happening(each.event, anomaly, reason)


def worst(pipeline: Pipeline, assessment: Assessment) -> Happening | None:
    """The gravest thing that may happen; what the team forbids comes before all else."""
    return min(happenings(pipeline, assessment), key=_gravity(pipeline), default=None)


def to_prove(pipeline: Pipeline, assessment: Assessment) -> FailureEvent | None:
    """The event whose experiment says most of these settings: the gravest that can be staged."""
    staged = [each for each in happenings(pipeline, assessment) if each.event.scenario]
    if staged:
        gravity = _gravity(pipeline)
        return min(staged, key=lambda each: (gravity(each), _later(each.event))).event
    others = [each.event for each in assessment.failures if each.event.scenario]
    return min(others, key=_later, default=None)


def _later(event: FailureEvent) -> bool:
    return event.name != PLAINEST


def _gravity(pipeline: Pipeline) -> Callable[[Happening], tuple[bool, int]]:
    forbids = forbidden(pipeline)
    return lambda each: (each.anomaly not in forbids, GRAVITY.index(each.anomaly))


def matrix(pipeline: Pipeline, assessment: Assessment) -> list[Row]:
    """A row for each event: those that break what is needed first, then what is put up with."""
    forbids = forbidden(pipeline)

    def order(each: Assessed) -> tuple[bool, bool, bool]:
        breaks = bool(forbids & each.permits.keys())
        return not each.in_scope, not breaks, not each.permits

    events = sorted(assessment.failures, key=order)
    seen = {KINDS[anomaly][0] for each in events for anomaly in each.permits}
    shown = [kind for kind in KIND_ORDER if kind in seen]
    return [
        Row(
            event=each.event,
            in_scope=each.in_scope,
            breaks=each.in_scope and bool(forbids & each.permits.keys()),
            cells=tuple(_cell(kind, each, forbids) for kind in shown),
            permits=_by_gravity(each.permits),
            absorbed=_by_gravity(each.absorbed),
        )
        for each in events
    ]


def _cell(kind: str, assessed: Assessed, forbids: frozenset[Anomaly]) -> Cell:
    names = tuple(each for each in GRAVITY if each in assessed.permits and KINDS[each][0] == kind)
    return Cell(kind, names, assessed.in_scope and bool(forbids & set(names)))


def _by_gravity(anomalies: Mapping[Anomaly, str]) -> Reasons:
    together: dict[str, list[Anomaly]] = {}
    for anomaly in sorted(anomalies, key=GRAVITY.index):
        together.setdefault(anomalies[anomaly], []).append(anomaly)
    return tuple((tuple(names), reason) for reason, names in together.items())


def in_force(pipeline: Pipeline) -> Iterator[InForce]:
    """Every setting as it counts, by component; stated or left to the product."""
    for component in Component:
        stated = pipeline.stated(component)
        for setting in settings_of(pipeline.family, pipeline.version, pipeline.kafka, component):
            value = pipeline.value(component, setting.name)
            yield InForce(component, setting.name, say(value), setting.name in stated)
