"""The request for an experiment: a scenario, a seed, and arms that differ in settings.

The whole request is plain data (JSON), because it crosses process boundaries: web → worker →
runner. The catalog has parsed and validated all settings before they arrive here. Nothing in this
module accepts a value that a person typed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

MOST_PARTITIONS = 12
VALUE_BYTES = (20, 10_000)
"""The shortest and the longest value of a message; an int64 as text has at most 19 digits."""

Settings = Mapping[str, Mapping[str, str | int | bool]]
"""Component (`producer`, `consumer`, `topic`, `broker`, `application`) → key → value in force."""


@dataclass(frozen=True, slots=True)
class ArmSpec:
    """One set of settings in an experiment.

    `settings` are complete: the defaults of the team's client are written out, so that the arm
    behaves as described with any client that runs it. `want` is the guarantee that is judged, or
    None to count every anomaly. `kafka` is the release of the arm's brokers if it differs from the
    experiment's. Raises `ValueError` unless `name` consists of lower-case letters, digits and
    dashes, at most 64.
    """

    name: str
    settings: Settings
    guarantee: str = "none"
    want: str | None = None
    kafka: str | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,63}", self.name):
            raise ValueError(f"{self.name!r} cannot name an arm: the name becomes a folder's name")


@dataclass(frozen=True, slots=True)
class ExperimentSpec:
    """Arms under one fault schedule, drawn from `seed`, on brokers of one release of Kafka.

    `controllers` is the number of dedicated controllers, at most 3; with 0 the brokers are
    controllers too. `partitions` replaces the scenario's number of partitions. `value_bytes` is the
    length of every value on the wire; without it, a value is as long as its number.
    `java_clients` is a release of Kafka whose Java clients run, if they can run the scenario's
    workload; without it, librdkafka runs. `copier` is set if Kafka's TransactionalMessageCopier
    was requested: the application that reads and writes in transactions stands for it. A seed
    has 63 bits, like its database column.

    Raises `ValueError` for values beyond these limits, and for `value_bytes` with Java clients,
    which send only the number.
    """

    MODULE: ClassVar[str] = "labs.engine.run.experiment"

    scenario: str
    seed: int
    arms: tuple[ArmSpec, ...]
    kafka: str = "4.3.1"
    overrides: Mapping[str, Any] = field(default_factory=dict)
    """Rates and durations by name; they replace what the scenario states and the seed draws."""
    controllers: int = 0
    partitions: int | None = None
    value_bytes: int | None = None
    java_clients: str | None = None
    instead_of: str | None = None
    """The described line of Kafka and why it cannot run, if `kafka` stands for it."""
    streams: str | None = None
    """The line of Kafka Streams for a Streams application; without it, the brokers' line."""
    copier: bool = False
    zookeeper: bool = False
    """Whether the brokers use ZooKeeper instead of KRaft mode."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**63:
            raise ValueError(f"seed {self.seed}; it must be from 0 to {2**63 - 1}")
        least, most = VALUE_BYTES
        if self.value_bytes is not None and not least <= self.value_bytes <= most:
            raise ValueError(f"values of {self.value_bytes} bytes; {least} to {most} can be staged")
        if self.value_bytes is not None and self.java_clients:
            raise ValueError("Kafka's Java clients send only the number: no value_bytes for them")
        if self.copier and not self.java_clients:
            raise ValueError("TransactionalMessageCopier is a Java client: name java_clients")
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
        """The release of Kafka on an arm's brokers."""
        return arm.kafka or self.kafka

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> ExperimentSpec:
        data = json.loads(text)
        data["arms"] = tuple(ArmSpec(**arm) for arm in data["arms"])
        return cls(**data)
