"""What a scenario is: a failure event staged on a cluster, the same for every arm.

A scenario declares its durations as ranges; a seed draws one value of each, before any arm
starts, so that all arms of an experiment live through the same schedule.
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
"""The oldest line of brokers that run in KRaft mode here. Those before have ZooKeeper."""
Durations = Mapping[str, float]
"""Seconds by name, as drawn."""
_NOT_TRIED = "it has not been tried there yet"
P = ParamSpec("P")


class ScenarioError(ValueError):
    """A scenario that does not exist, or cannot be staged with these settings or overrides."""


@dataclass(frozen=True, slots=True)
class Topology:
    """How many brokers are booted, and how the one topic lies on them.

    A replica flushes its log after `flush_messages` records; NEVER leaves that to the kernel.
    `controllers` run beside the brokers unless others were chosen; with 0, brokers are controllers
    too. With two `log_dirs` a broker keeps its metadata in a third folder, so that one of them
    can fail alone. With `racks` the brokers stand in so many, by turns
    (broker.rack). Topics in `grown` are made with one copy and get so many while the run goes on.
    With `replica_elected` an operator has a leader elected before a broker that lost its disk is
    back (application.disk.lost). With `unclean` a replica that is out of sync may lead
    (unclean.leader.election.enable): see `steps.elect_uncleanly`.
    `note` says how this differs from the team's own, if it does.
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
    """What a scenario may do to a running arm. Clients go on by themselves all the while.

    A fault or heal that cannot be shown to have happened is recorded as failed, and the arm
    then never holds; waiting for what does not come true raises `WaitTimeout`.
    """

    topology: Topology

    def let_run(self, seconds: float) -> None:
        """Lets time pass."""

    def do(
        self, fault: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        """Does a fault of `labs.engine.faults`: `stage.do(kill, leader(TOPIC))`."""

    def heal(
        self, heal: Callable[Concatenate[Rig, P], Rows], *args: P.args, **named: P.kwargs
    ) -> None:
        """Does what ends a fault: `stage.heal(restart, dead())`."""

    def not_applicable(self, fault: Fault, target: str, why: str) -> None:
        """Records a fault that these settings leave nothing to do for; it hinders no verdict."""

    def wait(self, condition: Condition, limit_s: float) -> None:
        """Waits until a condition of `scenarios.conditions` is true."""


Play = Callable[[Stage, Durations], None]
"""What happens between the lead-in and the healed span; durations are in seconds by name."""


def _as_described(settings: Settings) -> Mapping[str, Pinned]:
    return {}


@dataclass(frozen=True, slots=True)
class Rate:
    """In how many of `runs` seeds settings that permit an anomaly showed it.

    As `python -m benchmarks.scenarios` counted it.
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
    - `given_up_breaks`: the outage is shorter than a patient client waits, or an application that
      looks at its sends survives it, so a client that gave up broke at-least-once.
    - `linked`: its faults are in the network, so that every connection goes through a proxy.
    - `pinned`, `senders`, `brokers`, `topic`: settings of the readers, the producer, the brokers
      and the topic that the scenario sets itself, because a run is short. `keeps`: settings of the
      brokers that stay as described, where the lab otherwise has its own or none.
    - `measured`: how often it was shown; `chance`: why not every time, if not.
    - `client_decides`: the outcome is the client's own, so Java clients play a Java pipeline.
    - `copier`: it can be requested by the name of Kafka's TransactionalMessageCopier, which played
      the application once.
    - `since`: the oldest line of brokers in KRaft mode on which it can be staged; `why_since`: why
      not on older ones. `zookeeper`: it is also staged on brokers with ZooKeeper, as was seen
      there, on all lines or from `zookeeper_since` on, for the same reason.
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
        """Plays it between a lead-in and, if it has one, a span in which all is healed."""
        stage.let_run(seconds["lead_in_s"])
        self.play(stage, seconds)
        if "healed_s" in seconds:
            stage.let_run(seconds["healed_s"])

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines of brokers in KRaft mode on which it can be staged, newest first."""
        known = (kafka_line(version) for version in kafka_versions())
        return tuple(line for line in known if at_least(line, self.since))

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
        """Why it is staged in KRaft mode alone; empty of one that is not."""
        if self.zookeeper:
            return ""
        return _NOT_TRIED

    @property
    def certainty(self) -> str:
        """How surely a run shows what its settings permit, in a sentence or two."""
        shown = "; ".join(map(str, self.measured))
        counted = f"Settings that permit it showed {shown}." if shown else "Not measured yet."
        return f"A matter of chance: {self.chance}. {counted}" if self.chance else counted


@dataclass(frozen=True, slots=True)
class Schedule:
    """A scenario as it will be staged: drawn durations and rate.

    `quiet` stages no fault at all: a control arm, for tests of the rule that a run whose fault
    did not happen is `unknown`.
    """

    durations: Durations
    rate_per_s: int
    quiet: bool = False


def draw(scenario: Scenario, seed: int, overrides: Mapping[str, Any]) -> Schedule:
    """The schedule of a seed, in the order in which the scenario names its durations.

    An override replaces a duration by its name, `rate_per_s`, or (`"faults": "none"`) the
    faults. It does not change what is drawn for the others. Raises `ScenarioError` for a name
    that the scenario does not have.
    """
    dice = random.Random(seed)  # noqa: S311 - repeatable on purpose, nothing is secret
    drawn = {name: dice.uniform(*ends) for name, ends in scenario.durations.items()}
    unknown = sorted(overrides.keys() - drawn.keys() - {"rate_per_s", "faults"})
    if unknown:
        raise ScenarioError(f"{scenario.name} has nothing called {', '.join(unknown)}")
    if overrides.get("faults", "none") != "none":
        raise ScenarioError("the only override of `faults` is `none`")
    durations = {name: float(overrides.get(name, seconds)) for name, seconds in drawn.items()}
    rate = int(overrides.get("rate_per_s", scenario.rate_per_s))
    return Schedule(durations, rate, quiet="faults" in overrides)
