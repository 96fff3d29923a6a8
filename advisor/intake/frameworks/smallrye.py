"""`mp.messaging.…`: channels of SmallRye Reactive Messaging, which Quarkus brings.

Sources: smallrye-reactive-messaging, KafkaConnector (its attributes and their defaults),
ReactiveKafkaProducer and ReactiveKafkaConsumer (what is passed to the clients),
ConfigurationCleaner (what is not); Quarkus, Apache Kafka Reference Guide (`kafka.…` for all
channels, profiles).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from advisor.catalog import Component, Family, Problem
from advisor.intake.application_file import ApplicationFile
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import SPRING, by_default, fill
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.custom_names import refuse_custom_names
from advisor.intake.frameworks.instances import note_transactional_id
from advisor.intake.frameworks.profiles import (
    Source,
    effective_leaves,
    sources_from_files,
    with_profiles,
)
from advisor.intake.reading import Item, Reader, Reading
from advisor.intake.text import shown

_PRODUCER, _CONSUMER, _CODE = Component.PRODUCER, Component.CONSUMER, Component.APPLICATION
_CHANNEL = re.compile(
    r"mp\.messaging\.(?P<direction>incoming|outgoing)\.(?P<channel>\"[^\"]+\"|[^.]+)\.(?P<key>.+)"
)
_CONNECTOR = re.compile(r"mp\.messaging\.connector\.\"?(?P<name>[^.\"]+)\"?\.(?P<key>.+)")
_LINE = re.compile(r"^[ \t]*\"?(?:%[\w{},]+\"?\.)?mp\.messaging[.:]", re.MULTILINE)
_BLOCK = re.compile(
    r"^[ \t]*\"?(?:%[\w{},]+\"?\.)?mp\"?:[ \t]*\n(?:[ \t]*#.*\n|[ \t]*\n)*[ \t]+messaging[.:]",
    re.MULTILINE,
)
_KAFKA_CONNECTOR = "smallrye-kafka"
"""The connector that is read."""

_RETRIES, _DEFAULT_RETRIES = re.compile("[1-9][0-9]{0,9}"), "2147483647"
"""Retries of a channel: a number, and the default."""
_ID = "transactional.id"
_WITHOUT_DOT = ("acks", "retries")
"""Settings of a client without a dot in the name, which look like attributes of the connector."""
_DOTTED_ATTRIBUTES = ("dead-letter", "delayed-retry", "checkpoint", "throttled")
"""Prefixes of the connector's attributes that have a dot."""

_SEEK = "assign-seek"
_SEEK_REASON = (
    "assigns partitions by hand and may start at another position than the group's. That is not "
    "covered; leave the line out for a consumer of a group"
)
_BEAN_REASONS: Mapping[str, str] = {
    f"{part}-deserialization-failure-handler": "is a bean of your code, and only that shows what "
    "happens to bytes that cannot be read. Leave the line out to see what the failure strategy does"
    for part in ("key", "value")
}
_CONNECTOR_ATTRIBUTES = frozenset(
    {"kafka-configuration", "failure-strategy", "waitForWriteCompletion", _SEEK, *_BEAN_REASONS}
)
"""Attributes that also apply when they are set for the connector."""

_DELAYED = "delayed-retry-topic"
_FAILURE_STRATEGIES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "fail": (),
    "ignore": (("processing.errors", "skip"),),
    "dead-letter-queue": (("processing.errors", "skip"), ("dead.letter", "acknowledged")),
    _DELAYED: (("processing.errors", "skip"), ("retry.topics", "true")),
}
_STREAMS_NAME = re.compile(r"(?:quarkus\.)?kafka-streams\.")
_COMMIT_STRATEGIES: Mapping[str, str] = {"throttled": "in-order", "latest": "as-done"}
"""The offsets that a strategy commits: of processed messages in order, or as they complete."""


def read_files(files: Iterable[ApplicationFile]) -> Reading:
    """Returns the settings that the connector passes to its clients, and when it commits. Raises
    `IntakeError`."""
    return with_profiles([*sources_from_files(files)], _read)


