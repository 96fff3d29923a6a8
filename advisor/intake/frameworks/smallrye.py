"""`mp.messaging.…`: channels of SmallRye Reactive Messaging, which Quarkus brings.

Sources: smallrye-reactive-messaging, KafkaConnector (its attributes and their defaults),
ReactiveKafkaProducer and ReactiveKafkaConsumer (what is handed to the clients),
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
from advisor.intake.frameworks.profiles import Source, of_files, that_count, with_profiles
from advisor.intake.reading import Item, Reader, Reading
from advisor.intake.text import shown

_PRODUCER, _CONSUMER, _CODE = Component.PRODUCER, Component.CONSUMER, Component.APPLICATION
_CHANNEL = re.compile(
    r"mp\.messaging\.(?P<way>incoming|outgoing)\.(?P<channel>\"[^\"]+\"|[^.]+)\.(?P<key>.+)"
)
_CONNECTOR = re.compile(r"mp\.messaging\.connector\.\"?(?P<name>[^.\"]+)\"?\.(?P<key>.+)")
_LINE = re.compile(r"^[ \t]*\"?(?:%[\w{},]+\"?\.)?mp\.messaging[.:]", re.MULTILINE)
_BLOCK = re.compile(
    r"^[ \t]*\"?(?:%[\w{},]+\"?\.)?mp\"?:[ \t]*\n(?:[ \t]*#.*\n|[ \t]*\n)*[ \t]+messaging[.:]",
    re.MULTILINE,
)
_OURS = "smallrye-kafka"
"""The connector that is read."""

_SOME, _EVER = re.compile("[1-9][0-9]{0,9}"), "2147483647"
"""Retries of a channel: a number of them, and the default."""
_ID = "transactional.id"
_BARE = ("acks", "retries")
"""Settings of a client whose name has no dot, as the connector's own attributes have none."""
_ATTRIBUTES = ("dead-letter", "delayed-retry", "checkpoint", "throttled")
"""How attributes begin that have a dot all the same."""

_SEEK = "assign-seek"
_SEEKS = (
    "takes partitions by hand and may begin elsewhere than at the position of the group at each "
    "start. That is not advised on; leave the line out for a consumer of a group"
)
_BEANS: Mapping[str, str] = {
    f"{part}-deserialization-failure-handler": "is a bean of your own: only its code says what "
    "becomes of bytes that cannot be read. Leave the line out to see what the failure strategy does"
    for part in ("key", "value")
}
_OF_ALL = frozenset(
    {"kafka-configuration", "failure-strategy", "waitForWriteCompletion", _SEEK, *_BEANS}
)
"""Attributes that count when they are stated for the connector, too."""

_DELAYED = "delayed-retry-topic"
_FAILURES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "fail": (),
    "ignore": (("processing.errors", "skip"),),
    "dead-letter-queue": (("processing.errors", "skip"), ("dead.letter", "acknowledged")),
    _DELAYED: (("processing.errors", "skip"), ("retry.topics", "true")),
}
_OF_STREAMS = re.compile(r"(?:quarkus\.)?kafka-streams\.")
_COMMITS: Mapping[str, str] = {"throttled": "in-order", "latest": "as-done"}
"""Which offsets a strategy commits, of messages that are done."""


def read(text: str) -> Reading:
    """What the connector hands to its clients, and when it commits. Raises `IntakeError`."""
    return read_files([ApplicationFile(text)])


def read_files(files: Iterable[ApplicationFile]) -> Reading:
    """The same of several files of one application."""
    return with_profiles([*of_files(files)], _read)


def _read(
    stated: Sequence[Source], profiles: Sequence[str], without: Collection[str] = ()
) -> Reading:
    """What counts in these profiles, without channels of these names."""
    reading = Reading(heads={"family": Family.JAVA}, read_without=partial(_read, stated, profiles))
    named = dict[tuple[str, str], Leaf]()
    counting = that_count(reading, stated, profiles)
    refuse_custom_names(reading, counting, [leaf for source in stated for leaf in source.leaves])
    every = _in_order(counting)
    every = [leaf for leaf in every if not (leaf.path[0] and leaf.path[1] in without)]
    _streams(reading, every)
    for leaf in every:
        named[_place(leaf)] = leaf
    foreign = _foreign(reading, named)
    directions = {way for way, _ in named if way in ("incoming", "outgoing")}
    overridden = {part: _overridden(named, part) for part in ("incoming", "outgoing")}
    for (way, _), leaf in named.items():
        if leaf.path[:2] in foreign:
            continue
        for part, component in (("incoming", _CONSUMER), ("outgoing", _PRODUCER)):
            of_all = way == "" and part in directions
            known = known_keys(newest(Family.JAVA), component) | _OF_ALL
            is_own = way == part or (of_all and leaf.path[2] in known)
            if is_own and not (of_all and leaf.path[2] in overridden[part]):
                _fill(reading, component, leaf)
    for way, channel, _ in (leaf.path for leaf in named.values() if leaf.path[:2] not in foreign):
        kinds = {"incoming": (_CONSUMER, _CODE), "outgoing": (_PRODUCER,)}.get(way, ())
        reading.clients |= {(kind, channel) for kind in kinds}
    _state_defaults(reading, named, foreign)
    if foreign and not reading.items:
        line = next(leaf.line for leaf in named.values() if leaf.path[:2] in foreign)
        words = f"no channel here is of {_OURS}, and no other connector is known: nothing is read"
        reading.wrong(_CODE, "connector", line, words)
    return reading


