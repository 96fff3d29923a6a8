"""The `.properties` file of a Kafka Streams application.

StreamsConfig passes settings with the prefix `producer.`, `consumer.` or `main.consumer.` (which
overrides `consumer.`) to its clients, and a name without a prefix to every client that has it. The
prefix `topic.` is for the application's internal topics.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache

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
from advisor.catalog.streams_overrides import GUARANTEE
from advisor.catalog.versions import at_least
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import FILLED_IN
from advisor.intake.clients.properties_files import names_in
from advisor.intake.formats.java_properties import Property, properties
from advisor.intake.reading import Item, Product, Reader, Reading
from advisor.intake.text import shown
from advisor.reasoning.behaviour.session import MIN_RESPONSE_MS

_CLIENTS = (Component.PRODUCER, Component.CONSUMER)
_MAIN = "main.consumer."
_AUTO = f"{_MAIN}enable.auto.commit"
_TRANSACTIONAL_IDS = ("transactional.id", "producer.transactional.id")
_NAMED_BY_STREAMS = "does not count: with exactly-once Kafka Streams names its transactions itself"
_SERVER = "application.server"
_ADDRESS = re.compile(r"(?:[0-9a-zA-Z\-%._]*://)?\[?[0-9a-zA-Z\-%._:]*]?:[0-9]+", re.ASCII)
"""An address as Kafka reads it (Utils.HOST_PORT_PATTERN; KafkaStreams.parseHostInfo)."""
_OVERRIDES = "overrides what Streams sets"
_ELSEWHERE = ("restore.consumer.", "global.consumer.", "admin.")
_ALWAYS_STARTED = ("restore.consumer.", "admin.")
"""Clients that every application starts. It starts the global consumer only for a global table."""
_PUSH = "enable.metrics.push"
TELEMETRY = tuple(f"{prefix}{_PUSH}" for prefix in ("consumer.", _MAIN, "admin."))
"""Settings that StreamsConfig casts to a Boolean since 4.0, so that a text fails (KIP-1076)."""
_IGNORED = "is not taken into account"
_ISOLATION, _UNCOMMITTED = ".consumer.isolation.level", "read_uncommitted"
_DEFAULT_ISOLATION = "is the default of Kafka Streams without exactly-once"
_MIN_ISR = "topic.min.insync.replicas"
_ID = "application.id"
_ABSENT_MS, _RETENTION_MS, _SMALLEST_BATCH = 3_600_000, 604_800_000, 128
"""The longest assumed absence of an instance, one hour; Kafka's default retention; and a size, in
bytes, below that of any batch with a message."""
_COMMIT, _TIMEOUT, _TIMEOUT_MS = "commit.interval.ms", "transaction.timeout.ms", 10_000
"""The settings that exactly-once compares, and the default of the second one in Kafka Streams."""
_API, _REQUEST, _REQUEST_MS = "default.api.timeout.ms", "request.timeout.ms", 30_000


def read(text: str) -> Reading:
    """Reads the file as StreamsConfig does. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.STREAMS})
    # Settings that override others come last: the last of two counts.
    entries = sorted(properties(text), key=lambda item: item.key.startswith(_MAIN))
    for entry in entries:
        take(reading, entry)
    _refuse_admin_timeouts(reading, entries)
    return reading


def _refuse_admin_timeouts(reading: Reading, entries: Iterable[Property]) -> None:
    """Refuses timeouts that the application's AdminClient does not start with
    (KafkaAdminClient.configureDefaultApiTimeoutMs; StreamsConfig.getAdminConfigs)."""
    stated = {entry.key.removeprefix("admin."): entry for entry in entries}
    api, request = stated.get(_API), stated.get(_REQUEST)
    texts = (api.value if api else "", request.value if request else str(_REQUEST_MS))
    if api and all(text.strip().isdecimal() for text in texts) and int(texts[0]) < int(texts[1]):
        words = f"The specified value of {_API} must be no smaller than the value of {_REQUEST}"
        reading.add_problem(Component.CONSUMER, _API, api.line, words)


