"""A client's, a broker's or a topic's `.properties` file."""

from __future__ import annotations

from functools import cache, partial
from itertools import islice

from advisor.catalog import Component, Family
from advisor.intake.java_properties import properties
from advisor.intake.known import known_keys, newest
from advisor.intake.reading import MAX_ITEMS, Reader, Reading
from advisor.intake.text import IntakeError

_KINDS = (
    Component.PRODUCER, Component.CONSUMER, Component.BROKER, Component.TOPIC,
    Component.APPLICATION,
)  # fmt: skip
_FILES = {
    Component.PRODUCER: "producer.properties", Component.CONSUMER: "consumer.properties",
    Component.BROKER: "server.properties", Component.TOPIC: "Settings of a topic, as properties",
    Component.APPLICATION: "What your code does, as properties",
}  # fmt: skip


def read(text: str, component: Component) -> Reading:
    """The properties of one component. Raises `IntakeError`."""
    reading = Reading()
    for found in properties(text):
        reading.state(component, found.key, found.value, found.line)
    return reading


def _likeness(text: str, component: Component) -> float:
    """The share of names that this component has; those that no other has count twice."""
    try:
        keys = {found.key for found in islice(properties(text), MAX_ITEMS)}
    except IntakeError:
        return 0.0
    others = [_names(each) for each in _KINDS if each is not component]
    here = keys & _names(component)
    only = here.difference(*others)
    return 0.4 * (len(here) + len(only)) / max(1, len(keys))


@cache
def _names(component: Component) -> frozenset[str]:
    java, librdkafka = (newest(family) for family in (Family.JAVA, Family.LIBRDKAFKA))
    return known_keys(java, component) | known_keys(librdkafka, component)


READERS = tuple(
    Reader(
        f"{component}-properties", _FILES[component], partial(_likeness, component=component),
        partial(read, component=component),
    )
    for component in _KINDS
)  # fmt: skip
