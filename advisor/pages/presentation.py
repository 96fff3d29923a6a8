"""What the advisor's pages show of an answer: chosen, ordered, put in words.

An answer that was kept for a year and one of a moment ago are shown by the same code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from advisor.catalog import Component, Family, Value, say
from advisor.known_bugs import KnownBugs, known_bugs
from advisor.pages.picture import picture
from advisor.pages.steps import Step, compared, in_order
from advisor.questions.durations import is_duration, spoken
from advisor.questions.question import Question
from advisor.questions.questionnaire import FAMILIES, question_of
from advisor.reasoning.answer import Answer, Failure, Judgement
from advisor.reasoning.assumptions import Assumption
from advisor.reasoning.behaviour.replication import Replication, kafka_at_least
from advisor.reasoning.failures import all_events
from advisor.reasoning.guarantees import FORBIDS, GRAVITY, Anomaly, Boundary, Guarantee
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.words import PLAINEST
from advisor.reports.programs import of_code
from advisor.reports.unmet import merged
from advisor.templatetags.look import GUARANTEES, KINDS

KIND_ORDER = ("lost", "wrong", "duplicated", "reordered", "late", "unavailable")
"""The kinds of harm as columns of the matrix; one that nothing does is left out."""

_IF = ", if your application does what is assumed"
_FIRST_STEPS = 4
"""How many changes are shown next to the verdict, one less where no settings give what is needed;
the others are further down."""

_LESS_PLAIN = frozenset(event.name for event in all_events() if event.staged_as or event.longer)
"""Events that another failure's scenario shows, or a plainer event with fewer deaths."""

Reasons = tuple[tuple[tuple[Anomaly, ...], str], ...]
"""Anomalies that have one reason in common, with that reason; the gravest first."""


_STREAMS = (
    "Where a failure is one of Kafka Streams alone, the lab runs Kafka Streams: one processor with "
    "your settings, and with a store where the failure is about state. In the other experiments it "
    "sends and reads with the settings of the producer and the consumer inside the application, "
    "and shows what the brokers do to the topic; state, transactions and what is processed again "
    "are reasoning there."
)


@dataclass(frozen=True, slots=True)
class Happening:
    """One thing that may happen: which failure makes which anomaly, and why."""

    failure: Failure
    anomaly: Anomaly
    reason: str


@dataclass(frozen=True, slots=True)
class Card:
    """The short answer next to the questionnaire and at the top of the advice."""

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

    failure: Failure
    cells: tuple[Cell, ...]
    permits: Reasons
    absorbed: Reasons

    @property
    def happens(self) -> bool:
        """Whether the event may have any effect at all, even one without a trace."""
        return bool(self.permits or self.absorbed)


@dataclass(frozen=True, slots=True)
class Assumed:
    """What was taken for one question without an answer; `ask` is the question in words, if it
    has any, and `value` None where nothing was taken: what depends on the answer is not counted."""

    field: str
    key: str
    ask: str
    value: str | None


def card(given: Judgement) -> Card:
    """The guarantee at each boundary, whether it is enough, and the gravest thing left."""
    guarantees = tuple((boundary, given.guarantees[boundary]) for boundary in Boundary)
    return Card(guarantees, given.met, sentence(given), worst(given))


