"""Compares the advisor's predictions with what runs showed.

Nothing of a prediction is stored with a run. Every table is made from today's failure model, so
that a model which is changed answers for every run that was ever recorded.
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
"""Events that a scenario of another one brings about, by the scenario. In each a broker is lost
with its disk when the in-sync set is as small as the settings let it be, which is all that
broker-disk-lost speaks of, and the others come back first. With one replica nothing else happens
(docs/decisions/0031)."""

NOT_CLAIMED = frozenset({Anomaly.NONMONOTONIC_POLL, Anomaly.POLL_SKIP})
"""No event speaks of these and no guarantee forbids them: one is seen wherever a log was cut
below what its group had read, because the next poll starts before the end of the one before."""

COMPANIONS = frozenset(
    {
        "acknowledgement-lost", "brokers-below-min-isr", "delivery-error-ignored",
        "delivery-timeout", "followers-slow", "leader-killed", "no-committed-offset",
        "offset-out-of-range", "producer-buffer-full", "rebalance-during-processing",
        "transaction-aborted", "unprocessable-message",
    }
)  # fmt: skip
"""What the death of a broker brings along unasked: its acknowledgements are lost, clients wait
and give up, abort their transactions, groups lose their coordinator. And what an application does
with messages that it cannot process, whatever the reason."""


_OF_SENDS = (
    "acks", "enable.idempotence", "retries", "retry.backoff.ms", "delivery.timeout.ms", "linger.ms",
    "request.timeout.ms", "max.in.flight.requests.per.connection",
)  # fmt: skip
_BY_SENDS = frozenset(
    {
        Anomaly.GIVEN_UP, Anomaly.DUPLICATE, Anomaly.REORDERED, Anomaly.EFFECT_DUPLICATED,
    }
)  # fmt: skip
"""Settings that decide what a producer does about errors, and what may come of that."""


@dataclass(frozen=True, slots=True)
class Observed:
    """One arm that was run under an event's scenario and judged, its fault proved.

    `link` is the address of its page, empty for one that came with the release, `name` how it is
    called there, `where` when and with which products it was run. `older` than the code it is where
    what it depends on has changed since.
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
    """The runs with one prediction of one anomaly, and those of them in which it was seen."""

    runs: tuple[Observed, ...]
    seen: tuple[Observed, ...]

    @property
    def bound(self) -> str:
        """The bound from runs in which it was never seen; empty without any."""
        return "" if self.seen else bound_in_words(len(self.runs))


@dataclass(frozen=True, slots=True)
class Row:
    """One claim: what an event may do to messages.

    `why_never` says why runs may go by without it although it is possible; empty if unknown.
    """

    anomaly: Anomaly
    possible: Side
    impossible: Side
    why_never: str

    @property
    def never_seen(self) -> str:
        """Why it was never seen where it is possible; empty if it was, or was not tried."""
        if self.possible.seen or not self.possible.runs:
            return ""
        why = self.why_never or "why it was never seen is not known yet"
        return f"{why[0].upper()}{why[1:]}."


@dataclass(frozen=True, slots=True)
class Section:
    """One failure event with its claims, and how many arms were run and judged for it."""

    event: FailureEvent
    rows: tuple[Row, ...]
    runs: int

    @property
    def summary(self) -> str:
        """What the runs said of the event's claims, in a line; empty where there was no run."""
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
    """An anomaly that was seen where nothing that happens there permits it: the model is wrong,
    or the judge."""

    anomaly: Anomaly
    run: Observed


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of today's advisor with runs."""

    sections: tuple[Section, ...]
    contradictions: tuple[Contradiction, ...]

    def of(self, event: str) -> Section | None:
        """What runs said of one event; None if there is no such event."""
        return next((section for section in self.sections if section.event.name == event), None)

    @property
    def untried(self) -> tuple[Section, ...]:
        """The events that were not staged."""
        return tuple(section for section in self.sections if not section.runs)

    @property
    def runs(self) -> int:
        """All arms that were run and judged."""
        return sum(section.runs for section in self.sections)


@dataclass(frozen=True, slots=True)
class Predicted:
    """A run, what it saw of what the model speaks of, what its event permits there, and what all
    events that happen there permit."""

    run: Observed
    seen: frozenset[Anomaly]
    permitted: frozenset[Anomaly]
    possible: frozenset[Anomaly]


def compare(observed: Iterable[Observed]) -> Comparison:
    """Every event with what its runs said, in the order of the model."""
    return compare_predicted(predicted(observed))


def predicted(observed: Iterable[Observed]) -> list[Predicted]:
    """What today's advisor says of each run: about a millisecond for each."""
    events = {event.name: event for event in all_events()}
    return [_predicted(events[run.event], run) for run in observed]


