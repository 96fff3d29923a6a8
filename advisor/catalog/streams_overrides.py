"""What Kafka Streams sets on its inner clients, whatever the team states.

Source: StreamsConfig, `NON_CONFIGURABLE_…` and `…_EOS_OVERRIDES`, the same from 2.8 to 4.3. What is
only a default, whatever processing.guarantee is, is in `data/streams.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.catalog.model import Component, Value

Settings = Mapping[Component, Mapping[str, Value]]
Override = Callable[[bool, Value], Value]
"""(is exactly-once, what the team stated) -> what the client gets."""

GUARANTEE = "processing.guarantee"
TRANSACTION_MS = 10_000
"""transaction.timeout.ms with exactly-once."""

COMMIT_MS = 100
"""commit.interval.ms with exactly-once."""

NAMED_BY_STREAMS = "named-by-streams"
"""Stands for the transactional.id, which is made when the application starts."""

_PRODUCER, _CONSUMER = Component.PRODUCER, Component.CONSUMER


def exactly_once(settings: Settings) -> bool:
    """Whether any of the exactly-once guarantees of StreamsConfig was stated."""
    value = settings.get(Component.STREAMS, {}).get(GUARANTEE)
    return str(value).startswith("exactly_once")


def _forces(value: Value) -> Override:
    return lambda eos, text: value if eos else text


def _says(value: Value) -> Override:
    return lambda eos, text: value if eos and text is None else text


OVERRIDES: Mapping[tuple[Component, str], Override] = {
    (_PRODUCER, "enable.idempotence"): _forces(True),
    (_PRODUCER, "transactional.id"): _forces(NAMED_BY_STREAMS),
    (_PRODUCER, "delivery.timeout.ms"): _says(2**31 - 1),
    (_PRODUCER, "transaction.timeout.ms"): _says(TRANSACTION_MS),
    (_CONSUMER, "isolation.level"): _forces("read_committed"),
    (_CONSUMER, "enable.auto.commit"): lambda eos, value: False,
    (Component.STREAMS, "commit.interval.ms"): _says(COMMIT_MS),
    (Component.APPLICATION, "commit"): _forces("in-transaction"),
}


@dataclass(frozen=True, slots=True)
class Overruled:
    """A stated setting that Kafka Streams overrides."""

    component: Component
    name: str
    stated: Value
    in_force: Value


def forced(settings: Settings) -> frozenset[tuple[Component, str]]:
    """The settings whose value for the client does not depend on what is stated."""
    eos = exactly_once(settings)
    return frozenset(key for key, tell in OVERRIDES.items() if tell(eos, "stated") != "stated")


def overruled(settings: Settings) -> list[Overruled]:
    """Each setting whose value for the client differs from what was stated."""
    eos = exactly_once(settings)
    stated = (
        Overruled(*key, value, tell(eos, value))
        for key, tell in OVERRIDES.items()
        if (value := settings.get(key[0], {}).get(key[1])) is not None
    )
    return [overruled for overruled in stated if overruled.in_force != overruled.stated]
