"""Names directly below `spring.kafka`, or below its `streams`, that Spring Boot does not have.

Spring ignores them (`ignoreUnknownFields`), and applications put names of their own there. One that
stands for a setting that counts is a problem: its author expects an effect.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from advisor.catalog import Component, Family, settings_of
from advisor.intake.clients.known_settings import modelled_names, newest
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import NAMES, relaxed
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_PREFIX, _STREAMS = "spring.kafka.", "streams."
_REFERENCE = re.compile(r"\$\{\s*([^:{}]{1,120}?)\s*[:}]")
_PARTS = frozenset({
    "admin", "bootstrapservers", "clientid", "consumer", "jaas", "listener", "producer",
    "properties", "retry", "security", "ssl", "template",
})  # fmt: skip
"""What Spring Boot has below `spring.kafka` (KafkaProperties)."""
_OF_SPRING = {"application.id", "replication.factor", "state.dir"}
"""Settings of Kafka Streams for which Spring has a name below `spring.kafka.streams`."""


def report_misplaced_names(
    reading: Reading, leaves: Iterable[Leaf], raw_leaves: Iterable[Leaf], in_code: Collection[str]
) -> None:
    """Adds a problem for each name below `spring.kafka` that is one of a producer, of a consumer or
    of Kafka Streams somewhere else, and to which neither code nor another property refers."""
    references = {relaxed(name) for leaf in raw_leaves for name in _REFERENCE.findall(leaf.text)}
    references |= {relaxed(name) for name in in_code}
    for leaf in leaves:
        name = ".".join(leaf.path)
        rest = name.removeprefix(_PREFIX)
        if rest == name or relaxed(name) in references:
            continue
        if place := _place(rest):
            component, right_name = place
            words = f"There is no {_PREFIX}{shown(rest)}"
            reading.add_problem(component, rest, leaf.line, words, f"{_PREFIX}{right_name}")


def _place(rest: str) -> tuple[Component, str] | None:
    """Returns the component and the right name, if the name is that of a setting that counts."""
    if rest.startswith(_STREAMS):
        name = _named(rest.removeprefix(_STREAMS), _streams_names() - _OF_SPRING)
        return (Component.STREAMS, f"{_STREAMS}properties.{name}") if name else None
    if relaxed(rest.partition(".")[0]) in _PARTS:
        return None
    for component in (Component.PRODUCER, Component.CONSUMER):
        counting = modelled_names(component)
        if name := _named(rest, (key for key, of in NAMES[component].items() if of in counting)):
            return component, f"{component}.{name}"
        if name := _named(rest, counting):
            return component, f"{component}.properties.{name}"
    return None


def _streams_names() -> frozenset[str]:
    streams = newest(Family.STREAMS)
    settings = settings_of(streams.family, streams.version, streams.kafka, Component.STREAMS)
    return frozenset(setting.name for setting in settings)


def _named(text: str, names: Iterable[str]) -> str:
    """Returns the one of `names` that a text stands for; empty if none."""
    return next((name for name in names if _key(name) == _key(text)), "")


def _key(name: str) -> str:
    return relaxed(name.replace(".", ""))