def compare_predicted(runs: Sequence[Predicted]) -> Comparison:
    """What was predicted beside what was seen, by event."""
    sections = tuple(_section(event, runs) for event in all_events())
    return Comparison(sections, _contradictions(runs))


def _predicted(event: FailureEvent, run: Observed) -> Predicted:
    staged = as_staged(event, run.pipeline)
    # Of settings with which nothing can work the advisor claims nothing else (see `refutable`).
    may = frozenset(Anomaly) if obstacles(staged) else possible(event, staged)
    return Predicted(run, run.seen & _claimed(event), permitted(event, staged), may)


def _contradictions(runs: Iterable[Predicted]) -> tuple[Contradiction, ...]:
    return tuple(
        Contradiction(anomaly, run.run)
        for run in runs
        for anomaly in sorted(run.seen - run.possible)
    )


def possible(event: FailureEvent, pipeline: Pipeline) -> frozenset[Anomaly]:
    """The anomalies that a run of an event's scenario may show on a pipeline, by all events in it.

    These are the events that the scenario stages, `ALSO` and `COMPANIONS`. No power is cut and no
    disk lost in a run that only kills a leader, so what those would permit excuses nothing there.
    A message that the log lost leaves no effect, either, and a ledger counts it under both.
    """
    staged = as_staged(event, pipeline)
    anomalies = _together(event, staged)
    if stand_in := _by_librdkafka(event, staged):
        anomalies |= _BY_SENDS & _together(event, stand_in)
    return anomalies | {Anomaly.EFFECT_MISSING} if Anomaly.LOST_WRITE in anomalies else anomalies


def happens_in(event: FailureEvent, scenario: str) -> bool:
    """Whether a run of a scenario may show what an event permits."""
    also = COMPANIONS | ALSO.get(scenario, frozenset())
    return event.scenario == scenario or event.name in also


def _together(event: FailureEvent, pipeline: Pipeline) -> frozenset[Anomaly]:
    return frozenset(
        anomaly
        for other in events_for(pipeline)
        if happens_in(other, event.scenario)
        for anomaly in other.permits(pipeline)
    )


def _by_librdkafka(event: FailureEvent, pipeline: Pipeline) -> Pipeline | None:
    """The producer of librdkafka in a run of another client's settings (`labs.engine.workloads`).

    It stands for a Java producer where that does not send itself. And it fills the topic that an
    application reads which writes itself, with the same settings and without transactions; what
    the application does about errors is not its.
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
    same = [Component.TOPIC, Component.BROKER]
    if pipeline.family is Family.JAVA and not by_application:
        same.append(Component.APPLICATION)
    around = {part: pipeline.settings.get(part, {}) for part in same}
    return Pipeline(
        Family.LIBRDKAFKA, versions(Family.LIBRDKAFKA)[0], pipeline.kafka, pipeline.brokers,
        {Component.PRODUCER: sends, **around}, pipeline.requirement,
    )  # fmt: skip


def refutable(event: FailureEvent, pipeline: Pipeline) -> frozenset[Anomaly]:
    """The anomalies that would refute the model if a run of the event's scenario showed them.

    Of settings with which nothing can work the advisor claims nothing else.
    """
    if obstacles(as_staged(event, pipeline)):
        return frozenset()
    return _claimed(event) - possible(event, pipeline)


def _claimed(event: FailureEvent) -> frozenset[Anomaly]:
    """The anomalies of which the model speaks in an event's scenario.

    No setting causes that a client gives up in an outage longer than it waits, and no verdict
    counts that there, either (docs/ledger.md, `given_up_breaks`).
    """
    excused = () if find(event.scenario).given_up_breaks else (Anomaly.GIVEN_UP,)
    return frozenset(Anomaly) - NOT_CLAIMED - OUTAGES - {*excused}


def _section(event: FailureEvent, runs: Iterable[Predicted]) -> Section:
    own = [run for run in runs if run.run.event == event.name]
    return Section(event, tuple(_rows(event, own)), len(own))


def _rows(event: FailureEvent, runs: list[Predicted]) -> Iterator[Row]:
    may = frozenset().union(*dependence(event).anomalies.values()) - OUTAGES
    rarely = find(event.scenario).rarely
    for anomaly in sorted(may.union(*(run.seen for run in runs))):
        where = [run.run for run in runs if anomaly in run.permitted]
        nowhere = [run.run for run in runs if anomaly not in run.possible]
        yield Row(anomaly, _side(where, anomaly), _side(nowhere, anomaly), rarely.get(anomaly, ""))


def _side(runs: list[Observed], anomaly: Anomaly) -> Side:
    return Side(tuple(runs), tuple(run for run in runs if anomaly in run.seen))
