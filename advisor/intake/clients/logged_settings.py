"""The settings that Kafka's clients and servers log when they start.

`ProducerConfig values:` is followed by a line for each setting, the defaults included
(AbstractConfig.logAll). A client that logs them has started, so no two of them contradict each
other: what the client would refuse if it was stated is a default there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from advisor.catalog import Component
from advisor.intake.reading import Item, Reader, Reading
from advisor.intake.text import IntakeError, shown

_HEADER = re.compile(r"(?:^|[\s.:])(?P<name>[A-Z]\w{0,60}Config) values:[ \t]*$", re.ASCII)
_SETTING = re.compile(r"[ \t]+(?P<name>[a-z][\w.-]{0,120}) = ?(?P<text>.*)", re.ASCII)
_COMPONENTS = {
    "ProducerConfig": Component.PRODUCER,
    "ConsumerConfig": Component.CONSUMER,
    "KafkaConfig": Component.BROKER,
}
_REFUSED = {
    "StreamsConfig": "Kafka Streams, which does not log the settings of the clients inside it",
    "ShareConsumerConfig": "a consumer of a share group, which is not advised on",
}
_CONNECT = re.compile(r"(?:Worker|Distributed|Standalone|Connector|Task|Mirror\w*)Config$")
_OF_CONNECT = "Kafka Connect, which configures the clients of its connectors by rules of its own"
_ADVICE = "Give the properties of the application, or those of each client"
_UNSET = ("null", "[hidden]", "[]", "")
_CLASSIC = ("session.timeout.ms", "heartbeat.interval.ms", "partition.assignment.strategy")
"""Settings that a consumer refuses with group.protocol=consumer, and logs nevertheless."""
_SHARE, _PROTOCOLS, _ID = "share.", "listener.security.protocol.map", "broker.id"
_DELIVERY, _PARTS = "delivery.timeout.ms", ("linger.ms", "request.timeout.ms")
_MAX_LINES = 20_000


@dataclass(slots=True)
class _Section:
    """The settings of one client or server, each with its line."""

    name: str
    line: int
    items: dict[str, tuple[int, str]] = field(default_factory=dict)


def read(text: str) -> Reading:
    """Reads the settings of each producer, consumer and broker. Raises `IntakeError`, also for
    another product."""
    reading = Reading()
    for section in _sections(text):
        _refuse(section)
        component = _COMPONENTS.get(section.name)
        if component is None:
            words = "belongs to another client and is not read"
            reading.note(section.line, f"{shown(section.name)} {words}")
            continue
        client = "" if component is Component.BROKER else f"line {section.line}"
        reading.clients |= {(component, client)} if client else set()
        before = len(reading.items)
        for name, (line, value) in _stated(component, section).items():
            reading.add_setting(component, name, value, line)
        reading.items[before:] = [_of_client(item, client) for item in reading.items[before:]]
    if not reading.items:
        raise IntakeError("Line 1: no producer, consumer or broker logs its settings here.")
    return reading


def _of_client(item: Item, client: str) -> Item:
    return replace(item, process=client)


def _sections(text: str) -> Iterator[_Section]:
    section = None
    for number, line in enumerate(text.splitlines()[:_MAX_LINES], start=1):
        if header := _HEADER.search(line):
            if section:
                yield section
            section = _Section(header["name"], number)
        elif section and (match := _SETTING.fullmatch(line.rstrip())):
            section.items[match["name"]] = number, match["text"].strip()
        elif section and line.strip():
            yield section
            section = None
    if section:
        yield section


def _refuse(section: _Section) -> None:
    words = _REFUSED.get(section.name, "")
    if _CONNECT.search(section.name):
        words = _OF_CONNECT
    if words:
        raise IntakeError(f"Line {section.line}: these are settings of {words}. {_ADVICE}.")


def _stated(component: Component, section: _Section) -> dict[str, tuple[int, str]]:
    """The settings that have a value, without those that can only be defaults."""
    stated = {
        name: (line, _value(text))
        for name, (line, text) in section.items.items() if text not in _UNSET
    }  # fmt: skip
    return {
        name: entry for name, entry in stated.items() if not _is_default(component, name, stated)
    }


def _is_default(component: Component, name: str, stated: Mapping[str, tuple[int, str]]) -> bool:
    """Whether a setting can only be a default: if it was stated, this would not have started."""
    match component:
        case Component.CONSUMER:
            by_brokers = _text(stated, "group.protocol").lower() == "consumer"
            return name.startswith(_SHARE) or (by_brokers and name in _CLASSIC)
        case Component.PRODUCER:
            return name == _DELIVERY and _is_raised(stated)
        case _:
            return name == _PROTOCOLS or (name == _ID and _text(stated, _ID) == "-1")


def _is_raised(stated: Mapping[str, tuple[int, str]]) -> bool:
    """Whether the producer raised its delivery timeout, which it does only for the default
    (KafkaProducer.configureDeliveryTimeout)."""
    total, *parts = (_text(stated, name) for name in (_DELIVERY, *_PARTS))
    is_known = all(text.isascii() and text.isdecimal() for text in (total, *parts))
    return is_known and int(total) < sum(map(int, parts))


def _text(stated: Mapping[str, tuple[int, str]], name: str) -> str:
    return stated.get(name, (0, ""))[1]


def _value(text: str) -> str:
    """The value as a file states it: a list without brackets, a class by its name."""
    if text.startswith("[") and text.endswith("]"):
        parts = (part.strip().removeprefix("class ") for part in text[1:-1].split(","))
        return ",".join(parts)
    return text.removeprefix("class ")


def _likeness(text: str) -> float:
    lines = text.splitlines()[:_MAX_LINES]
    follows = (_SETTING.match(line) for line in lines[1:])
    return 0.99 if any(
        match and _HEADER.search(line) for line, match in zip(lines, follows, strict=False)
    ) else 0.0  # fmt: skip


READERS = (
    Reader("logged-settings", "What clients log when they start (… values:)", _likeness, read),
)
