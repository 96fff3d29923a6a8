"""The `.properties` file of a Kafka Streams application.

StreamsConfig hands on what begins with `producer.`, `consumer.` or `main.consumer.` (which goes
first) to the clients inside, and a name without prefix to each client that has it. What begins
with `topic.` is for the application's internal topics.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import islice

from advisor.catalog import (
    Component,
    Family,
    SettingError,
    kafka_versions,
    lookup,
    parse,
    settings_of,
    versions,
)
from advisor.catalog.versions import at_least
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import FILLED_IN
from advisor.intake.formats.java_properties import Property, properties
from advisor.intake.reading import MAX_ITEMS, Item, Product, Reader, Reading
from advisor.intake.text import IntakeError, shown
from advisor.reasoning.behaviour.session import ANSWER_MS

_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
_MAIN = "main.consumer."
_AUTO = f"{_MAIN}enable.auto.commit"
_FIRST = "goes before what Streams sets"
_ELSEWHERE = ("restore.consumer.", "global.consumer.", "admin.")
_ALWAYS_MADE = ("restore.consumer.", "admin.")
"""Clients inside that each application starts; the global one only with a global table."""
_PUSH = "enable.metrics.push"
TELEMETRY = tuple(f"{prefix}{_PUSH}" for prefix in ("consumer.", _MAIN, "admin."))
"""What StreamsConfig takes for a Boolean, and so for no text, since 4.0 (KIP-1076)."""
_PASSED_OVER = "is not taken into account"
_MIN_ISR = "topic.min.insync.replicas"
_ID = "application.id"
_ABSENT_MS, _KEPT_MS, _SMALLEST_BATCH = 3_600_000, 604_800_000, 128
"""An hour, beyond which nobody's absence is said to go; how long Kafka keeps what an application
reads, unless stated; and less than a batch with a message takes."""
_API, _REQUEST, _REQUEST_MS = "default.api.timeout.ms", "request.timeout.ms", 30_000


def read(text: str) -> Reading:
    """What StreamsConfig makes of the file. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.STREAMS})
    # What goes first comes last: the last of two counts.
    entries = sorted(properties(text), key=lambda item: item.key.startswith(_MAIN))
    for entry in entries:
        take(reading, entry)
    _admin(reading, entries)
    return reading


def _admin(reading: Reading, entries: Iterable[Property]) -> None:
    """Says what the AdminClient inside does not start with
    (KafkaAdminClient.configureDefaultApiTimeoutMs; StreamsConfig.getAdminConfigs)."""
    stated = {entry.key.removeprefix("admin."): entry for entry in entries}
    api, request = stated.get(_API), stated.get(_REQUEST)
    texts = (api.value if api else "", request.value if request else str(_REQUEST_MS))
    if api and all(text.strip().isdecimal() for text in texts) and int(texts[0]) < int(texts[1]):
        words = f"The specified value of {_API} must be no smaller than the value of {_REQUEST}"
        reading.wrong(Component.CONSUMER, _API, api.line, words)


def take(reading: Reading, entry: Property) -> None:
    """One property, for the application or for the clients inside that it is handed on to."""
    key = entry.key.removeprefix("main.")
    part, _, name = key.partition(".")
    value = entry.value.strip().lower()
    if entry.key.endswith(".consumer.isolation.level") and value == "read_uncommitted":
        does = "with exactly-once, that consumer reads what was aborted"
        words = f"{shown(entry.key)} {_FIRST}: {does}. Leave it out"
        reading.wrong(Component.STREAMS, shown(entry.key), entry.line, words)
    elif entry.key == _AUTO and value == "true":
        words = "does not count: Kafka Streams commits by itself"
        reading.items.append(Item(Component.STREAMS, _AUTO, value, entry.line, inert=words))
    elif entry.key in TELEMETRY or entry.key.startswith(_ALWAYS_MADE):
        item = Item(Component.STREAMS, entry.key, entry.value, entry.line, inert=_PASSED_OVER)
        reading.items.append(item)
    elif part in _CLIENTS:
        reading.state(Component(part), name, entry.value, entry.line)
        reading.single_client_settings.add((Component(part), name))
    elif part == "topic" and (words := _loses(name, value)):
        message = f"{shown(key)} counts for the topics that the "
        message += f"application makes for itself: {words}. That is not advised on; leave it out"
        reading.wrong(Component.STREAMS, key, entry.line, message)
    elif key.startswith(_ELSEWHERE) or (part == "topic" and key != _MIN_ISR):
        reading.note(entry.line, f"{shown(key)} {_PASSED_OVER}")
    elif having := clients_with(key):
        for component in having:
            if (
                (
                    component,
                    key,
                )
                in reading.single_client_settings
            ):  # wherever it stands (StreamsConfig, getClientProps)
                words = f"does not count for the {component} beside {component}.{key}"
                reading.note(entry.line, f"{shown(key)} {words}")
            else:
                reading.state(component, key, entry.value, entry.line)
    else:
        reading.state(Component.STREAMS, key, entry.value, entry.line)


