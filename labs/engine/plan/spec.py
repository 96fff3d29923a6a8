"""What an experiment is asked to do: a scenario, a seed, and arms that differ in settings.

The whole request is plain data (JSON), because it crosses process borders: web → worker →
runner. Settings arrive here already parsed and proved by the catalog; nothing in this file
accepts a value that a person typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

MOST_PARTITIONS = 12
VALUE_BYTES = (20, 10_000)
"""How long the values of messages may be made; an int64 as text has 19 digits at most."""

Settings = Mapping[str, Mapping[str, str | int | bool]]
"""Component (`producer`, `consumer`, `topic`, `broker`, `application`) → key → value in force."""


@dataclass(frozen=True, slots=True)
class ArmSpec:
    """One set of settings in an experiment.

    `settings` are complete: defaults of the team's client are written out, so that the arm
    behaves as described whatever client runs it. `want` is the guarantee that the verdict is
    about, or None to count every anomaly. `name` is lower-case letters, digits and dashes
    (`ValueError` otherwise). `kafka` is the release of its own brokers, where that is not the
    experiment's.
    """

    name: str
    settings: Settings
    guarantee: str = "none"
    want: str | None = None
    kafka: str | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", self.name):
            raise ValueError(f"{self.name!r} cannot name an arm: it becomes a folder's name")


@dataclass(frozen=True, slots=True)
class ExperimentSpec:
    """Arms under one fault schedule, drawn from `seed`, on brokers of one release of Kafka.

    With `controllers`, at most 3, so many run besides the brokers, which otherwise are controllers
    too; with `partitions` the topic has so many, else what the scenario says; with `value_bytes`
    every value is that long on the wire, else as long as its number. With `java_clients`, a release
    of Kafka, its Java clients run, where the scenario's workload can be played by them; without,
    librdkafka's do; with `copier` besides, Kafka's TransactionalMessageCopier was asked for, and
    the application that reads and writes in transactions stands for it. Raises `ValueError` for
    what is beyond the limits, and for values of a length with Java clients, which send the number
    alone. A seed has 63 bits, as its column has.
    """

    MODULE: ClassVar[str] = "labs.engine.run.experiment"

    scenario: str
    seed: int
    arms: tuple[ArmSpec, ...]
    kafka: str = "4.3.1"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Rates and durations of the scenario, by name, in place of what it says or the seed draws."""
    controllers: int = 0
    partitions: int | None = None
    value_bytes: int | None = None
    java_clients: str | None = None
    instead_of: str | None = None
    """What was described, where it cannot be run and `kafka` stands for it: its line and why."""
    streams: str | None = None
    """The line of Kafka Streams, where the application is one; without, that of the brokers."""
    copier: bool = False
    zookeeper: bool = False
    """Whether the brokers have ZooKeeper; without, they are in KRaft mode."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed {self.seed}; it must be from 0 to {2**63 - 1}")
        least, most = VALUE_BYTES
        if self.value_bytes is not None and not least <= self.value_bytes <= most:
            raise ValueError(f"values of {self.value_bytes} bytes; {least} to {most} can be staged")
        if self.value_bytes is not None and self.java_clients:
            raise ValueError("Kafka's Java clients send the number alone: no value_bytes for them")
        if self.copier and not self.java_clients:
            raise ValueError("TransactionalMessageCopier is one of Kafka's Java clients: name them")
        if self.controllers not in range(4):
            raise ValueError(f"{self.controllers} dedicated controllers; there may be 0 to 3")
        if self.zookeeper and self.controllers:
            raise ValueError("brokers with ZooKeeper have no dedicated controllers")
        if self.partitions is not None and not 1 <= self.partitions <= MOST_PARTITIONS:
            raise ValueError(f"{self.partitions} partitions; 1 to {MOST_PARTITIONS} can be staged")
        names = [arm.name for arm in self.arms]
        if not names or len(set(names)) < len(names):
            raise ValueError(f"an experiment needs arms with names of their own, not {names}")

    def release(self, arm: ArmSpec) -> str:
        """The release of Kafka that an arm's brokers have."""
        return arm.kafka or self.kafka

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> ExperimentSpec:
        data = json.loads(text)
        data["arms"] = tuple(ArmSpec(**arm) for arm in data["arms"])
        return cls(**data)
