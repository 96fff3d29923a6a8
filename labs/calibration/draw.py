"""Random pipelines for exploration, which are valid and which the lab can stage.

Edges try only the boundaries of the model. These pipelines also vary settings on which, according
to the model, nothing depends.
"""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from advisor.catalog import Component, Family, Kind, Value, kafka_line, versions
from advisor.reasoning.dependence import dependence
from advisor.reasoning.event import FailureEvent
from advisor.reasoning.failures import all_events
from advisor.reasoning.in_force import in_force
from advisor.reasoning.keys import Key
from advisor.reasoning.pipeline import Pipeline
from labs.calibration.edges import (
    TRIED,
    UNSTAGED,
    UNTRIED,
    as_staged,
    bases,
    patient,
    permitted,
    shortened,
)
from labs.calibration.table import refutable
from labs.engine.distributions.distribution import kafka_versions
from labs.engine.plan.spec import Settings
from labs.engine.plan.topic import lab_min_isr
from labs.engine.scenarios import find
from labs.engine.scenarios.model import ScenarioError, Topology

AT_LINES = 0.2
"""The share of pipelines that are drawn near a boundary between two lines of brokers."""

MOST_OF_EVENT, MOST_OTHERS = 5, 3
"""The most settings varied together: of those on which the event depends, and of all others."""

NUMBERS: Mapping[str, tuple[Value, ...]] = {
    "batch.size": (1_000, 16_384),
    "max.poll.records": (1, 500),
    "auto.commit.interval.ms": (100, 5_000),
    "retry.backoff.ms": (10, 1_000),
    "fetch.max.wait.ms": (10, 500),
}
"""The values that are tried of numeric settings on which no event depends."""

_NOT_VARIED = re.compile(
    r".*(sasl|ssl|security|oauth|kerberos|metrics|dns|telemetry|socket|debug|api\.version)"
    r".*|transaction.*|group\.(protocol|instance\.id|remote.*)|builtin\..*|.*\.cb|"
    r"background\..*|allow\.auto.*|enable\.partition\.eof|includeHeaders"
)
"""Settings that are not varied: they decide whether a client can connect to the lab's brokers, or
the lab sets them itself."""

_CLIENTS = (Component.PRODUCER, Component.CONSUMER, Component.STREAMS)
_CLUSTER_SETTING = "unclean.leader.election.enable"


_Start = tuple[FailureEvent, Pipeline]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An event, the pipeline with which its scenario is run, and the seed of the schedule.

    `player` is a random number from 0 to 1 that selects the client library.
    """

    event: FailureEvent
    pipeline: Pipeline
    seed: int
    player: float


def lines() -> tuple[str, ...]:
    """The lines of Kafka that can be run, newest first."""
    return tuple(dict.fromkeys(kafka_line(version) for version in kafka_versions()))


def draws(seed: int, number: int, events: Collection[FailureEvent] = ()) -> Iterator[Drawn]:
    """Yields pipelines without end for one number of a seed; the first that can be staged is run.

    They are for the given events, or for all if there are none.
    """
    dice = random.Random(f"{seed}:{number}")  # noqa: S311 - repeatable, nothing is secret
    starts = _for_events(_starts(), events)
    edges = _for_events(_line_edges(), events) or starts
    while True:
        event, base = dice.choice(edges if dice.random() < AT_LINES else starts)
        pipeline = _drawn(event, base, dice)
        drawn = Drawn(event, pipeline, dice.randrange(2**31), dice.random())
        if not pipeline.problems():
            yield drawn


def across_lines(drawn: Drawn) -> Drawn | None:
    """The same pipeline on a line of brokers for which the model permits other anomalies, or None.

    The lines must also differ in the anomalies that would refute the model, or the run would show
    nothing.
    """
    here = as_staged(drawn.event, drawn.pipeline)
    for line in lines():
        other = replace(drawn.pipeline, kafka=line)
        if _differ(drawn.event, here, as_staged(drawn.event, other)) and not other.problems():
            return replace(drawn, pipeline=other)
    return None


def as_run(drawn: Drawn, settings: Settings, topology: Topology) -> Pipeline:
    """The pipeline that really runs, with the replicas and the disks of the scenario."""
    described, copies = settings["topic"], topology.replication_factor
    run = drawn.pipeline.with_setting(Component.TOPIC, "replication.factor", copies)
    for name, value in shortened().items():
        run = run.with_setting(Component.BROKER, name, value)
    if "min.insync.replicas" in described:
        least = lab_min_isr(
            int(described["replication.factor"]), int(described["min.insync.replicas"]), copies
        )
        run = run.with_setting(Component.TOPIC, "min.insync.replicas", least)
    return as_staged(drawn.event, run)


def _differ(event: FailureEvent, one: Pipeline, other: Pipeline) -> bool:
    """Whether a run of the event's scenario may show different anomalies for two pipelines."""
    if permitted(event, one) == permitted(event, other):
        return False
    return refutable(event, one) != refutable(event, other)


