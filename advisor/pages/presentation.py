"""Prepares an answer for the advisor's pages: selection, order and wording.

The same code shows a stored answer and a new one.
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
from advisor.reports.programs import code_assumptions
from advisor.reports.unmet import merged
from advisor.templatetags.look import GUARANTEES, KINDS

KIND_ORDER = ("lost", "wrong", "duplicated", "reordered", "late", "unavailable")
"""The kinds of harm as columns of the matrix; a kind without an event is omitted."""

_IF = ", if your application does what is assumed"
_FIRST_STEPS = 4
"""The number of changes next to the verdict, one less if no settings suffice; the others are
further down."""

_LESS_PLAIN = frozenset(event.name for event in all_events() if event.staged_as or event.longer)
"""Events that the scenario of another failure shows, or a simpler event with fewer crashes."""

Reasons = tuple[tuple[tuple[Anomaly, ...], str], ...]
"""Anomalies with a common reason, and that reason; the gravest first."""


_STREAMS = (
    "For a failure that only Kafka Streams has, the lab runs Kafka Streams: one processor with "
    "your settings, and with a store if the failure is about state. In the other experiments it "
    "sends and reads with the settings of the producer and the consumer inside the application. "
    "They show what happens to the topic. What the advice says of state, of transactions and of "
    "messages that are processed again is not tested there."
)


@dataclass(frozen=True, slots=True)
class Happening:
    """A failure, an anomaly that it may cause, and the reason."""

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
    """One event in the matrix: its effects on messages, and effects that leave no trace."""

    failure: Failure
    cells: tuple[Cell, ...]
    permits: Reasons
    absorbed: Reasons

    @property
    def happens(self) -> bool:
        """Whether the event may have any effect, even one that leaves no trace."""
        return bool(self.permits or self.absorbed)


@dataclass(frozen=True, slots=True)
class Assumed:
    """The assumption for a question without an answer. `ask` is the question in words, if it has
    any; `value` is None if nothing is assumed: what depends on the answer does not count."""

    field: str
    key: str
    ask: str
    value: str | None


def card(judgement: Judgement) -> Card:
    """Returns the guarantee at each boundary, whether it suffices, and the gravest remaining
    effect."""
    guarantees = tuple((boundary, judgement.guarantees[boundary]) for boundary in Boundary)
    return Card(guarantees, judgement.met, sentence(judgement), worst(judgement))


def advice(answer: Answer) -> dict[str, Any]:
    """Returns the context for the page of a saved pipeline, and for the report."""
    judgement, wanted, bugs = answer.judgement, answer.wanted, known_bugs(answer)
    rows, copies, steps = matrix(judgement), _copies(answer), in_order(wanted.changes)
    first = _FIRST_STEPS - bool(wanted.impossible)
    return {
        "pipeline": judgement.pipeline, "need": answer.need, "client": client(judgement.pipeline),
        "card": card(judgement), "verdict": verdict(answer, bugs), "bugs": bugs,
        "condition": _IF if code_assumptions(answer) else "",
        "summary": summary(judgement, steps), "copies": copies,
        "assumed": assumed(answer.assumed, judgement.pipeline.family),
        "picture": picture(judgement.guarantees, copies),
        "to_prove": to_prove(judgement),
        # Asked of today's catalog, so only where a page offers an experiment.
        "not_staged": partial(not_staged, judgement.pipeline),
        "matrix": [row for row in rows if row.happens],
        "harmless": [row for row in rows if not row.happens],
        "shown_kinds": [cell.kind for cell in rows[0].cells] if rows else [],
        "obstacles": judgement.obstacles, "recommended": merged(wanted),
        "columns": [merged(column) for column in answer.columns],
        "steps": steps, "first_steps": steps[:first], "more_steps": len(steps[first:]),
        "numbers": compared(answer.numbers, answer.numbers_after),
        "findings": sorted(judgement.findings, key=lambda finding: finding.severity.rank),
        "in_force": answer.in_force,
        "stated": [setting for setting in answer.in_force if setting.stated],
    }  # fmt: skip


def client(pipeline: Pipeline) -> str:
    """Returns the client and its version in words."""
    return f"{FAMILIES[pipeline.family][0]} {pipeline.version}"


def sentence(judgement: Judgement) -> str:
    """Returns the wanted and the actual guarantee in words, with the number of failures that break
    it."""
    wish = judgement.pipeline.requirement
    need = GUARANTEES[wish.guarantee]
    if not judgement.works:
        return f"You need {need}; this pipeline cannot work with these settings."
    if judgement.met:
        more = " in order" if wish.ordering else ""
        gives = judgement.guarantees[Boundary.END_TO_END]
        # Both halves without the whole have one name; it is not always that of the wish.
        if not FORBIDS[wish.guarantee] <= FORBIDS[gives]:
            gives = wish.guarantee
        what = "it" if gives == wish.guarantee else GUARANTEES[gives]
        return f"You need {need}{more}, and these settings give {what}."
    events = sum(failure.in_scope for failure in judgement.failures)
    broken = sum(failure.breaks for failure in judgement.failures)
    breaks = "breaks" if broken == 1 else "break"
    return f"You need {need}; with these settings {broken} of {events} failures {breaks} it."


def verdict(answer: Answer, bugs: KnownBugs) -> str:
    """Returns `sentence`, its conditions, and whether a known bug of the releases breaks it.

    What the application's code decides is assumed unless it is set: settings alone do not show it
    (docs/decisions/0141-a-yes-for-a-program-is-conditional.md).
    """
    judgement = answer.judgement
    words = sentence(judgement)
    if judgement.met and code_assumptions(answer):
        words = f"{words.removesuffix('.')}{_IF}."
    broken = judgement.met and bugs.breaking
    return f"{words} A known bug of these releases breaks it." if broken else words


def summary(judgement: Judgement, steps: Iterable[Step]) -> str:
    """Returns the answer in one or two sentences, for previews of its link: the worst effect, and
    the changes."""
    gravest = worst(judgement)
    harm = (
        f"{gravest.failure.title}: {KINDS[gravest.anomaly][1]}."
        if gravest
        else "None of the failures in our list harms a message."
    )
    settings = in_short(steps)
    return f"{harm} Smallest change: {', '.join(settings)}." if settings else harm


def in_short(steps: Iterable[Step]) -> tuple[str, ...]:
    """Returns the changes as lines of a file, `acks=all`, or as lines to remove."""
    return tuple(
        f"{change.setting} not set" if change.removes else f"{change.setting}={say(change.after)}"
        for change in (step.change for step in steps)
    )


def assumed(assumptions: Iterable[Assumption], family: Family) -> list[Assumed]:
    """Returns the assumptions in words, if the questionnaire has a question for them."""
    requests = []
    for assumption in assumptions:
        field = f"{assumption.component}.{assumption.setting}"
        if question := question_of(field, family):
            requests.append(
                Assumed(field, assumption.setting, question.ask, _in_words(assumption, question))
            )
    return requests


def _in_words(assumption: Assumption, question: Question) -> str | None:
    """Returns an assumed value in the words of the questionnaire; a duration in words."""
    if assumption.value is None:
        return None
    text = say(assumption.value)
    if is_duration(assumption.setting):
        text = spoken(text) or text
    return dict(question.words).get(text, text)


def happenings(judgement: Judgement) -> Iterator[Happening]:
    """Yields every effect of the events that the team wants to survive."""
    for failure in judgement.failures:
        if failure.in_scope:
            for anomaly, reason in failure.permits.items():
                yield Happening(failure, anomaly, reason)


def worst(judgement: Judgement) -> Happening | None:
    """Returns the gravest effect; forbidden anomalies come first."""
    return min(happenings(judgement), key=_gravity(judgement), default=None)


def to_prove(judgement: Judgement) -> Failure | None:
    """Returns the event whose experiment shows most about these settings: the gravest that can be
    staged."""
    staged = [happening for happening in happenings(judgement) if happening.failure.scenario]
    if staged:
        gravity = _gravity(judgement)
        return min(
            staged, key=lambda happening: (*gravity(happening), *_later(happening.failure))
        ).failure
    with_scenario = [failure for failure in judgement.failures if failure.scenario]
    return min(with_scenario, key=_later, default=None)


def not_staged(pipeline: Pipeline) -> str:
    """Returns how an experiment differs from the description; empty if it does not."""
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
    """Returns the sort key: the event that is easiest to see first, those shown by another
    failure's scenario last."""
    return failure.name != PLAINEST, failure.name in _LESS_PLAIN


def _gravity(judgement: Judgement) -> Callable[[Happening], tuple[bool, int]]:
    return lambda happening: (
        happening.anomaly not in judgement.forbids,
        GRAVITY.index(happening.anomaly),
    )


def matrix(judgement: Judgement) -> list[Row]:
    """Returns a row for each event: first those that break the wish, then those that are
    accepted."""

    def order(failure: Failure) -> tuple[bool, bool, bool]:
        breaks = bool(judgement.forbids & failure.permits.keys())
        return not failure.in_scope, not breaks, not failure.permits

    kinds = {KINDS[anomaly][0] for failure in judgement.failures for anomaly in failure.permits}
    columns = [kind for kind in KIND_ORDER if kind in kinds]
    return [
        Row(
            failure=failure,
            cells=tuple(_cell(kind, failure, judgement.forbids) for kind in columns),
            permits=_by_gravity(failure.permits),
            absorbed=_by_gravity(failure.absorbed),
        )
        for failure in sorted(judgement.failures, key=order)
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