def advice(answer: Answer) -> dict[str, Any]:
    """Everything that the page of a saved pipeline shows of its answer, and the report as well."""
    given, wanted, bugs = answer.judgement, answer.wanted, known_bugs(answer)
    rows, copies, steps = matrix(given), _copies(answer), in_order(wanted.changes)
    first = _FIRST_STEPS - bool(wanted.impossible)
    return {
        "pipeline": given.pipeline, "need": answer.need, "client": client(given.pipeline),
        "card": card(given), "verdict": verdict(answer, bugs), "bugs": bugs,
        "condition": _IF if of_code(answer) else "",
        "summary": summary(given, steps), "copies": copies,
        "assumed": assumed(answer.assumed, given.pipeline.family),
        "picture": picture(given.guarantees, copies),
        "to_prove": to_prove(given),
        # Asked of today's catalog, so only where a page offers an experiment.
        "not_staged": partial(not_staged, given.pipeline),
        "matrix": [row for row in rows if row.happens],
        "harmless": [row for row in rows if not row.happens],
        "shown_kinds": [cell.kind for cell in rows[0].cells] if rows else [],
        "obstacles": given.obstacles, "recommended": merged(wanted),
        "columns": [merged(column) for column in answer.columns],
        "steps": steps, "first_steps": steps[:first], "more_steps": len(steps[first:]),
        "numbers": compared(answer.numbers, answer.numbers_after),
        "findings": sorted(given.findings, key=lambda finding: finding.severity.rank),
        "in_force": answer.in_force,
        "stated": [setting for setting in answer.in_force if setting.stated],
    }  # fmt: skip


def client(pipeline: Pipeline) -> str:
    """The client and its version, as people call them."""
    return f"{FAMILIES[pipeline.family][0]} {pipeline.version}"


def sentence(given: Judgement) -> str:
    """The needed and the given guarantee, with the number of failures that break it."""
    wish = given.pipeline.requirement
    need = GUARANTEES[wish.guarantee]
    if not given.works:
        return f"You need {need}; with these settings nothing can work."
    if given.met:
        more = " in order" if wish.ordering else ""
        gives = given.guarantees[Boundary.END_TO_END]
        # Both halves without the whole have one name; it is not always that of the wish.
        if not FORBIDS[wish.guarantee] <= FORBIDS[gives]:
            gives = wish.guarantee
        what = "it" if gives == wish.guarantee else GUARANTEES[gives]
        return f"You need {need}{more}, and these settings give {what}."
    events = sum(failure.in_scope for failure in given.failures)
    broken = sum(failure.breaks for failure in given.failures)
    breaks = "breaks" if broken == 1 else "break"
    return f"You need {need}; with these settings {broken} of {events} failures {breaks} it."


def verdict(answer: Answer, bugs: KnownBugs) -> str:
    """`sentence`, on what it rests, and whether a known bug of the releases breaks it.

    What the application's code decides, and nobody stated, is assumed: of that the settings alone
    give nothing (docs/decisions/0141-a-yes-of-a-program-is-conditional.md).
    """
    given = answer.judgement
    words = sentence(given)
    if given.met and of_code(answer):
        words = f"{words.removesuffix('.')}{_IF}."
    broken = given.met and bugs.breaking
    return f"{words} A known bug of these releases breaks it." if broken else words


def summary(given: Judgement, steps: Iterable[Step]) -> str:
    """The answer in one or two sentences, for previews of its link: the worst, and what to set."""
    gravest = worst(given)
    harm = (
        f"{gravest.failure.title}: {KINDS[gravest.anomaly][1]}."
        if gravest
        else "None of the failures in our list harms a message."
    )
    settings = in_short(steps)
    return f"{harm} Smallest change: {', '.join(settings)}." if settings else harm


def in_short(steps: Iterable[Step]) -> tuple[str, ...]:
    """The changes as lines of a file, `acks=all`; of a line to remove, that it is."""
    return tuple(
        f"{change.setting} not set" if change.removes else f"{change.setting}={say(change.after)}"
        for change in (step.change for step in steps)
    )


def assumed(assumptions: Iterable[Assumption], family: Family) -> list[Assumed]:
    """What was assumed in words, as far as the questionnaire asks for it."""
    requests = []
    for assumption in assumptions:
        field = f"{assumption.component}.{assumption.setting}"
        if question := question_of(field, family):
            requests.append(
                Assumed(field, assumption.setting, question.ask, _in_words(assumption, question))
            )
    return requests


