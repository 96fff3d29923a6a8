"""A client's, a broker's or a topic's `.properties` file."""

from __future__ import annotations

import re
from functools import cache, lru_cache, partial
from itertools import islice

from advisor.catalog import Component, Family
from advisor.catalog.nearest import nearest
from advisor.catalog.texts import trimmed
from advisor.intake.clients import other_products
from advisor.intake.clients.known_settings import SLIP, having, known_keys, likely_clients, newest
from advisor.intake.clients.librdkafka_bindings import is_of_binding
from advisor.intake.formats.java_properties import properties
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
_OLD = frozenset({"auto.commit.enable"})
"""Names of librdkafka that Kafka's old consumer had, too, before 2.0: they tell nothing."""
_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
_SHARED = (
    "the file has settings of a producer and of a consumer, and is read for both. If one of them "
    "alone reads it, say its kind: producer-properties or consumer-properties"
)


def read(text: str, component: Component) -> Reading:
    """The properties of one component. Raises `IntakeError`, also for one of another product."""
    reading = Reading()
    for entry in properties(text):
        other_products.refuse(entry.key, entry.line, entry.value)
        reading.state(component, entry.key, trimmed(entry.value), entry.line)
    return reading


def read_shared(text: str) -> Reading:
    """The properties that a producer and a consumer share, each for the client that has it. Raises
    `IntakeError`."""
    reading, entries = Reading(), [*properties(text)]
    for entry in entries:
        other_products.refuse(entry.key, entry.line, entry.value)
        for component in having(entry.key, _CLIENTS):
            reading.state(component, entry.key, trimmed(entry.value), entry.line)
    if len(likely_clients(entry.key for entry in entries)) > 1:
        reading.note(entries[0].line, _SHARED)
    return reading


def _likeness_of_shared(text: str) -> float:
    """More than that of either client, where both have settings that count, or where none is one
    client's alone: addresses and credentials say nothing of who reads the file."""
    keys = _keys(text)
    both = len(likely_clients(keys)) == len(_CLIENTS)
    if not (both or _are_common(keys)) or any(map(other_products.is_foreign, keys)):
        return 0.0
    return max(_share(keys, client) for client in _CLIENTS) + 0.01


def _are_common(keys: frozenset[str]) -> bool:
    """Whether each of these names is one of both clients."""
    return bool(keys) and keys <= _names(Component.PRODUCER) & _names(Component.CONSUMER)


def may_be_of_topic(text: str) -> bool:
    """Whether each name here is a topic's, and a broker's for all its topics."""
    keys = _keys(text)
    return bool(keys) and keys <= _names(Component.TOPIC) & _names(Component.BROKER)


@lru_cache(maxsize=1)
def _keys(text: str) -> frozenset[str]:
    """The names in a text, which each kind of file asks for in turn; none if it cannot be read."""
    try:
        return frozenset(entry.key for entry in islice(properties(text), MAX_ITEMS))
    except IntakeError:
        return frozenset()


def _likeness(text: str, component: Component) -> float:
    """The share of names that this component has; those that no other has count twice."""
    keys = _keys(text)
    if any(map(other_products.is_foreign, keys)):
        # Reading it says whose it is. A file of Spring or Quarkus may speak of such a product, too.
        return 0.89 if component is Component.PRODUCER else 0.0
    return _share(keys, component)


def _share(keys: frozenset[str], component: Component) -> float:
    others = [_names(kind) for kind in _KINDS if kind is not component]
    here = keys & _names(component)
    only = here.difference(*others)
    return 0.4 * (len(here) + len(only)) / max(1, len(keys))


@cache
def _names(component: Component) -> frozenset[str]:
    java, librdkafka = (newest(family) for family in (Family.JAVA, Family.LIBRDKAFKA))
    return known_keys(java, component) | known_keys(librdkafka, component)


READERS = (
    *(
        Reader(
            f"{component}-properties", _FILES[component], partial(_likeness, component=component),
            partial(read, component=component),
        )
        for component in _KINDS
    ),
    Reader(
        "clients-properties", "client.properties (a producer's and a consumer's)",
        _likeness_of_shared, read_shared,
    ),
)  # fmt: skip


_OF_REGISTRY = re.compile(r"schema\.registry\.|basic\.auth\.(?:credentials|user)\.")
"""What Confluent's own files for a cluster hold beside settings of librdkafka."""


def claim_for_librdkafka(reading: Reading) -> None:
    """Names librdkafka as the client of a file that has names of its own and none of Java's.

    What counts where nothing is stated is librdkafka's, then, which promises less.
    """
    java, librdkafka = (
        frozenset().union(*(known_keys(newest(family), client) for client in _CLIENTS))
        for family in (Family.JAVA, Family.LIBRDKAFKA)
    )
    items = [item for item in reading.items if item.component in _CLIENTS]
    of_registry = [item for item in items if _OF_REGISTRY.match(item.name)]
    items = [item for item in items if item not in of_registry]
    own = [item for item in items if item.name in librdkafka - java or is_of_binding(item.name)]
    own = [item for item in own if item.name not in _OLD]
    if own and not any(item.name in java - librdkafka for item in items):
        reading.heads["family"] = Family.LIBRDKAFKA
        words = f"{own[0].name} is a name of librdkafka alone, so the file is read as its own; "
        reading.note(own[0].line, f"{words}with --client java it is not")
        reading.items = [item for item in reading.items if item not in of_registry]
        for item in of_registry:
            words = f"{item.name} is for the Schema Registry's client: librdkafka refuses it, and "
            reading.note(item.line, f"{words}your code has to take it out")


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
    meant = frozenset(near for key in keys if (near := nearest(key, every, SLIP)))
    if not meant or 2 * len(meant) < len(keys):
        return None
    shares = [_share(meant, component) for component in _KINDS]
    return READERS[shares.index(max(shares))]