def _read(
    sources: Sequence[Source], profiles: Sequence[str], without: Collection[str] = ()
) -> Reading:
    """Reads what applies in these profiles, without channels of these names."""
    reading = Reading(heads={"family": Family.JAVA}, read_without=partial(_read, sources, profiles))
    leaves = dict[tuple[str, str], Leaf]()
    effective = effective_leaves(reading, sources, profiles)
    refuse_custom_names(reading, effective, [leaf for source in sources for leaf in source.leaves])
    split = _split_by_precedence(effective)
    split = [leaf for leaf in split if not (leaf.path[0] and leaf.path[1] in without)]
    _refuse_streams(reading, split)
    for leaf in split:
        leaves[_channel_and_key(leaf)] = leaf
    foreign = _foreign_channels(reading, leaves)
    directions = {scope for scope, _ in leaves if scope in ("incoming", "outgoing")}
    overridden = {
        direction: _overridden_attributes(leaves, direction)
        for direction in ("incoming", "outgoing")
    }
    for (scope, _), leaf in leaves.items():
        if leaf.path[:2] in foreign:
            continue
        for direction, component in (("incoming", _CONSUMER), ("outgoing", _PRODUCER)):
            for_all = scope == "" and direction in directions
            known = known_keys(newest(Family.JAVA), component) | _CONNECTOR_ATTRIBUTES
            applies = scope == direction or (for_all and leaf.path[2] in known)
            if applies and not (for_all and leaf.path[2] in overridden[direction]):
                _fill(reading, component, leaf)
    for scope, channel, _ in (
        leaf.path for leaf in leaves.values() if leaf.path[:2] not in foreign
    ):
        kinds = {"incoming": (_CONSUMER, _CODE), "outgoing": (_PRODUCER,)}.get(scope, ())
        reading.clients |= {(kind, channel) for kind in kinds}
    _state_defaults(reading, leaves, foreign)
    if foreign and not reading.items:
        line = next(leaf.line for leaf in leaves.values() if leaf.path[:2] in foreign)
        words = f"no channel here is of {_KAFKA_CONNECTOR} and enabled, and no other connector is "
        words += "known"
        reading.add_problem(_CODE, "connector", line, f"{words}: nothing is read")
    return reading


def _overridden_attributes(leaves: Mapping[tuple[str, str], Leaf], direction: str) -> set[str]:
    """Returns the attributes that every channel of a direction sets itself."""
    attributes = defaultdict[str, set[str]](set)
    for (leaf_direction, _), leaf in leaves.items():
        if leaf_direction == direction:
            attributes[leaf.path[1]].add(leaf.path[2])
    return set(_CONNECTOR_ATTRIBUTES.intersection(*attributes.values())) if attributes else set()


def _split_by_precedence(every: Iterable[Leaf]) -> list[Leaf]:
    """Returns the leaves by precedence, the highest last: first those for all Kafka clients, then
    those for the connector (KafkaConnector, which merges `default-kafka-broker` under a channel's
    configuration)."""
    ordered = sorted(every, key=lambda leaf: not leaf.path[0].startswith("kafka."))
    return sorted(map(_split, ordered), key=lambda leaf: leaf.path[0] != "")


def _split(leaf: Leaf) -> Leaf:
    """Returns the leaf with its direction (`incoming`, `outgoing`, or empty for all), channel and
    key as its path."""
    name = leaf.path[0]
    if match := _CHANNEL.fullmatch(name):
        return replace(leaf, path=(match["direction"], match["channel"].strip('"'), match["key"]))
    if match := _CONNECTOR.fullmatch(name):
        return replace(leaf, path=("", match["name"], match["key"]))
    if name.startswith("kafka."):
        return replace(leaf, path=("", _KAFKA_CONNECTOR, name.removeprefix("kafka.")))
    return replace(leaf, path=("-", "", name))


def _refuse_streams(reading: Reading, every: Iterable[Leaf]) -> None:
    """Refuses Kafka Streams, which is another client, unless the user chooses a channel."""
    of_streams = (leaf for leaf in every if _STREAMS_NAME.match(leaf.path[2]))
    if leaf := next(of_streams, None):
        words = f"Line {leaf.line}: Kafka Streams is set up here, too, and a pipeline has one "
        words += "client. On the command line, choose a channel (--only NAME), or Kafka Streams "
        words += "(--kind quarkus-streams)."
        reading.part_names |= {other.path[1] for other in every if other.path[0]}
        reading.problems_unless_chosen.append(Problem(_CODE, "Kafka Streams", words))