def take(reading: Reading, entry: Property) -> None:
    """Takes one property, for the application or for the clients that it is passed to."""
    key = entry.key.removeprefix("main.")
    part, _, name = key.partition(".")
    value = entry.value.strip().lower()
    isolation = Item(Component.STREAMS, entry.key, value, entry.line, inert=_DEFAULT_ISOLATION)
    if is_isolation(isolation):
        reading.items.append(isolation)
    if words := _overruled(entry.key, value):
        reading.items.append(Item(Component.STREAMS, entry.key, value, entry.line, inert=words))
    elif entry.key in TELEMETRY or entry.key.startswith(_ALWAYS_STARTED):
        if is_isolation(isolation):
            return
        item = Item(Component.STREAMS, entry.key, entry.value, entry.line, inert=_IGNORED)
        reading.items.append(item)
    elif part in _CLIENTS:
        reading.add_setting(Component(part), name, entry.value, entry.line)
        reading.single_client_settings.add((Component(part), name))
    elif part == "topic" and (words := _loss(name, value)):
        message = f"{shown(key)} counts for the application's "
        message += f"internal topics: {words}. That is not covered; leave it out"
        reading.add_problem(Component.STREAMS, key, entry.line, message)
    elif key.startswith(_ELSEWHERE) or (part == "topic" and key != _MIN_ISR):
        reading.note(entry.line, f"{shown(key)} {_IGNORED}")
    elif clients := clients_with(key):
        for component in clients:
            if (
                component,
                key,
            ) in reading.single_client_settings:  # in any order (StreamsConfig, getClientProps)
                words = f"does not count for the {component}, which has {component}.{key}"
                reading.note(entry.line, f"{shown(key)} {words}")
            else:
                reading.add_setting(component, key, entry.value, entry.line)
    else:
        reading.add_setting(Component.STREAMS, key, entry.value, entry.line)


def _overruled(key: str, text: str) -> str:
    """Why a setting does not count, because Kafka Streams sets it itself; empty for others."""
    if key == _AUTO and text == "true":
        return "does not count: Kafka Streams commits by itself"
    return _NAMED_BY_STREAMS if key in _TRANSACTIONAL_IDS else ""


def refused_settings(
    reading: Reading, context: Iterable[Item], product: Product
) -> Iterator[tuple[Item, str]]:
    """Yields settings of an application, each with the reason why it does not start, does not send
    or loses messages. `context` are settings of other files."""
    others = [*context]
    yield from _refused_overrides(reading.items, product, others)
    yield from _refused_isolation([*others, *reading.items])
    yield from _refused_timeout(reading, others, product)


def _refused_overrides(
    items: Iterable[Item], product: Product, context: Iterable[Item]
) -> Iterator[tuple[Item, str]]:
    """Yields settings of single clients with which an application does not start or send, each with
    a message; and enable.auto.commit if it would lose messages.

    StreamsConfig checks only `consumer.…`, and then overrides it with `main.consumer.…`,
    `restore.consumer.…` or `global.consumer.…` (getMainConsumerConfigs and its siblings; seen from
    3.3 to 4.3, and enable.auto.commit up to 4.1: later versions ignore it).
    """
    items = [*items]
    is_once = _is_exactly_once([*context, *items])
    for item in items:
        is_own = item.component is Component.STREAMS
        if is_own and item.name in _TRANSACTIONAL_IDS and not is_once:
            effect = "without exactly-once Kafka Streams begins no transaction, and each send of a "
            yield item, f"{item.name}: {effect}transactional producer fails. Leave it out"
        elif is_own and item.name == _SERVER and _is_no_address(item.text):
            yield item, f"Error parsing host address in {_SERVER}. Expected format host:port"
        elif item.name == _AUTO and not at_least(product.version, "4.2"):
            effect = "before Kafka 4.2 that consumer commits records that are not processed yet"
            yield item, f"{_AUTO} {_OVERRIDES}: {effect}. Leave it out"
        elif item.name in TELEMETRY and at_least(product.version, "4.0"):
            effect = "since Kafka 4.0 Kafka Streams takes no text for it, and does not start"
            yield item, f"{item.name}: {effect}. Leave it out, or state {_PUSH} alone"
        elif item.name.startswith((*_ALWAYS_STARTED, *TELEMETRY)) and (
            error := _startup_error(item, product)
        ):
            yield item, f"{item.name}: {error}"


def is_isolation(item: Item) -> bool:
    """Whether a setting lets a single consumer of an application read aborted records."""
    return item.name.endswith(_ISOLATION) and item.text == _UNCOMMITTED


def _refused_isolation(items: Iterable[Item]) -> Iterator[tuple[Item, str]]:
    """Yields settings of single consumers that read aborted records although exactly-once is
    stated, each with a message. Kafka Streams then sets read_committed only for `consumer.…`; else
    the default of every consumer is read_uncommitted (StreamsConfig, `CONSUMER_EOS_OVERRIDES` and
    getRestoreConsumerConfigs; the same from 2.8 to 4.3).
    """
    stated = [*items]
    for item in stated if _is_exactly_once(stated) else ():
        if is_isolation(item):
            effect = "with exactly-once, that consumer reads aborted records"
            yield item, f"{shown(item.name)} {_OVERRIDES}: {effect}. Leave it out"


