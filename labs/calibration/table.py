"""Compares the advisor's predictions with the results of runs.

Predictions are not stored with runs. Every table is made from the current failure model, so that a
changed model is compared with every recorded run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.catalog import Component, Family, versions
from advisor.reasoning.dependence import dependence
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import all_events, events_for
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.obstacle import obstacles
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted
from labs.calibration.bound import bound_in_words
from labs.calibration.edges import OUTAGES, as_staged, permitted
from labs.engine.scenarios import find

ALSO: Mapping[str, frozenset[str]] = {
    "leader-disk-lost": frozenset({"broker-disk-lost"}),
    "leader-disk-fails": frozenset({"isr-shrunk-leader-lost"}),
    "followers-killed-leader-lost": frozenset({"broker-disk-lost"}),
}
"""Events that a scenario of another event also causes, by the scenario. In each a broker is lost
with its disk when the ISR is as small as the settings allow, which is all that broker-disk-lost
describes, and the other brokers return first. With one replica nothing else happens
(docs/decisions/0031)."""

NOT_CLAIMED = frozenset({Anomaly.NONMONOTONIC_POLL, Anomaly.POLL_SKIP})
"""No event predicts these and no guarantee forbids them. One is seen whenever a log was truncated
below the position of its group: the next poll starts before the end of the previous one."""

COMPANIONS = frozenset(
    {
        "acknowledgement-lost", "brokers-below-min-isr", "delivery-error-ignored",
        "delivery-timeout", "followers-slow", "leader-killed", "no-committed-offset",
        "offset-out-of-range", "producer-buffer-full", "rebalance-during-processing",
        "transaction-aborted", "unprocessable-message",
    }
)  # fmt: skip
"""Events that the death of a broker also causes: its acknowledgements are lost, clients wait and
give up or abort their transactions, groups lose their coordinator. Also what an application does
with messages that it cannot process, for whatever reason."""


_OF_SENDS = (
    "acks", "enable.idempotence", "retries", "retry.backoff.ms", "delivery.timeout.ms", "linger.ms",
    "request.timeout.ms", "max.in.flight.requests.per.connection",
)  # fmt: skip
_BY_SENDS = frozenset(
    {
        Anomaly.GIVEN_UP, Anomaly.DUPLICATE, Anomaly.REORDERED, Anomaly.EFFECT_DUPLICATED,
    }
)  # fmt: skip
"""The anomalies that may follow from a producer's handling of errors, which `_OF_SENDS` decide."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One arm of an event's scenario that was judged, with a proved fault.

    `link` is the address of its page, empty for an arm that ships with the release. `name` is its
    title there. `where` says when and with which products it was run. It is `older` if the code on
    which it depends has changed since.
    """

    event: str
    pipeline: Pipeline
    seen: frozenset[Anomaly]
    name: str
    link: str
    where: str = ""
    older: bool = False


@dataclass(frozen=True, slots=True)
class Side:
    """The runs with one prediction for an anomaly, and those of them that showed it."""

    runs: tuple[Observed, ...]
    seen: tuple[Observed, ...]

    @property
    def bound(self) -> str:
        """The upper bound of its frequency, if no run showed it and there are runs; else empty."""
        return "" if self.seen else bound_in_words(len(self.runs))


@dataclass(frozen=True, slots=True)
class Row:
    """An anomaly of an event, with the runs for which it is predicted possible and impossible.

    `why_never` says why runs may not show it although it is possible; empty if unknown.
    """

    anomaly: Anomaly
    possible: Side
    impossible: Side
    why_never: str

    @property
    def never_seen(self) -> str:
        """Why it was never seen where it is possible; empty if it was seen or not tried."""
        if self.possible.seen or not self.possible.runs:
            return ""
        why = self.why_never or "the reason why it was never seen is not known yet"
        return f"{why[0].upper()}{why[1:]}."


@dataclass(frozen=True, slots=True)
class Section:
    """One failure event with its rows, and the number of arms that were judged for it."""

    event: FailureEvent
    rows: tuple[Row, ...]
    runs: int

    @property
    def summary(self) -> str:
        """The results of the event's runs in one line; empty without runs."""
        if not self.runs:
            return ""
        tried = [row for row in self.rows if row.possible.runs]
        seen = [row for row in tried if row.possible.seen]
        never = [row for row in self.rows if row.impossible.seen]
        runs = counted(self.runs, "run")
        others = f"{len(never) or 'none'} that the advice calls impossible"
        if not tried:
            return f"{runs} tried only settings that permit no harm, and saw {others}"
        return f"{runs} saw {len(seen)} of {counted(len(tried), 'possible harm')}, and {others}"