def _channel_and_key(leaf: Leaf) -> tuple[str, str]:
    direction, channel, key = leaf.path
    return direction, f"{channel}.{key}"


def _foreign_channels(
    reading: Reading, leaves: Mapping[tuple[str, str], Leaf]
) -> set[tuple[str, ...]]:
    """Returns the channels of other connectors, which have other rules, and those that are
    disabled."""
    channels = set[tuple[str, ...]]()
    for leaf in leaves.values():
        direction, channel, key = leaf.path
        connector = (
            by_default(leaf.text) if direction != "" and key == "connector" else _KAFKA_CONNECTOR
        )
        if "${" in connector:
            words = "connector is filled in when the application starts. Write the one that counts"
            reading.add_problem(_CODE, "connector", leaf.line, words)
        elif connector != _KAFKA_CONNECTOR or (direction == "" and channel != _KAFKA_CONNECTOR):
            name = connector if connector != _KAFKA_CONNECTOR else channel
            words = f"connector {shown(name)} sets up its clients by rules of its own: not read"
            reading.note(leaf.line, words)
            channels.add((direction, channel))
        elif direction and key == "enabled" and by_default(leaf.text).strip().lower() == "false":
            reading.note(leaf.line, "enabled=false: this channel is not used, and not read")
            channels.add((direction, channel))
    return channels


def _fill(reading: Reading, component: Component, leaf: Leaf) -> None:
    key = leaf.path[2]
    if component is _PRODUCER and key == _ID:
        note_transactional_id(reading, _ID, leaf.text, leaf.line)
    named = (key, leaf.text, leaf.line)
    before = len(reading.items)
    fill(reading, SPRING, named, partial(_take, reading, component, key, leaf.line))
    if leaf.path[0]:
        kinds = (_CONSUMER, _CODE) if component is _CONSUMER else (_PRODUCER,)
        reading.items[before:] = [
            replace(item, process=leaf.path[1]) if item.component in kinds else item
            for item in reading.items[before:]
        ]


def _take(reading: Reading, component: Component, key: str, line: int, text: str) -> None:
    """Takes a setting of the client, or an attribute of the connector that decides."""
    if key == "kafka-configuration":
        words = "is a bean of your code, which may set more. Write its settings here, and leave "
        reading.add_problem(component, key, line, f"kafka-configuration {words}the line out")
    elif component is _CONSUMER and (key in _BEAN_REASONS or key == _SEEK):
        reading.add_problem(component, key, line, f"{key} {_BEAN_REASONS.get(key, _SEEK_REASON)}")
    elif component is _CONSUMER and key == "failure-strategy":
        if text not in _FAILURE_STRATEGIES:
            known = ", ".join(_FAILURE_STRATEGIES)
            words = (
                f"failure-strategy={shown(text)} is a bean of your code, and only that shows what "
            )
            words += f"happens to a message. The connector has {known}"
            reading.add_problem(_CODE, "processing.errors", line, words)
        for name, value in _FAILURE_STRATEGIES.get(text, ()):
            reading.add_setting(_CODE, name, value, line)
    elif component is _PRODUCER and key == "waitForWriteCompletion" and not _is_true(text):
        reading.add_setting(_CODE, "delivery.errors", "ignored", line)
        reading.note(line, "waitForWriteCompletion=false: a message counts as sent before it is")
    elif key in _WITHOUT_DOT or ("." in key and not key.startswith(_DOTTED_ATTRIBUTES)):
        reading.add_setting(component, key, text, line)


