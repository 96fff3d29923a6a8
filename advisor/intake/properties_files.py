"""A client's, a broker's or a topic's `.properties` file."""

from __future__ import annotations

from functools import cache, partial
from itertools import islice

from advisor.catalog import Component, Family
from advisor.catalog.nearest import nearest
from advisor.intake import foreign
from advisor.intake.bindings import is_of_binding
from advisor.intake.java_properties import properties
from advisor.intake.known import SLIP, known_keys, newest
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
_TRIED = 20


def read(text: str, component: Component) -> Reading:
    """The properties of one component. Raises `IntakeError`, also for one of another product."""
    reading = Reading()
    for entry in properties(text):
        foreign.refuse(entry.key, entry.line, entry.value)
        reading.state(component, entry.key, entry.value, entry.line)
    return reading


def _likeness(text: str, component: Component) -> float:
    """The share of names that this component has; those that no other has count twice."""
    try:
        keys = {entry.key for entry in islice(properties(text), MAX_ITEMS)}
    except IntakeError:
        return 0.0
    if any(map(foreign.is_foreign, keys)):
        # Reading it says whose it is. A file of Spring or Quarkus may speak of such a product, too.
        return 0.89 if component is Component.PRODUCER else 0.0
    return _share(keys, component)


def _share(keys: set[str], component: Component) -> float:
    others = [_names(kind) for kind in _KINDS if kind is not component]
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


def claim_for_librdkafka(reading: Reading) -> None:
    """Names librdkafka as the client of a file that has names of its own and none of Java's.

    What counts where nothing is stated is librdkafka's, then, which promises less.
    """
    clients = (Component.PRODUCER, Component.CONSUMER)
    java, librdkafka = (
        frozenset().union(*(known_keys(newest(family), client) for client in clients))
        for family in (Family.JAVA, Family.LIBRDKAFKA)
    )
    items = [item for item in reading.items if item.component in clients]
    own = [item for item in items if item.name in librdkafka - java or is_of_binding(item.name)]
    if own and not any(item.name in java - librdkafka for item in items):
        reading.heads["family"] = Family.LIBRDKAFKA
        words = f"{own[0].name} is a name of librdkafka alone, so the file is read as its own; "
        reading.note(own[0].line, f"{words}with --client java it is not")


def by_slips(text: str) -> Reader | None:
    """The file that names near real ones make most likely; None if fewer than half are near.

    For a text with no real name at all. Only the first few names are tried: each takes some
    milliseconds.
    """
    try:
        keys = {entry.key for entry in islice(properties(text), _TRIED)}
    except IntakeError:
        return None
    every = frozenset[str]().union(*map(_names, _KINDS))
    meant = {near for key in keys if (near := nearest(key, every, SLIP))}
    if not meant or 2 * len(meant) < len(keys):
        return None
    shares = [_share(meant, component) for component in _KINDS]
    return READERS[shares.index(max(shares))]
