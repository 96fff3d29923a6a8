"""`SPRING_KAFKA_…`: environment variables that Spring Boot binds to `spring.kafka`.

An underscore is the dot between parts, a dash is nothing or, as before Spring Boot 2, an underscore
too; the rest of a map's entry is its key in small letters (SystemEnvironmentPropertyMapper). So
where one name ends cannot be seen, and names are compared with the known ones.
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
_NESTED = (("retry", "topic", "backoff"), ("retry", "topic"))
"""Groups inside a group (KafkaProperties.Retry)."""
_INNER = (
    "producer.", "consumer.", "main.consumer.", "restore.consumer.", "global.consumer.", "admin.",
    "topic.",
)  # fmt: skip
"""What begins a setting of a client inside Kafka Streams, or of its topics (StreamsConfig)."""
_ROOT = "spring.kafka."
_OF_BINDER = frozenset({
    "requiredacks", "startoffset", "resetoffsets", "autocommitonerror", "transactionidprefix",
    "sync", "errorchannelenabled",
})  # fmt: skip
"""What the Kafka binder calls that an answer depends on, and Kafka has no name for."""


def named(reading: Reading, variables: Iterable[tuple[str, str, int]]) -> list[Leaf]:
    """The variables as Spring's properties; an unknown name is noted with the nearest known one."""
    leaves = []
    for variable, text, line in variables:
        if variable.startswith(STREAM):
            _pass_over(reading, variable, line)
            continue
        name = _property(variable.removeprefix(PREFIX).lower().split("_"))
        near = _nearest(name)
        if near is None or is_secret(name):
            leaves.append(Leaf((f"{_ROOT}{name}",), text, line))
        else:
            hint = f"; the nearest known is {_ROOT}{near}" if near else ""
            words = f"{shown(_ROOT + name)} is no setting that we know: not read{hint}"
            reading.note(line, words)
    return leaves


def _pass_over(reading: Reading, variable: str, line: int) -> None:
    """Says of a variable of Spring Cloud Stream that it is not read: a problem where an answer
    depends on it. Where the name of a binding ends in it cannot be seen."""
    words = variable.lower().split("_")
    ends = {"".join(words[first:]) for first in range(len(words))}
    if decides(variable.replace("_", ".")) or ends & _OF_BINDER:
        name = ".".join(words)
        stated = f"{shown(name)} is stated by a variable of Spring Cloud Stream, which is not "
        stated += "read. State it in the application.yml, and leave the variable out"
        reading.wrong(Component.APPLICATION, name, line, stated)
    else:
        stated = "variables of Spring Cloud Stream are not read: give its application.yml"
        reading.note(line, stated)


def _property(words: list[str]) -> str:
    """`producer.properties.max.poll.records`, `producer.batchsize`, `listener.ackmode`."""
    part, *rest = words
    for group in _NESTED:
        if (*words[: len(group)],) == group and (own := words[len(group) :]):
            return ".".join([*group, "".join(own)])
    if part in _GROUPS or not rest:
        return ".".join(words)
    if rest[0] in _GROUPS:
        return f"{part}.{'.'.join(rest)}"
    return f"{part}.{''.join(rest)}"


def _nearest(name: str) -> str | None:
    """The known name that was probably meant, "" if none is near; None for one that is known."""
    part, _, rest = name.partition(".")
    if part in _CLIENTS and not rest.startswith("properties."):
        own = {relaxed(name): name for name in NAMES[Component(part)]}
        if rest.partition(".")[0] in own:
            return None
        near = nearest(rest, frozenset(own))
        return f"{part}.{own[near]}" if near else ""
    if "properties." not in name:
        return None  # another part of spring.kafka: of the listener, of the streams
    head, _, key = name.partition("properties.")
    clients = [Component(part)] if part in _CLIENTS else _CLIENTS
    names = frozenset[str]().union(*(known_keys(newest(Family.JAVA), client) for client in clients))
    if part == "streams":
        names |= known_keys(newest(Family.STREAMS), Component.STREAMS)
    if key in names or (part not in _CLIENTS and key.startswith(_INNER)):
        return None
    near = nearest(key, names, TYPO)
    return f"{head}properties.{near}" if near else ""