def _state_defaults(
    reading: Reading, leaves: Mapping[tuple[str, str], Leaf], foreign: set[tuple[str, ...]]
) -> None:
    """Adds the defaults of the connector for each direction that is used."""
    kafka_leaves = [
        replace(leaf, text=by_default(leaf.text))
        for leaf in leaves.values() if leaf.path[:2] not in foreign
    ]  # fmt: skip
    outgoing_lines = [leaf.line for leaf in kafka_leaves if leaf.path[0] == "outgoing"]
    incoming_lines = [leaf.line for leaf in kafka_leaves if leaf.path[0] == "incoming"]
    items_by_name = {(item.component, item.name): item for item in reading.items}
    if outgoing_lines and (_PRODUCER, "acks") not in items_by_name and _in_transactions(reading):
        reading.note(
            min(outgoing_lines), "unless acks is set, Quarkus uses acks=all for KafkaTransactions"
        )
    elif outgoing_lines and (_PRODUCER, "acks") not in items_by_name:
        reading.add_setting(_PRODUCER, "acks", "1", min(outgoing_lines))
        reading.note(min(outgoing_lines), "unless acks is set, the connector uses acks=1")
    _note_resend(reading, items_by_name.get((_PRODUCER, "retries")))
    if not incoming_lines:
        return
    reading.add_setting(_CODE, "framework", "quarkus", min(incoming_lines))
    _take_last_retry_topic(reading, kafka_leaves)
    _take_dead_letter_acks(reading, kafka_leaves)
    _take_null_policy(reading, kafka_leaves)
    _take_commits(
        reading, _attribute_by_channel(kafka_leaves, "commit-strategy"), min(incoming_lines)
    )


def _note_resend(reading: Reading, retries: Item | None) -> None:
    """Adds that a channel with a number of retries sends a failed message again, as a new record.
    By default the channel fails when the client does (KafkaSink, `writeMessageToKafka`)."""
    text = by_default(retries.text).strip() if retries else ""
    if (
        retries
        and _RETRIES.fullmatch(text)
        and text != _DEFAULT_RETRIES
        and not _in_transactions(reading)
    ):
        reading.add_setting(_CODE, "resend", "on-error", retries.line)
        words = "has the connector resend a message after the client failed to send it"
        reading.note(retries.line, f"retries {words} (application.resend)")


def _attribute_by_channel(leaves: Sequence[Leaf], key: str) -> dict[str, Leaf | None]:
    """Returns the effective value of an attribute by incoming channel: its own, or the
    connector's."""
    by_channel = {leaf.path[1]: leaf for leaf in leaves if leaf.path[0] != "outgoing"
              and leaf.path[2] == key}  # fmt: skip
    channels = dict.fromkeys(leaf.path[1] for leaf in leaves if leaf.path[0] == "incoming")
    return {
        channel: by_channel.get(channel) or by_channel.get(_KAFKA_CONNECTOR) for channel in channels
    }


def _take_commits(reading: Reading, strategies: Mapping[str, Leaf | None], line: int) -> None:
    """Adds when offsets are committed; by channel if the channels differ."""
    automatic = {channel: _is_automatic(reading, channel) for channel in strategies}
    distinct = {
        (leaf.text if leaf else "", automatic[channel]) for channel, leaf in strategies.items()
    }
    are_alike = len(distinct) == 1
    for channel, leaf in [*strategies.items()][:1] if are_alike else strategies.items():
        before = len(reading.items)
        _take_commit(reading, leaf, automatic[channel], line)
        reading.items[before:] = [
            item if are_alike else replace(item, process=channel) for item in reading.items[before:]
        ]


def _is_automatic(reading: Reading, channel: str) -> bool:
    """Whether the client of a channel commits automatically: the channel's own setting comes after
    the one for all."""
    values = [
        item.text for item in reading.items
        if (item.component, item.name) == (_CONSUMER, "enable.auto.commit")
        and item.process in ("", channel)
    ]  # fmt: skip
    return bool(values) and values[-1].strip().lower() == "true"


def _take_last_retry_topic(reading: Reading, leaves: list[Leaf]) -> None:
    """Adds where a message goes after its retries: without a topic for it, it is acknowledged and
    lost (KafkaDelayedRetryTopic, `handle`)."""
    strategies = _attribute_by_channel(leaves, "failure-strategy").items()
    topics = _attribute_by_channel(leaves, "dead-letter-queue.topic")
    last_topics = [
        topics[channel] for channel, leaf in strategies if leaf and leaf.text == _DELAYED
    ]
    if last_topics and last_topics[0] and all(last_topics):
        reading.add_setting(_CODE, "dead.letter", "acknowledged", last_topics[0].line)


