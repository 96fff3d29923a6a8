"""`SPRING_KAFKA_…`: environment variables that Spring Boot binds to `spring.kafka`.

An underscore stands for the dot between parts. A dash is left out, or is an underscore, too, as
before Spring Boot 2. The rest of a map's entry is its key in lower case
(SystemEnvironmentPropertyMapper). So the end of a name cannot be seen, and names are compared with
the known ones.
"""

from __future__ import annotations

from collections.abc import Iterable

from advisor.catalog import Component, Family
from advisor.catalog.nearest import nearest
from advisor.intake.clients.known_settings import TYPO, decides, known_keys, newest
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import NAMES, relaxed
from advisor.intake.reading import Reading
from advisor.intake.text import is_secret, shown

PREFIX = "SPRING_KAFKA_"
STREAM = "SPRING_CLOUD_STREAM_"
_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
_GROUPS = ("properties", "security", "ssl")
_NESTED_GROUPS = (("retry", "topic", "backoff"), ("retry", "topic"))
"""Groups inside a group (KafkaProperties.Retry)."""
_STREAMS_PREFIXES = (
    "producer.", "consumer.", "main.consumer.", "restore.consumer.", "global.consumer.", "admin.",
    "topic.",
)  # fmt: skip
"""Prefixes of settings for clients or topics of Kafka Streams (StreamsConfig)."""
_ROOT = "spring.kafka."
_BINDER_SETTINGS = frozenset({
    "requiredacks", "startoffset", "resetoffsets", "autocommitonerror", "transactionidprefix",
    "sync", "errorchannelenabled",
})  # fmt: skip
"""Settings of the Kafka binder that an answer depends on, under names that Kafka does not have."""


def named(reading: Reading, variables: Iterable[tuple[str, str, int]]) -> list[Leaf]:
    """The variables as Spring's properties. An unknown name is noted with the nearest known one."""
    leaves = []
    for variable, text, line in variables:
        if variable.startswith(STREAM):
            _report_unread(reading, variable, line)
            continue
        name = _property_name(variable.removeprefix(PREFIX).lower().split("_"))
        near = _nearest_name(name)
        if near is None or is_secret(name):
            leaves.append(Leaf((f"{_ROOT}{name}",), text, line))
        else:
            hint = f"; the nearest known is {_ROOT}{near}" if near else ""
            words = f"{shown(_ROOT + name)} is not a known setting: not read{hint}"
            reading.note(line, words)
    return leaves


def _report_unread(reading: Reading, variable: str, line: int) -> None:
    """Reports a variable of Spring Cloud Stream, which is not read: the end of the binding's name
    cannot be seen. It is a problem if an answer depends on it."""
    words = variable.lower().split("_")
    ends = {"".join(words[first:]) for first in range(len(words))}
    if decides(variable.replace("_", ".")) or ends & _BINDER_SETTINGS:
        name = ".".join(words)
        message = f"{shown(name)} is stated by a variable of Spring Cloud Stream, which is not "
        message += "read. State it in the application.yml, and leave the variable out"
        reading.add_problem(Component.APPLICATION, name, line, message)
    else:
        message = "variables of Spring Cloud Stream are not read: give its application.yml"
        reading.note(line, message)


def _property_name(words: list[str]) -> str:
    """`producer.properties.max.poll.records`, `producer.batchsize`, `listener.ackmode`."""
    part, *rest = words
    for group in _NESTED_GROUPS:
        if (*words[: len(group)],) == group and (inner := words[len(group) :]):
            return ".".join([*group, "".join(inner)])
    if part in _GROUPS or not rest:
        return ".".join(words)
    if rest[0] in _GROUPS:
        return f"{part}.{'.'.join(rest)}"
    return f"{part}.{''.join(rest)}"


def _nearest_name(name: str) -> str | None:
    """The known name that was probably meant, "" if none is near; None for a known name."""
    part, _, rest = name.partition(".")
    if part in _CLIENTS and not rest.startswith("properties."):
        spring_names = {relaxed(name): name for name in NAMES[Component(part)]}
        if rest.partition(".")[0] in spring_names:
            return None
        near = nearest(rest, frozenset(spring_names))
        return f"{part}.{spring_names[near]}" if near else ""
    if "properties." not in name:
        return None  # another part of spring.kafka: the listener, Kafka Streams
    head, _, key = name.partition("properties.")
    clients = [Component(part)] if part in _CLIENTS else _CLIENTS
    names = frozenset[str]().union(*(known_keys(newest(Family.JAVA), client) for client in clients))
    if part == "streams":
        names |= known_keys(newest(Family.STREAMS), Component.STREAMS)
    if key in names or (part not in _CLIENTS and key.startswith(_STREAMS_PREFIXES)):
        return None
    near = nearest(key, names, TYPO)
    return f"{head}properties.{near}" if near else ""
