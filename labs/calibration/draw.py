"""Pipelines drawn at random for exploring: valid, and such as the lab can stage.

An edge is drawn where the model draws a line. These are drawn elsewhere too: settings of which
the model says that nothing depends on them are varied besides those on which something does.
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
"""The share of what is drawn near a boundary between two lines of brokers."""

MOST_OF_EVENT, MOST_BESIDE = 5, 3
"""Settings that are varied at once: of those that the event depends on, and of all others."""

NUMBERS: Mapping[str, tuple[Value, ...]] = {
    "batch.size": (1_000, 16_384),
    "max.poll.records": (1, 500),
    "auto.commit.interval.ms": (100, 5_000),
    "retry.backoff.ms": (10, 1_000),
    "fetch.max.wait.ms": (10, 500),
}
"""Values that are tried of numbers on which no event depends."""

_LEFT_ALONE = re.compile(
    r".*(sasl|ssl|security|oauth|kerberos|metrics|dns|telemetry|socket|debug|api\.version)"
    r".*|transaction.*|group\.(protocol|instance\.id|remote.*)|builtin\..*|.*\.cb|"
    r"background\..*|allow\.auto.*|enable\.partition\.eof|includeHeaders"
)
"""Settings that decide whether a client can speak to the lab's brokers at all, or that the lab
sets for its own ends."""

_CLIENTS = (Component.PRODUCER, Component.CONSUMER, Component.STREAMS)
_OF_CLUSTER = "unclean.leader.election.enable"


_Start = tuple[FailureEvent, Pipeline]


@dataclass(frozen=True, slots=True)
class Drawn:
    """An event, the pipeline with which its scenario is run, and the seed of the schedule.

    `player` draws which clients play, of those that can.
    """

    event: FailureEvent
    pipeline: Pipeline
    seed: int
    player: float


def lines() -> tuple[str, ...]:
    """The lines of Kafka that can be run here, newest first."""
    return tuple(dict.fromkeys(kafka_line(version) for version in kafka_versions()))


def draws(seed: int, number: int, events: Collection[FailureEvent] = ()) -> Iterator[Drawn]:
    """Endlessly draws pipelines for one number of a seed; the first that can be staged is run.
    They are of these events, or of all if none is named."""
    dice = random.Random(f"{seed}:{number}")  # noqa: S311 - repeatable, nothing is secret
    starts = _of(_starts(), events)
    edges = _of(_line_edges(), events) or starts
    while True:
        event, base = dice.choice(edges if dice.random() < AT_LINES else starts)
        pipeline = _drawn(event, base, dice)
        drawn = Drawn(event, pipeline, dice.randrange(2**31), dice.random())
        if not pipeline.problems():
            yield drawn


def across_lines(drawn: Drawn) -> Drawn | None:
    """The same on a line of brokers on which the model permits something else, if there is one.

    What else happens in such a run must not permit it there anyway: that would refute nothing.
    """
    here = as_staged(drawn.event, drawn.pipeline)
    for line in lines():
        other = replace(drawn.pipeline, kafka=line)
        if _differ(drawn.event, here, as_staged(drawn.event, other)) and not other.problems():
            return replace(drawn, pipeline=other)
    return None


def as_run(drawn: Drawn, settings: Settings, topology: Topology) -> Pipeline:
    """The pipeline that truly runs: copies as the scenario makes them, disks as it treats them."""
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
    own, addition = _of_event(event, pipeline), _client_settings(pipeline)
    keys = [
        *_some(own, MOST_OF_EVENT, dice),
        *_some(addition, MOST_BESIDE, dice),
    ]
    for key in keys:
        values = own.get(key) or addition[key]
        pipeline = pipeline.with_setting(*key, dice.choice(values))
    return patient(pipeline)


@cache
def _starts() -> tuple[_Start, ...]:
    """Each event with as many as any other, whatever its settings are varied from."""
    of = {
        event: [base for base in bases(event) if _can_begin(event, base)] for event in all_events()
    }
    most = max(map(len, of.values()))
    return tuple((event, there[n % len(there)]) for event, there in of.items() for n in range(most))


def _can_begin(event: FailureEvent, base: Pipeline) -> bool:
    """Whether its scenario takes such settings: some are about transactions or state alone."""
    try:
        find(event.scenario).topology(in_force(base))
    except ScenarioError:
        return False
    return True


def _of(starts: tuple[_Start, ...], events: Collection[FailureEvent]) -> tuple[_Start, ...]:
    return tuple(start for start in starts if start[0] in events) if events else starts


@cache
def _line_edges() -> tuple[_Start, ...]:
    """Those for which the model permits something else on another line of brokers."""
    return tuple(
        (event, base) for event, base in _starts()
        if across_lines(Drawn(event, base, 0, 0))
    )  # fmt: skip


def _version(family: Family, dice: random.Random) -> str:
    """Java's clients and Kafka Streams run in each line; of the others the lab has one release."""
    if family in (Family.JAVA, Family.STREAMS):
        return dice.choice(lines())
    return versions(family)[0]


def _some(keys: Mapping[Key, tuple[Value, ...]], most: int, dice: random.Random) -> list[Key]:
    return dice.sample(sorted(keys), min(len(keys), dice.randint(0, most)))


def _of_event(event: FailureEvent, pipeline: Pipeline) -> dict[Key, tuple[Value, ...]]:
    """The settings that an event depends on and a run can take over, with what is tried of each."""
    kept = (_OF_CLUSTER, *find(event.scenario).kept_broker_settings)
    return {
        key: TRIED[key[1]]
        for key in dependence(event).settings
        if key[1] in TRIED
        and (event.scenario, key[1]) not in UNSTAGED
        and (key[0] is not Component.BROKER or key[1] in kept)
        and pipeline.knows(*key)
    }


def _client_settings(pipeline: Pipeline) -> dict[Key, tuple[Value, ...]]:
    """The clients' settings that a run can take over, whatever the model says of them."""
    return {
        (component, setting.name): values
        for component in _CLIENTS
        for setting in pipeline.known_settings(component)
        if setting.name not in UNTRIED and not _LEFT_ALONE.fullmatch(setting.name)
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