def _overridden(named: Mapping[tuple[str, str], Leaf], part: str) -> set[str]:
    """The attributes that each channel of a way states itself."""
    keys = defaultdict[str, set[str]](set)
    for (way, _), leaf in named.items():
        if way == part:
            keys[leaf.path[1]].add(leaf.path[2])
    return set(_OF_ALL.intersection(*keys.values())) if keys else set()


def _in_order(every: Iterable[Leaf]) -> list[Leaf]:
    """What counts: first what is said for all clients of Kafka, then what is said for the connector
    (KafkaConnector, which merges `default-kafka-broker` beneath a channel's configuration)."""
    ordered = sorted(every, key=lambda leaf: not leaf.path[0].startswith("kafka."))
    return sorted(map(_split, ordered), key=lambda leaf: leaf.path[0] != "")


def _split(leaf: Leaf) -> Leaf:
    """The leaf under its way (`incoming`, `outgoing`, or nothing for all), channel and key."""
    name = leaf.path[0]
    if match := _CHANNEL.fullmatch(name):
        return replace(leaf, path=(match["way"], match["channel"].strip('"'), match["key"]))
    if match := _CONNECTOR.fullmatch(name):
        return replace(leaf, path=("", match["name"], match["key"]))
    if name.startswith("kafka."):
        return replace(leaf, path=("", _OURS, name.removeprefix("kafka.")))
    return replace(leaf, path=("-", "", name))


def _streams(reading: Reading, every: Iterable[Leaf]) -> None:
    """Says once that Kafka Streams is a client of its own, unless a channel is asked for."""
    of_streams = (leaf for leaf in every if _OF_STREAMS.match(leaf.path[2]))
    if leaf := next(of_streams, None):
        words = f"Line {leaf.line}: Kafka Streams is set up here, too, and a pipeline has one "
        words += "client. On the command line, choose a channel (--only NAME), or Kafka Streams "
        words += "(--kind quarkus-streams)."
        reading.part_names |= {other.path[1] for other in every if other.path[0]}
        reading.problems_unless_chosen.append(Problem(_CODE, "Kafka Streams", words))


def _place(leaf: Leaf) -> tuple[str, str]:
    way, channel, key = leaf.path
    return way, f"{channel}.{key}"


def _foreign(reading: Reading, named: Mapping[tuple[str, str], Leaf]) -> set[tuple[str, ...]]:
    """Channels of other connectors, whose rules are others."""
    channels = set[tuple[str, ...]]()
    for leaf in named.values():
        way, channel, key = leaf.path
        connector = by_default(leaf.text) if way != "" and key == "connector" else _OURS
        if "${" in connector:
            words = "connector is filled in when the application starts. Write the one that counts"
            reading.wrong(_CODE, "connector", leaf.line, words)
        elif connector != _OURS or (way == "" and channel != _OURS):
            other = connector if connector != _OURS else channel
            words = f"connector {shown(other)} sets up its clients by rules of its own: not read"
            reading.note(leaf.line, words)
            channels.add((way, channel))
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
    """A setting of the client, or an attribute of the connector that decides as much."""
    if key == "kafka-configuration":
        words = "is a bean of your own, which may state more. Write what it holds here, and leave "
        reading.wrong(component, key, line, f"kafka-configuration {words}the line out")
    elif component is _CONSUMER and (key in _BEANS or key == _SEEK):
        reading.wrong(component, key, line, f"{key} {_BEANS.get(key, _SEEKS)}")
    elif component is _CONSUMER and key == "failure-strategy":
        if text not in _FAILURES:
            known = ", ".join(_FAILURES)
            words = (
                f"failure-strategy={shown(text)} is a bean of your own: only its code says what "
            )
            words += f"becomes of a message. The connector itself has {known}"
            reading.wrong(_CODE, "processing.errors", line, words)
        for name, value in _FAILURES.get(text, ()):
            reading.state(_CODE, name, value, line)
    elif component is _PRODUCER and key == "waitForWriteCompletion" and not _is_true(text):
        reading.state(_CODE, "delivery.errors", "ignored", line)
        reading.note(line, "waitForWriteCompletion=false: a message counts as sent before it is")
    elif key in _BARE or ("." in key and not key.startswith(_ATTRIBUTES)):
        reading.state(component, key, text, line)