def _take_dead_letter_acks(reading: Reading, leaves: list[Leaf]) -> None:
    """Adds whether dead letters, and messages in retry topics, are sent without acks=all: they are
    written as by an outgoing channel, whose acks has the default 1 (KafkaDeadLetterQueue and
    KafkaDelayedRetryTopic, `create`; KafkaConnector)."""
    dead_letter_acks, channel_acks = (
        _attribute_by_channel(leaves, key) for key in ("dead-letter-queue.acks", "acks")
    )
    for channel, acks in channel_acks.items():
        effective = dead_letter_acks[channel] or acks
        letters = [
            item for item in reading.items
            if item.name == "dead.letter" and item.process in ("", channel)
        ]  # fmt: skip
        if not letters or (effective and effective.text.strip().lower() in ("all", "-1")):
            continue
        line, process = effective.line if effective else letters[0].line, letters[0].process
        reading.items[:] = [item for item in reading.items if item not in letters]
        reading.add_setting(_CODE, "dead.letter", "unacknowledged", line, process=process)
        words = "acks also applies to the dead letters of this channel"
        if not effective:
            words = "unless dead-letter-queue.acks is set, dead letters are written with acks=1"
        reading.note(line, words)


def _take_null_policy(reading: Reading, leaves: list[Leaf]) -> None:
    """Adds whether bytes that cannot be deserialized are passed to the code as null, whatever the
    failure strategy (the attribute fail-on-deserialization-failure)."""
    for leaf in _attribute_by_channel(leaves, "fail-on-deserialization-failure").values():
        if leaf and not _is_true(leaf.text):
            reading.items[:] = [item for item in reading.items if item.name != "dead.letter"]
            reading.add_setting(_CODE, "processing.errors", "skip", leaf.line)
            words = "fail-on-deserialization-failure=false: the code gets null for what cannot be"
            reading.note(leaf.line, f"{words} deserialized, and nothing else happens to it")


def _take_commit(reading: Reading, strategy_leaf: Leaf | None, automatic: bool, line: int) -> None:
    """Adds when offsets are committed (KafkaSource: `ignore` if the client commits automatically).

    Messages wait in a buffer of the connector while it continues to poll, so that the client does
    not know which are processed.
    """
    strategy = strategy_leaf.text if strategy_leaf else "ignore" if automatic else "throttled"
    line = strategy_leaf.line if strategy_leaf else line
    if strategy == "ignore" and not automatic and _in_transactions(reading):
        reading.add_setting(_CODE, "commit", "in-transaction", line)
        reading.add_setting(_CONSUMER, "enable.auto.commit", "false", line)
        words = (
            "commit-strategy=ignore with a transactional.id: it is assumed that the code passes "
        )
        reading.note(line, f"{words}its messages to KafkaTransactions, which commits the offsets")
        return
    reading.add_setting(_CODE, "processing", "asynchronous", line)
    if automatic:
        reading.add_setting(_CODE, "commit", "auto", line)
        words = (
            "enable.auto.commit=true: the client commits messages that still wait in the connector"
        )
        reading.note(line, words)
        return
    reading.add_setting(_CONSUMER, "enable.auto.commit", "false", line)
    if strategy in _COMMIT_STRATEGIES:
        reading.add_setting(_CODE, "commit", "after-processing", line)
        reading.add_setting(_CODE, "commit.order", _COMMIT_STRATEGIES[strategy], line)
    elif strategy == "ignore":
        words = "commit-strategy=ignore without enable.auto.commit=true: nothing commits, and each "
        words += "start is without a committed offset. That is not covered"
        reading.add_problem(_CODE, "commit", line, words)
    else:
        words = (
            f"commit-strategy={shown(strategy)}: only your code determines where a reader starts. "
        )
        words += (
            f"That is not covered; the connector has {', '.join(_COMMIT_STRATEGIES)} and ignore"
        )
        reading.add_problem(_CODE, "commit", line, words)


def _is_true(text: str) -> bool:
    """Whether a boolean property is true: any other word is false (SmallRye Config, Converters,
    BOOLEAN_CONVERTER)."""
    return text.strip().lower() in ("true", "1", "yes", "y", "on")


def _in_transactions(reading: Reading) -> bool:
    """Whether a channel writes in transactions (SmallRye, Kafka Transactions and Exactly-Once
    Processing: there the commit strategy is to be `ignore`)."""
    return any((item.component, item.name) == (_PRODUCER, _ID) for item in reading.items)


def _likeness(text: str) -> float:
    return 0.97 if _LINE.search(text) or _BLOCK.search(text) else 0.0


READERS = (
    Reader.of_application(
        "smallrye", "Quarkus (SmallRye Reactive Messaging)", _likeness, read_files
    ),
)