def overruling(items: Iterable[Item], product: Product) -> Iterator[tuple[Item, str]]:
    """What an application does not start with of what it hands on to one client, and the words
    that refuse it; enable.auto.commit, where it would lose messages.

    StreamsConfig looks at `consumer.…` alone, and then puts what begins with `main.consumer.`,
    `restore.consumer.` or `global.consumer.` over it (getMainConsumerConfigs and its siblings; seen
    from 3.3 to 4.3, and enable.auto.commit up to 4.1: later ones pass over it).
    """
    for item in items:
        if item.name == _AUTO and not at_least(product.version, "4.2"):
            does = "before Kafka 4.2 that consumer commits what is not processed yet"
            yield item, f"{_AUTO} {_FIRST}: {does}. Leave it out"
        elif item.name in TELEMETRY and at_least(product.version, "4.0"):
            does = "since Kafka 4.0 Kafka Streams takes no text for it, and does not start"
            yield item, f"{item.name}: {does}. Leave it out, or state {_PUSH} alone"
        elif item.name.startswith((*_ALWAYS_MADE, *TELEMETRY)) and (no := _no_value(item, product)):
            yield item, f"{item.name}: {no}"


def _no_value(item: Item, product: Product) -> str:
    """Why the client inside does not start with a value. What an AdminClient and a consumer have in
    common has the same type and bounds in both (AdminClientConfig)."""
    prefixes = (*_ALWAYS_MADE, "consumer.", _MAIN)
    prefix = next(prefix for prefix in prefixes if item.name.startswith(prefix))
    of = (product.family, product.version, product.kafka, Component.CONSUMER)
    try:
        setting = lookup(*of, item.name.removeprefix(prefix), every=True)
    except SettingError:
        return ""
    try:
        value = parse(setting, item.text)
    except SettingError as error:
        return "" if FILLED_IN.search(item.text) else error.problem.message.removesuffix(".")
    if setting.name == _REQUEST and isinstance(value, int) and value <= ANSWER_MS:
        return "no request is answered within that time, so its own topics are not made or read"
    return ""


def _loses(name: str, text: str) -> str:
    """What an internal topic loses with a setting of its own; empty where that is nothing.

    What the file says of `topic.…` goes before what Streams says of each kind of topic
    (RepartitionTopicConfig and UnwindowedUnversionedChangelogTopicConfig, `properties`).
    """
    match name:
        case "retention.ms" | "retention.bytes" if not text.startswith("-"):
            return "what waits in one between two parts of the application is deleted unprocessed"
        case "cleanup.policy":
            return "a changelog has to be compacted, and what is repartitioned must not be"
        case "unclean.leader.election.enable" if text == "true":
            return "a replica without the last messages of one may lead"
        case "remote.storage.enable" if text == "true":
            return "brokers make no compacted topic with it, so no changelog"
        case "delete.retention.ms" if _below(text, _ABSENT_MS):
            return "an instance that was away keeps in its state what was deleted meanwhile"
        case "message.timestamp.before.max.ms" | "message.timestamp.difference.max.ms" if _below(
            text, _KEPT_MS
        ):
            return "brokers refuse in them what comes from messages that are older than that"
        case "max.message.bytes" if _below(text, _SMALLEST_BATCH):
            return "no batch of messages is so small"
    return ""


def _below(text: str, least: int) -> bool:
    return text.isdecimal() and int(text) < least


def clients_with(key: str) -> list[Component]:
    """The clients inside that a name without prefix is for."""
    if key in _weighed():
        return []
    return [client for client in _CLIENTS if key in known_keys(newest(Family.STREAMS), client)]


@cache
def _weighed() -> frozenset[str]:
    """The application's own settings that count, in any version; others go to the clients too."""
    settings = (
        settings_of(Family.STREAMS, line, kafka_versions()[0], Component.STREAMS)
        for line in versions(Family.STREAMS)
    )
    return frozenset(
        name for options in settings for one in options for name in (one.name, *one.aliases)
    )


def _likeness(text: str) -> float:
    """An application.id is beyond doubt; else the share of names that only Streams has."""
    try:
        keys = {entry.key for entry in islice(properties(text), MAX_ITEMS)}
    except IntakeError:
        return 0.0
    if _ID in keys:
        return 0.97
    others = (
        known_keys(newest(Family.JAVA), component) for component in (*_CLIENTS, Component.BROKER)
    )
    own = known_keys(newest(Family.STREAMS), Component.STREAMS).difference(*others)
    return 0.8 * len(keys & own) / max(1, len(keys))


READERS = (Reader("streams-properties", "streams.properties (Kafka Streams)", _likeness, read),)
