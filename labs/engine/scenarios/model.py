"""A scenario: a failure event staged on a cluster, in the same way for every arm.

A scenario declares its durations as ranges. The seed draws one value of each before any arm
starts, so that all arms of an experiment have the same schedule.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, Protocol

from advisor.catalog import kafka_line
from advisor.catalog.versions import at_least
from labs.engine.clients.translate import Pinned
from labs.engine.distributions.distribution import kafka_versions, zookeeper_versions
from labs.engine.faults.rig import Condition, Rig, Rows
from labs.engine.plan.spec import Settings
from labs.engine.record.fault_words import Fault

TOPIC = "orders"
NEVER = 2**63 - 1
OLDEST_KRAFT = "3.3"
"""The oldest line of brokers that run in KRaft mode here. Older brokers have ZooKeeper."""
Durations = Mapping[str, float]
"""Seconds by name, as drawn."""
_NOT_TRIED = "it has not been tried there yet"
P = ParamSpec("P")


class ScenarioError(ValueError):
    """A scenario that does not exist, or cannot be staged with these settings or overrides."""


@dataclass(frozen=True, slots=True)
class Topology:
    """The number of brokers, and the placement of the one topic on them.

    - `flush_messages`: a replica flushes its log after this many records; NEVER leaves it to the
      kernel.
    - `controllers`: the number of dedicated controllers, unless the experiment chooses another;
      with 0, brokers are controllers too.
    - `log_dirs`: with two, a broker keeps its metadata in a third folder, so that one of them can
      fail alone.
    - `racks`: the number of racks among which the brokers are distributed in turn (broker.rack).
    - `grown`: topics that are created with one copy, and the copies that they get during the run.
    - `replica_elected`: an operator has a leader elected before a broker that lost its disk is
      back (application.disk.lost).
    - `unclean`: a replica that is out of sync may lead (unclean.leader.election.enable): see
      `steps.elect_uncleanly`.
    - `note`: how this differs from the described topology, if it does.
    """

    brokers: int
    replication_factor: int
    partitions: int = 1
    flush_messages: int = NEVER
    note: str = ""
    controllers: int = 0
    log_dirs: int = 1
    racks: int = 0
    grown: Mapping[str, int] = field(default_factory=dict)
    replica_elected: bool = False
    unclean: bool = False


class Stage(Protocol):
    """The operations of a scenario on a running arm. Its clients work all the time.

    A fault or heal that cannot be shown to have happened is recorded as failed, and the arm
    then never holds. Waiting for a condition that does not become true raises `WaitTimeout`.
    """

    topology: Topology

    def let_run(self, seconds: float) -> None:
        """Lets the arm run for some seconds."""

    def do(
        self, fault: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        """Injects a fault of `labs.engine.faults`: `stage.do(kill, leader(TOPIC))`."""

    def heal(
        self, heal: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        """Ends a fault: `stage.heal(restart, dead())`."""

    def not_applicable(self, fault: Fault, target: str, why: str) -> None:
        """Records a fault that is impossible with these settings; it does not affect verdicts."""

    def wait(self, condition: Condition, limit_s: float) -> None:
        """Waits until a condition of `scenarios.conditions` is true."""


Play = Callable[[Stage, Durations], None]
"""The part of a scenario between its lead-in and its healed time; durations are in seconds."""


def _as_described(settings: Settings) -> Mapping[str, Pinned]:
    return {}


@dataclass(frozen=True, slots=True)
class Rate:
    """The number of `runs`, one per seed, in which settings that permit an anomaly showed it.

    Counted by `python -m benchmarks.scenarios`.
    """

    anomaly: str
    shown: int
    runs: int

    def __str__(self) -> str:
        return f"{self.anomaly} in {self.shown} of {self.runs} run{'s' * (self.runs != 1)}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One failure event on a cluster.

    - `durations`: name -> (least, most) seconds; `play` uses the drawn values.
    - `shows`: the anomalies that the event can cause. `rarely`: anomaly -> why a run need not show
      it although the event permits it.
    - `given_up_breaks`: a patient client waits for longer than the outage, or an application that
      checks its sends survives it, so a client that gave up broke at-least-once.
    - `linked`: its faults are in the network, so every connection goes through a proxy.
    - `consumer_pins`, `producer_pins`, `broker_pins`, `topic_pins`: settings that the scenario
      sets itself, because a run is short. `kept_broker_settings`: broker settings that stay as
      described, although the lab otherwise has its own or none.
    - `measured`: how often an anomaly was shown; `chance`: why not every time, if it was not.
    - `client_decides`: the outcome depends on the client, so Java clients run a Java pipeline.
    - `copier`: it can be requested by the name of Kafka's TransactionalMessageCopier, which once
      was the application here.
    - `since`: the oldest line of brokers in KRaft mode on which it can be staged; `why_since`: why
      not on older ones. `zookeeper`: it was confirmed on brokers with ZooKeeper and is staged
      there too, on all lines or, for the same reason, from `zookeeper_since` on.
    """

    name: str
    title: str
    story: str
    shows: tuple[str, ...]
    topology: Callable[[Settings], Topology]
    durations: Mapping[str, tuple[float, float]]
    play: Play
    rate_per_s: int = 2000
    given_up_breaks: bool = False
    rarely: Mapping[str, str] = field(default_factory=dict)
    linked: bool = False
    workload: str = "produce-consume"
    consumer_pins: Mapping[str, Pinned] = field(default_factory=dict)
    producer_pins: Mapping[str, Pinned] = field(default_factory=dict)
    broker_pins: Callable[[Settings], Mapping[str, Pinned]] = _as_described
    kept_broker_settings: tuple[str, ...] = ()
    topic_pins: Callable[[Settings], Mapping[str, Pinned]] = _as_described
    measured: tuple[Rate, ...] = ()
    chance: str = ""
    client_decides: bool = False
    copier: bool = False
    since: str = OLDEST_KRAFT
    why_since: str = ""
    zookeeper: bool = False
    zookeeper_since: str = ""

    def run(self, stage: Stage, seconds: Durations) -> None:
        """Plays it after a lead-in, and before its healed time, if it has one."""
        stage.let_run(seconds["lead_in_s"])
        self.play(stage, seconds)
        if "healed_s" in seconds:
            stage.let_run(seconds["healed_s"])

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of brokers in KRaft mode on which it can be staged, newest first."""
        lines = (kafka_line(version) for version in kafka_versions())
        return tuple(line for line in lines if at_least(line, self.since))

    @property
    def zookeeper_lines(self) -> tuple[str, ...]:
        """The lines of brokers with ZooKeeper on which it is staged, newest first."""
        if not self.zookeeper:
            return ()
        lines = map(kafka_line, zookeeper_versions())
        return tuple(line for line in lines if at_least(line, self.zookeeper_since or line))

    @property
    def runs_on(self) -> str:
        """The lines of brokers on which it can be staged, in words."""
        kraft = f"Kafka {self.lines[-1]} to {self.lines[0]} in KRaft mode"
        if not self.zookeeper:
            return f"{kraft}, not with ZooKeeper: {self.why_no_zookeeper}"
        return f"{kraft}, {self.zookeeper_lines[-1]} to {self.zookeeper_lines[0]} with ZooKeeper"

    @property
    def why_no_zookeeper(self) -> str:
        """Why it is staged only in KRaft mode; empty if it is also staged with ZooKeeper."""
        if self.zookeeper:
            return ""
        return _NOT_TRIED

    @property
    def certainty(self) -> str:
        """How often a run shows what its settings permit, in a sentence or two."""
        rates = "; ".join(map(str, self.measured))
        counted = f"Settings that permit it showed {rates}." if rates else "Not measured yet."
        return f"A matter of chance: {self.chance}. {counted}" if self.chance else counted


@dataclass(frozen=True, slots=True)
class Schedule:
    """A scenario as it will be staged: the drawn durations, and the rate.

    `quiet` stages no fault at all. Such a control arm tests the rule that a run whose fault did
    not happen is `unknown`.
    """

    durations: Durations
    rate_per_s: int
    quiet: bool = False


def draw(scenario: Scenario, seed: int, overrides: Mapping[str, Any]) -> Schedule:
    """The schedule of a seed; durations are drawn in the order in which the scenario names them.

    An override replaces a duration, `rate_per_s`, or the faults (`"faults": "none"`). It does not
    change what is drawn for the others. Raises `ScenarioError` for a name that the scenario does
    not have.
    """
    generator = random.Random(seed)  # noqa: S311 - repeatable on purpose, nothing is secret
    drawn = {name: generator.uniform(*ends) for name, ends in scenario.durations.items()}
    unknown = sorted(overrides.keys() - drawn.keys() - {"rate_per_s", "faults"})
    if unknown:
        raise ScenarioError(f"{scenario.name} has nothing called {', '.join(unknown)}")
    if overrides.get("faults", "none") != "none":
        raise ScenarioError("the only override of `faults` is `none`")
    durations = {name: float(overrides.get(name, seconds)) for name, seconds in drawn.items()}
    rate = int(overrides.get("rate_per_s", scenario.rate_per_s))
    return Schedule(durations, rate, quiet="faults" in overrides)
