"""The settings that Kafka Streams overrides on the clients inside, whatever the team states.

Source: StreamsConfig, `NON_CONFIGURABLE_…` and `…_EOS_OVERRIDES`, the same from 2.8 to 4.3.
Settings that are only defaults, whatever processing.guarantee is, are in `data/streams.toml`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advisor.catalog.model import Component, Value

Settings = Mapping[Component, Mapping[str, Value]]
Override = Callable[[bool, Value], Value]
"""(is exactly-once, stated value) -> the value that the client gets."""

GUARANTEE = "processing.guarantee"
TRANSACTION_MS = 10_000
"""transaction.timeout.ms with exactly-once."""

COMMIT_MS = 100
"""commit.interval.ms with exactly-once."""

NAMED_BY_STREAMS = "named-by-streams"
"""Stands for the transactional.id, which is generated when the application starts."""

_PRODUCER, _CONSUMER = Component.PRODUCER, Component.CONSUMER


def exactly_once(settings: Settings) -> bool:
    """Whether any of the exactly-once guarantees of StreamsConfig was stated."""
    value = settings.get(Component.STREAMS, {}).get(GUARANTEE)
    return str(value).startswith("exactly_once")


def _forces(value: Value) -> Override:
    return lambda eos, stated: value if eos else stated


def _defaults_to(value: Value) -> Override:
    return lambda eos, stated: value if eos and stated is None else stated


OVERRIDES: Mapping[tuple[Component, str], Override] = {
    (_PRODUCER, "enable.idempotence"): _forces(True),
    (_PRODUCER, "transactional.id"): _forces(NAMED_BY_STREAMS),
    (_PRODUCER, "delivery.timeout.ms"): _defaults_to(2**31 - 1),
    (_PRODUCER, "transaction.timeout.ms"): _defaults_to(TRANSACTION_MS),
    (_CONSUMER, "isolation.level"): _forces("read_committed"),
    (_CONSUMER, "enable.auto.commit"): lambda eos, value: False,
    (Component.STREAMS, "commit.interval.ms"): _defaults_to(COMMIT_MS),
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
    """Returns the settings whose value for the client does not depend on the stated one."""
    eos = exactly_once(settings)
    return frozenset(
        key for key, override in OVERRIDES.items() if override(eos, "stated") != "stated"
    )


def overruled(settings: Settings) -> list[Overruled]:
    """Returns the stated settings that have another value for the client."""
    eos = exactly_once(settings)
    stated = (
        Overruled(*key, value, override(eos, value))
        for key, override in OVERRIDES.items()
        if (value := settings.get(key[0], {}).get(key[1])) is not None
    )
    return [overruled for overruled in stated if overruled.in_force != overruled.stated]