@dataclass(frozen=True, slots=True)
class Contradiction:
    """An anomaly that a run showed although no event in it permits the anomaly.

    Either the model or the judge is wrong.
    """

    anomaly: Anomaly
    run: Observed


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of the current model with runs."""

    sections: tuple[Section, ...]
    contradictions: tuple[Contradiction, ...]

    def section(self, event: str) -> Section | None:
        """The section of an event, by its name; None if there is no such event."""
        return next((section for section in self.sections if section.event.name == event), None)

    @property
    def untried(self) -> tuple[Section, ...]:
        """The events that were not staged."""
        return tuple(section for section in self.sections if not section.runs)

    @property
    def runs(self) -> int:
        """The number of arms that were run and judged."""
        return sum(section.runs for section in self.sections)


@dataclass(frozen=True, slots=True)
class Predicted:
    """A run with its predictions.

    `seen` are the anomalies that it showed and the model describes, `permitted` those that its
    event permits, and `possible` those that any event in it permits.
    """

    run: Observed
    seen: frozenset[Anomaly]
    permitted: frozenset[Anomaly]
    possible: frozenset[Anomaly]


def compare(observed: Iterable[Observed]) -> Comparison:
    """All events with the results of their runs, in the order of the model."""
    return compare_predicted(predicted(observed))


def predicted(observed: Iterable[Observed]) -> list[Predicted]:
    """The predictions of the current model for each run; takes about a millisecond per run."""
    events = {event.name: event for event in all_events()}
    return [_predicted(events[run.event], run) for run in observed]


def compare_predicted(runs: Sequence[Predicted]) -> Comparison:
    """The comparison of predictions with results, by event."""
    sections = tuple(_section(event, runs) for event in all_events())
    return Comparison(sections, _contradictions(runs))


def _predicted(event: FailureEvent, run: Observed) -> Predicted:
    staged = as_staged(event, run.pipeline)
    # For settings with which nothing can work the advisor makes no other claim (see `refutable`).
    anomalies = frozenset(Anomaly) if obstacles(staged) else possible(event, staged)
    return Predicted(run, run.seen & _claimed(event), permitted(event, staged), anomalies)


def _contradictions(runs: Iterable[Predicted]) -> tuple[Contradiction, ...]:
    return tuple(
        Contradiction(anomaly, run.run)
        for run in runs
        for anomaly in sorted(run.seen - run.possible)
    )


def possible(event: FailureEvent, pipeline: Pipeline) -> frozenset[Anomaly]:
    """The anomalies that all events in a run of an event's scenario permit for a pipeline.

    These events are the staged one, those of `ALSO`, and the `COMPANIONS`. Other events do not
    count: a run that only kills a leader cuts no power and loses no disk. A message that the log
    lost has no effect either, so that a ledger counts it under both anomalies.
    """
    staged = as_staged(event, pipeline)
    anomalies = _permitted_by_all(event, staged)
    if stand_in := _by_librdkafka(event, staged):
        anomalies |= _BY_SENDS & _permitted_by_all(event, stand_in)
    return anomalies | {Anomaly.EFFECT_MISSING} if Anomaly.LOST_WRITE in anomalies else anomalies


def happens_in(event: FailureEvent, scenario: str) -> bool:
    """Whether a run of a scenario may show what an event permits."""
    also = COMPANIONS | ALSO.get(scenario, frozenset())
    return event.scenario == scenario or event.name in also


def _permitted_by_all(event: FailureEvent, pipeline: Pipeline) -> frozenset[Anomaly]:
    return frozenset(
        anomaly
        for other in events_for(pipeline)
        if happens_in(other, event.scenario)
        for anomaly in other.permits(pipeline)
    )


def _by_librdkafka(event: FailureEvent, pipeline: Pipeline) -> Pipeline | None:
    """The librdkafka producer in a run of another client's settings (`labs.engine.workloads`).

    It replaces a Java producer if that is not run itself. It also fills the input topic of an
    application that writes, with the same settings and without transactions. It does not have that
    application's error handling.
    """
    in_transaction = pipeline.text(Component.APPLICATION, "commit") == "in-transaction"
    by_application = find(event.scenario).copier and in_transaction
    if pipeline.family is Family.LIBRDKAFKA and not by_application:
        return None
    sends = {
        name: pipeline.value(Component.PRODUCER, name)
        for name in _OF_SENDS
        if pipeline.knows(Component.PRODUCER, name)
    }
    components = [Component.TOPIC, Component.BROKER]
    if pipeline.family is Family.JAVA and not by_application:
        components.append(Component.APPLICATION)
    settings = {part: pipeline.settings.get(part, {}) for part in components}
    return Pipeline(
        Family.LIBRDKAFKA, versions(Family.LIBRDKAFKA)[0], pipeline.kafka, pipeline.brokers,
        {Component.PRODUCER: sends, **settings}, pipeline.requirement,
    )  # fmt: skip


def refutable(event: FailureEvent, pipeline: Pipeline) -> frozenset[Anomaly]:
    """The anomalies that would refute the model if a run of the event's scenario showed them.

    None for settings with which nothing can work: the advisor makes no other claim about them.
    """
    if obstacles(as_staged(event, pipeline)):
        return frozenset()
    return _claimed(event) - possible(event, pipeline)


def _claimed(event: FailureEvent) -> frozenset[Anomaly]:
    """The anomalies that the model predicts for an event's scenario.

    Every client gives up in an outage that is longer than it waits, whatever its settings, and
    verdicts do not count that either (docs/ledger.md, `given_up_breaks`).
    """
    excused = () if find(event.scenario).given_up_breaks else (Anomaly.GIVEN_UP,)
    return frozenset(Anomaly) - NOT_CLAIMED - OUTAGES - {*excused}


def _section(event: FailureEvent, runs: Iterable[Predicted]) -> Section:
    predictions = [run for run in runs if run.run.event == event.name]
    return Section(event, tuple(_rows(event, predictions)), len(predictions))


def _rows(event: FailureEvent, runs: list[Predicted]) -> Iterator[Row]:
    anomalies = frozenset().union(*dependence(event).anomalies.values()) - OUTAGES
    rarely = find(event.scenario).rarely
    for anomaly in sorted(anomalies.union(*(run.seen for run in runs))):
        permitting = [run.run for run in runs if anomaly in run.permitted]
        excluding = [run.run for run in runs if anomaly not in run.possible]
        yield Row(
            anomaly, _side(permitting, anomaly), _side(excluding, anomaly), rarely.get(anomaly, "")
        )


def _side(runs: list[Observed], anomaly: Anomaly) -> Side:
    return Side(tuple(runs), tuple(run for run in runs if anomaly in run.seen))
