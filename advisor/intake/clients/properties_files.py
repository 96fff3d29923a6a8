"""A client's, a broker's or a topic's `.properties` file."""

from __future__ import annotations

import re
from functools import lru_cache, partial
from itertools import islice

from advisor.catalog import Component, Family
from advisor.catalog.nearest import nearest
from advisor.catalog.texts import trimmed
from advisor.intake.clients import other_products
from advisor.intake.clients.known_settings import (
    TYPO,
    clients_having,
    known_keys,
    likely_clients,
    names_of,
    newest,
)
from advisor.intake.clients.librdkafka_bindings import is_binding_setting
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
_MAX_KEYS = 20
_OLD_CONSUMER_NAMES = frozenset({"auto.commit.enable"})
"""Names of librdkafka that Kafka's old consumer, before 2.0, also had. They decide nothing."""
_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
_SHARED = (
    "the file has settings of a producer and of a consumer, and is read for both. If only one of "
    "them reads it, say its kind: producer-properties or consumer-properties"
)


def read(text: str, component: Component) -> Reading:
    """Reads the properties of one component. Raises `IntakeError`, also for a property of another
    product."""
    reading = Reading()
    for entry in properties(text):
        other_products.refuse(entry.key, entry.line, entry.value)
        reading.add_setting(component, entry.key, trimmed(entry.value), entry.line)
    return reading


def read_shared(text: str) -> Reading:
    """Reads the properties of a file that a producer and a consumer share, each for the clients
    that have it. Raises `IntakeError`."""
    reading, entries = Reading(), [*properties(text)]
    for entry in entries:
        other_products.refuse(entry.key, entry.line, entry.value)
        for component in clients_having(entry.key, _CLIENTS):
            reading.add_setting(component, entry.key, trimmed(entry.value), entry.line)
    if len(likely_clients(entry.key for entry in entries)) > 1:
        reading.note(entries[0].line, _SHARED)
    return reading


def _shared_likeness(text: str) -> float:
    """A likeness above that of either client if both have settings that count, or if all settings
    are common to both: addresses and credentials do not show which client reads the file."""
    keys = names_in(text)
    both = len(likely_clients(keys)) == len(_CLIENTS)
    if not (both or _are_common(keys)) or any(map(other_products.is_foreign, keys)):
        return 0.0
    return max(_share(keys, client) for client in _CLIENTS) + 0.01


def _are_common(keys: frozenset[str]) -> bool:
    """Whether both clients have all of these names."""
    return bool(keys) and keys <= names_of(Component.PRODUCER) & names_of(Component.CONSUMER)


def may_be_topic(text: str) -> bool:
    """Whether topics and brokers have all names of a file."""
    keys = names_in(text)
    return bool(keys) and keys <= names_of(Component.TOPIC) & names_of(Component.BROKER)


@lru_cache(maxsize=1)
def names_in(text: str) -> frozenset[str]:
    """The names in a text; empty if it cannot be read. Cached, because every kind of file needs
    them."""
    try:
        return frozenset(entry.key for entry in islice(properties(text), MAX_ITEMS))
    except IntakeError:
        return frozenset()


def _likeness(text: str, component: Component) -> float:
    """The share of names that this component has. Names that no other component has count twice."""
    keys = names_in(text)
    if any(map(other_products.is_foreign, keys)):
        # The reader names the product. A file of Spring or Quarkus may have such names, too.
        return 0.89 if component is Component.PRODUCER else 0.0
    return _share(keys, component)


def _share(keys: frozenset[str], component: Component) -> float:
    others = [names_of(kind) for kind in _KINDS if kind is not component]
    names = keys & names_of(component)
    unique = names.difference(*others)
    return 0.4 * (len(names) + len(unique)) / max(1, len(keys))


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
        _shared_likeness, read_shared,
    ),
)  # fmt: skip


_OF_REGISTRY = re.compile(r"schema\.registry\.|basic\.auth\.(?:credentials|user)\.")
"""What Confluent's own files for a cluster hold beside settings of librdkafka."""


def recognize_librdkafka(reading: Reading) -> None:
    """Sets librdkafka as the client of a file that has names of librdkafka and none of Java's.

    Its defaults count then, which promise less.
    """
    java, librdkafka = (
        frozenset().union(*(known_keys(newest(family), client) for client in _CLIENTS))
        for family in (Family.JAVA, Family.LIBRDKAFKA)
    )
    items = [item for item in reading.items if item.component in _CLIENTS]
    of_registry = [item for item in items if _OF_REGISTRY.match(item.name)]
    items = [item for item in items if item not in of_registry]
    librdkafka_items = [
        item for item in items if item.name in librdkafka - java or is_binding_setting(item.name)
    ]
    librdkafka_items = [item for item in librdkafka_items if item.name not in _OLD_CONSUMER_NAMES]
    if librdkafka_items and not any(item.name in java - librdkafka for item in items):
        reading.heads["family"] = Family.LIBRDKAFKA
        first = librdkafka_items[0]
        words = f"{first.name} is a name of librdkafka alone, so the file is read for librdkafka; "
        reading.note(first.line, f"{words}with --client java it is not")
        reading.items = [item for item in reading.items if item not in of_registry]
        for item in of_registry:
            words = f"{item.name} is for the Schema Registry's client: librdkafka refuses it, and "
            reading.note(item.line, f"{words}your code has to take it out")


def reader_by_typos(text: str) -> Reader | None:
    """The most likely reader by names that are typos of real ones; None if fewer than half are
    typos.

    For a text without any real name. Only the first names are tried, because each takes some
    milliseconds.
    """
    try:
        keys = {entry.key for entry in islice(properties(text), _MAX_KEYS)}
    except IntakeError:
        return None
    known_names = frozenset[str]().union(*map(names_of, _KINDS))
    intended = frozenset(near for key in keys if (near := nearest(key, known_names, TYPO)))
    if not intended or 2 * len(intended) < len(keys):
        return None
    shares = [_share(intended, component) for component in _KINDS]
    return READERS[shares.index(max(shares))]