def _state_defaults(
    reading: Reading, named: Mapping[tuple[str, str], Leaf], foreign: set[tuple[str, ...]]
) -> None:
    """What the connector says although nobody wrote it, for each way that is used."""
    ours = [
        replace(leaf, text=by_default(leaf.text))
        for leaf in named.values() if leaf.path[:2] not in foreign
    ]  # fmt: skip
    writes = [leaf.line for leaf in ours if leaf.path[0] == "outgoing"]
    reads = [leaf.line for leaf in ours if leaf.path[0] == "incoming"]
    stated = {(item.component, item.name): item for item in reading.items}
    if writes and (_PRODUCER, "acks") not in stated and _in_transactions(reading):
        reading.note(
            min(writes), "unless acks is stated, Quarkus says acks=all for KafkaTransactions"
        )
    elif writes and (_PRODUCER, "acks") not in stated:
        reading.state(_PRODUCER, "acks", "1", min(writes))
        reading.note(min(writes), "unless acks is stated, the connector says acks=1")
    _resends(reading, stated.get((_PRODUCER, "retries")))
    if not reads:
        return
    reading.state(_CODE, "framework", "quarkus", min(reads))
    _last_topic(reading, ours)
    _unacknowledged_letters(reading, ours)
    _nulls(reading, ours)
    _commits(reading, _of_channels(ours, "commit-strategy"), min(reads))


def _resends(reading: Reading, retries: Item | None) -> None:
    """A channel with a number of retries sends a message that failed again so many times, as a new
    one; with the default it ends when the client does (KafkaSink, `writeMessageToKafka`)."""
    text = by_default(retries.text).strip() if retries else ""
    if retries and _SOME.fullmatch(text) and text != _EVER and not _in_transactions(reading):
        reading.state(_CODE, "resend", "on-error", retries.line)
        words = "has the connector send a message again that the client gave up"
        reading.note(retries.line, f"retries {words} (application.resend)")


def _of_channels(ours: Sequence[Leaf], key: str) -> dict[str, Leaf | None]:
    """What counts of an attribute for each channel that reads: its own, else the connector's."""
    stated = {leaf.path[1]: leaf for leaf in ours if leaf.path[0] != "outgoing"
              and leaf.path[2] == key}  # fmt: skip
    channels = dict.fromkeys(leaf.path[1] for leaf in ours if leaf.path[0] == "incoming")
    return {channel: stated.get(channel) or stated.get(_OURS) for channel in channels}


def _commits(reading: Reading, given: Mapping[str, Leaf | None], line: int) -> None:
    """When the positions are saved; where channels differ in it, under the name of each."""
    automatic = {channel: _is_automatic(reading, channel) for channel in given}
    ways = {(leaf.text if leaf else "", automatic[channel]) for channel, leaf in given.items()}
    alike = len(ways) == 1
    for channel, leaf in [*given.items()][:1] if alike else given.items():
        before = len(reading.items)
        _commit(reading, leaf, automatic[channel], line)
        reading.items[before:] = [
            item if alike else replace(item, process=channel) for item in reading.items[before:]
        ]


def _is_automatic(reading: Reading, channel: str) -> bool:
    """Whether the client of a channel commits by itself: its own setting stands behind that of
    all."""
    stated = [
        item.text for item in reading.items
        if (item.component, item.name) == (_CONSUMER, "enable.auto.commit")
        and item.process in ("", channel)
    ]  # fmt: skip
    return bool(stated) and stated[-1].strip().lower() == "true"


def _last_topic(reading: Reading, ours: list[Leaf]) -> None:
    """Where a message goes after its retries: without a topic for it, it is acknowledged and gone
    (KafkaDelayedRetryTopic, `handle`)."""
    strategies = _of_channels(ours, "failure-strategy").items()
    topics = _of_channels(ours, "dead-letter-queue.topic")
    lasts = [topics[channel] for channel, leaf in strategies if leaf and leaf.text == _DELAYED]
    if lasts and lasts[0] and all(lasts):
        reading.state(_CODE, "dead.letter", "acknowledged", lasts[0].line)