def _refused_timeout(
    reading: Reading, context: Iterable[Item], product: Product
) -> Iterator[tuple[Item, str]]:
    """Yields a transaction timeout without a prefix that is as long as the commit interval: an
    application with exactly-once does not start, because it compares only the timeout with the
    prefix, which is the default then (StreamsConfig, verifyEOSTransactionTimeoutCompatibility).
    """
    items = [*context, *reading.items]
    is_application = any(item.component is Component.STREAMS for item in reading.items)
    if not (is_application and _is_exactly_once(items) and at_least(product.version, "3.0")):
        return
    commits = [item.text.strip() for item in items if item.name == _COMMIT]
    commit_ms = int(commits[-1]) if commits and commits[-1].isdecimal() else 0
    for item in reading.items:
        key, timeout = (item.component, item.name), item.text.strip()
        if key != (Component.PRODUCER, _TIMEOUT) or key in reading.single_client_settings:
            continue
        if commit_ms > _TIMEOUT_MS and timeout.isdecimal() and int(timeout) >= commit_ms:
            words = f"Transaction timeout {_TIMEOUT_MS} was set lower than streams commit interval "
            words += f"{commit_ms}: Kafka Streams compares only producer.{_TIMEOUT} with it, and "
            yield item, f"{words}does not start. State {_TIMEOUT} with that prefix"


def _is_no_address(text: str) -> bool:
    """Whether an application does not start because its address has no port."""
    address = text.strip()
    return bool(address) and not FILLED_IN.search(address) and not _ADDRESS.fullmatch(address)


def _is_exactly_once(items: Iterable[Item]) -> bool:
    """Whether the application states exactly-once."""
    return any(
        item.component is Component.STREAMS and item.name == GUARANTEE
        and item.text.strip().startswith("exactly_once")
        for item in items
    )  # fmt: skip


def _startup_error(item: Item, product: Product) -> str:
    """The reason why a client of the application does not start with a value; else empty. Settings
    of both AdminClient and consumer have the same type and bounds (AdminClientConfig)."""
    prefixes = (*_ALWAYS_STARTED, "consumer.", _MAIN)
    prefix = next(prefix for prefix in prefixes if item.name.startswith(prefix))
    version = (product.family, product.version, product.kafka, Component.CONSUMER)
    try:
        setting = lookup(*version, item.name.removeprefix(prefix), every=True)
    except SettingError:
        return ""
    try:
        value = parse(setting, item.text)
    except SettingError as error:
        return "" if FILLED_IN.search(item.text) else error.problem.message.removesuffix(".")
    if setting.name == _REQUEST and isinstance(value, int) and value <= MIN_RESPONSE_MS:
        return "no request is answered in that time, so internal topics are not created or read"
    return ""


def _loss(name: str, text: str) -> str:
    """The reason why internal topics lose records with a `topic.…` setting; empty if they do not.

    `topic.…` in the file overrides the settings of Streams for each kind of topic
    (RepartitionTopicConfig and UnwindowedUnversionedChangelogTopicConfig, `properties`).
    """
    match name:
        case "retention.ms" | "retention.bytes" if not text.startswith("-"):
            return "records between two parts of the application are deleted unprocessed"
        case "cleanup.policy":
            return "a changelog topic must be compacted, and a repartition topic must not"
        case "unclean.leader.election.enable" if text == "true":
            return "a replica without the last messages may become leader"
        case "remote.storage.enable" if text == "true":
            return "brokers create no compacted topic with it, so no changelog"
        case "delete.retention.ms" if _below(text, _ABSENT_MS):
            return "an instance that was away keeps keys in its state that were deleted meanwhile"
        case "message.timestamp.before.max.ms" | "message.timestamp.difference.max.ms" if _below(
            text, _RETENTION_MS
        ):
            return "brokers refuse records that derive from messages older than that"
        case "max.message.bytes" if _below(text, _SMALLEST_BATCH):
            return "no batch of messages is so small"
    return ""


def _below(text: str, least: int) -> bool:
    return text.isdecimal() and int(text) < least


def clients_with(key: str) -> list[Component]:
    """The clients that a name without a prefix is passed to."""
    if key in _modelled():
        return []
    return [client for client in _CLIENTS if key in known_keys(newest(Family.STREAMS), client)]


@cache
def _modelled() -> frozenset[str]:
    """The application's settings that count, in any version. Others are also passed to the
    clients."""
    settings = (
        settings_of(Family.STREAMS, line, kafka_versions()[0], Component.STREAMS)
        for line in versions(Family.STREAMS)
    )
    return frozenset(
        name for options in settings for one in options for name in (one.name, *one.aliases)
    )


def _likeness(text: str) -> float:
    """High for an `application.id`; else by the share of names that only Streams has."""
    keys = names_in(text)
    if _ID in keys:
        return 0.97
    others = (
        known_keys(newest(Family.JAVA), component) for component in (*_CLIENTS, Component.BROKER)
    )
    streams_names = known_keys(newest(Family.STREAMS), Component.STREAMS).difference(*others)
    return 0.8 * len(keys & streams_names) / max(1, len(keys))


READERS = (Reader("streams-properties", "streams.properties (Kafka Streams)", _likeness, read),)