def _in_words(assumption: Assumption, question: Question) -> str | None:
    """What was taken for a setting, as the questionnaire says it; a time as people say it."""
    if assumption.value is None:
        return None
    text = say(assumption.value)
    if is_duration(assumption.setting):
        text = spoken(text) or text
    return dict(question.words).get(text, text)


def happenings(given: Judgement) -> Iterator[Happening]:
    """Everything that may happen in the events that the team wants to survive."""
    for failure in given.failures:
        if failure.in_scope:
            for anomaly, reason in failure.permits.items():
                yield Happening(failure, anomaly, reason)


def worst(given: Judgement) -> Happening | None:
    """The gravest thing that may happen; what the team forbids comes before all else."""
    return min(happenings(given), key=_gravity(given), default=None)


def to_prove(given: Judgement) -> Failure | None:
    """The event whose experiment says most of these settings: the gravest that can be staged."""
    staged = [happening for happening in happenings(given) if happening.failure.scenario]
    if staged:
        gravity = _gravity(given)
        return min(
            staged, key=lambda happening: (*gravity(happening), *_later(happening.failure))
        ).failure
    others = [failure for failure in given.failures if failure.scenario]
    return min(others, key=_later, default=None)


def not_staged(pipeline: Pipeline) -> str:
    """How an experiment differs from what was described; empty where it does not."""
    words = []
    if Replication(pipeline).zookeeper:
        line = "this line" if kafka_at_least(pipeline, "3.3") else "3.3, the oldest line it has"
        words.append(
            f"A scenario that is not staged on Kafka {pipeline.kafka} with ZooKeeper is run on "
            f"{line}, in KRaft mode: its controllers decide what ZooKeeper does for your brokers, "
            "and a dead broker is fenced after broker.session.timeout.ms. Each run says which it "
            "was."
        )
    if pipeline.family is Family.STREAMS:
        words.append(_STREAMS)
    return " ".join(words)


def _later(failure: Failure) -> tuple[bool, bool]:
    """The plainest to see comes first, and what another failure's scenario shows comes last."""
    return failure.name != PLAINEST, failure.name in _LESS_PLAIN


def _gravity(given: Judgement) -> Callable[[Happening], tuple[bool, int]]:
    return lambda happening: (
        happening.anomaly not in given.forbids,
        GRAVITY.index(happening.anomaly),
    )


def matrix(given: Judgement) -> list[Row]:
    """A row for each event: those that break what is needed first, then what is put up with."""

    def order(failure: Failure) -> tuple[bool, bool, bool]:
        breaks = bool(given.forbids & failure.permits.keys())
        return not failure.in_scope, not breaks, not failure.permits

    seen = {KINDS[anomaly][0] for failure in given.failures for anomaly in failure.permits}
    shown = [kind for kind in KIND_ORDER if kind in seen]
    return [
        Row(
            failure=failure,
            cells=tuple(_cell(kind, failure, given.forbids) for kind in shown),
            permits=_by_gravity(failure.permits),
            absorbed=_by_gravity(failure.absorbed),
        )
        for failure in sorted(given.failures, key=order)
    ]


def _cell(kind: str, failure: Failure, forbids: frozenset[Anomaly]) -> Cell:
    names = tuple(
        anomaly for anomaly in GRAVITY if anomaly in failure.permits and KINDS[anomaly][0] == kind
    )
    return Cell(kind, names, failure.in_scope and bool(forbids & set(names)))


def _by_gravity(anomalies: Mapping[Anomaly, str]) -> Reasons:
    together: dict[str, list[Anomaly]] = {}
    for anomaly in sorted(anomalies, key=GRAVITY.index):
        together.setdefault(anomalies[anomaly], []).append(anomaly)
    return tuple((tuple(names), reason) for reason, names in together.items())


def _copies(answer: Answer) -> Value:
    factor = (Component.TOPIC, "replication.factor")
    return {(setting.component, setting.key): setting.value for setting in answer.in_force}.get(
        factor
    )