def _drawn(event: FailureEvent, base: Pipeline, dice: random.Random) -> Pipeline:
    line = dice.choice(lines())
    pipeline = replace(base, kafka=line, version=_version(base.family, dice))
    event_settings, other_settings = _event_settings(event, pipeline), _client_settings(pipeline)
    keys = [
        *_some(event_settings, MOST_OF_EVENT, dice),
        *_some(other_settings, MOST_OTHERS, dice),
    ]
    for key in keys:
        values = event_settings.get(key) or other_settings[key]
        pipeline = pipeline.with_setting(*key, dice.choice(values))
    return patient(pipeline)


@cache
def _starts() -> tuple[_Start, ...]:
    """Pairs of an event and a base, equally many for each event."""
    bases_by_event = {
        event: [base for base in bases(event) if _can_begin(event, base)] for event in all_events()
    }
    most = max(map(len, bases_by_event.values()))
    return tuple(
        (event, starts[n % len(starts)])
        for event, starts in bases_by_event.items()
        for n in range(most)
    )


def _can_begin(event: FailureEvent, base: Pipeline) -> bool:
    """Whether the scenario accepts these settings: some require transactions or state."""
    try:
        find(event.scenario).topology(in_force(base))
    except ScenarioError:
        return False
    return True


def _for_events(starts: tuple[_Start, ...], events: Collection[FailureEvent]) -> tuple[_Start, ...]:
    return tuple(start for start in starts if start[0] in events) if events else starts


@cache
def _line_edges() -> tuple[_Start, ...]:
    """The starts for which the model permits other anomalies on another line of brokers."""
    return tuple(
        (event, base) for event, base in _starts()
        if across_lines(Drawn(event, base, 0, 0))
    )  # fmt: skip


def _version(family: Family, dice: random.Random) -> str:
    """A version: of Java clients and Kafka Streams any line, of the others the lab's release."""
    if family in (Family.JAVA, Family.STREAMS):
        return dice.choice(lines())
    return versions(family)[0]


def _some(keys: Mapping[Key, tuple[Value, ...]], most: int, dice: random.Random) -> list[Key]:
    return dice.sample(sorted(keys), min(len(keys), dice.randint(0, most)))


def _event_settings(event: FailureEvent, pipeline: Pipeline) -> dict[Key, tuple[Value, ...]]:
    """The settings on which an event depends and that a run can vary, with the values to try."""
    kept = (_CLUSTER_SETTING, *find(event.scenario).kept_broker_settings)
    return {
        key: TRIED[key[1]]
        for key in dependence(event).settings
        if key[1] in TRIED
        and (event.scenario, key[1]) not in UNSTAGED
        and (key[0] is not Component.BROKER or key[1] in kept)
        and pipeline.knows(*key)
    }


def _client_settings(pipeline: Pipeline) -> dict[Key, tuple[Value, ...]]:
    """The clients' settings that a run can vary, with the values to try."""
    return {
        (component, setting.name): values
        for component in _CLIENTS
        for setting in pipeline.known_settings(component)
        if setting.name not in UNTRIED and not _NOT_VARIED.fullmatch(setting.name)
        and (values := _values(setting.name, setting.kind, setting.choices))
    }  # fmt: skip


def _values(name: str, kind: Kind, choices: tuple[tuple[str, Value], ...]) -> tuple[Value, ...]:
    if name in TRIED or name in NUMBERS:
        return TRIED.get(name) or NUMBERS[name]
    if kind is Kind.BOOL:
        return (False, True)
    if kind is Kind.CHOICE:
        return tuple(dict.fromkeys(value for _, value in choices))
    return ()