def _unacknowledged_letters(reading: Reading, ours: list[Leaf]) -> None:
    """Whether dead letters, and messages on the way through topics of retries, are sent without
    waiting for all: they are written as by an outgoing channel, whose acks has the default 1
    (KafkaDeadLetterQueue and KafkaDelayedRetryTopic, `create`; KafkaConnector)."""
    nested, own = (_of_channels(ours, key) for key in ("dead-letter-queue.acks", "acks"))
    for channel, other in own.items():
        stated = nested[channel] or other
        letters = [
            item for item in reading.items
            if item.name == "dead.letter" and item.process in ("", channel)
        ]  # fmt: skip
        if not letters or (stated and stated.text.strip().lower() in ("all", "-1")):
            continue
        line, process = stated.line if stated else letters[0].line, letters[0].process
        reading.items[:] = [item for item in reading.items if item not in letters]
        reading.state(_CODE, "dead.letter", "unacknowledged", line, process=process)
        words = "acks counts for the dead letters of what is read, too"
        if not stated:
            words = "unless dead-letter-queue.acks is stated, dead letters are written with acks=1"
        reading.note(line, words)


def _nulls(reading: Reading, ours: list[Leaf]) -> None:
    """Whether bytes that cannot be read are handed on as null, whatever the failure strategy
    (the attribute fail-on-deserialization-failure)."""
    for leaf in _of_channels(ours, "fail-on-deserialization-failure").values():
        if leaf and not _is_true(leaf.text):
            reading.items[:] = [item for item in reading.items if item.name != "dead.letter"]
            reading.state(_CODE, "processing.errors", "skip", leaf.line)
            words = "fail-on-deserialization-failure=false: the code is handed null for what cannot"
            reading.note(leaf.line, f"{words} be read, and nothing else becomes of it")


def _commit(reading: Reading, given: Leaf | None, automatic: bool, line: int) -> None:
    """When the position is saved (KafkaSource: `ignore` where the client commits by itself).

    Messages wait in a buffer of the connector while it polls on, so the client does not know what
    is done.
    """
    strategy = given.text if given else "ignore" if automatic else "throttled"
    line = given.line if given else line
    if strategy == "ignore" and not automatic and _in_transactions(reading):
        reading.state(_CODE, "commit", "in-transaction", line)
        reading.state(_CONSUMER, "enable.auto.commit", "false", line)
        words = "commit-strategy=ignore with a transactional.id: the code is taken to hand what it "
        reading.note(line, f"{words}reads to KafkaTransactions, which commits its offsets")
        return
    reading.state(_CODE, "processing", "asynchronous", line)
    if automatic:
        reading.state(_CODE, "commit", "auto", line)
        words = "enable.auto.commit=true: the client commits what still waits in the connector"
        reading.note(line, words)
        return
    reading.state(_CONSUMER, "enable.auto.commit", "false", line)
    if strategy in _COMMITS:
        reading.state(_CODE, "commit", "after-processing", line)
        reading.state(_CODE, "commit.order", _COMMITS[strategy], line)
    elif strategy == "ignore":
        words = "commit-strategy=ignore without enable.auto.commit=true: nobody commits, and each "
        words += "start is one without a position. That is not advised on"
        reading.wrong(_CODE, "commit", line, words)
    else:
        words = (
            f"commit-strategy={shown(strategy)}: only your own code says where a reader begins. "
        )
        words += (
            f"That is not advised on; the connector itself has {', '.join(_COMMITS)} and ignore"
        )
        reading.wrong(_CODE, "commit", line, words)


def _is_true(text: str) -> bool:
    """Whether a switch is on: with any other word it is off (SmallRye Config, Converters,
    BOOLEAN_CONVERTER)."""
    return text.strip().lower() in ("true", "1", "yes", "y", "on")


def _in_transactions(reading: Reading) -> bool:
    """Whether a channel writes in transactions (SmallRye, Kafka Transactions and Exactly-Once
    Processing: there the commit strategy is to be `ignore`)."""
    return any((item.component, item.name) == (_PRODUCER, _ID) for item in reading.items)


def _likeness(text: str) -> float:
    return 0.97 if _LINE.search(text) or _BLOCK.search(text) else 0.0


READERS = (
    Reader(
        "smallrye",
        "Quarkus (SmallRye Reactive Messaging)",
        _likeness,
        read,
        read_files,
        is_yaml=True,
    ),
)
