"""`application.yml` of Spring Boot, or the same as properties: what stands under `spring.kafka`.

Source: Spring Boot's KafkaProperties and "Relaxed Binding". Spring for Apache Kafka sets
enable.auto.commit=false unless it is stated (2.3 and later) and commits when a batch is processed,
unless `listener.ack-mode` says otherwise.
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Mapping

from advisor.catalog import Component, Family
from advisor.intake.java_properties import Property, properties
from advisor.intake.known import known_keys, nearest, newest
from advisor.intake.reading import Reader, Reading
from advisor.intake.streams_properties import take as take_streams
from advisor.intake.text import shown
from advisor.intake.yaml_nodes import Leaf, documents

_PRODUCER, _CONSUMER = Component.PRODUCER, Component.CONSUMER
_COMMON: Mapping[str, str] = {
    "bootstrap-servers": "bootstrap.servers", "client-id": "client.id", "security": "", "ssl": "",
    "properties": "",
}  # fmt: skip
_NAMES: Mapping[Component, Mapping[str, str]] = {
    _PRODUCER: {
        **_COMMON, "acks": "acks", "retries": "retries", "batch-size": "batch.size",
        "transaction-id-prefix": "transactional.id", "buffer-memory": "buffer.memory",
        "compression-type": "compression.type", "key-serializer": "key.serializer",
        "value-serializer": "value.serializer",
    },
    _CONSUMER: {
        **_COMMON, "auto-commit-interval": "auto.commit.interval.ms",
        "auto-offset-reset": "auto.offset.reset", "enable-auto-commit": "enable.auto.commit",
        "fetch-max-wait": "fetch.max.wait.ms", "fetch-min-size": "fetch.min.bytes",
        "group-id": "group.id", "heartbeat-interval": "heartbeat.interval.ms",
        "isolation-level": "isolation.level", "max-poll-records": "max.poll.records",
        "max-poll-interval": "max.poll.interval.ms", "key-deserializer": "key.deserializer",
        "value-deserializer": "value.deserializer",
    },
}  # fmt: skip
_OF_STREAMS = ("application.id", "replication.factor", "state.dir")
_ACK_MODES = {"record": "after-processing", "batch": "after-processing"}
_UNITS = {"ms": 1, "s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_SIZES = {"B": 1, "KB": 1024, "MB": 1024**2, "GB": 1024**3}
_TIME = re.compile(r"(\d{1,18})(ms|s|m|h|d)", re.ASCII)
_SIZE = re.compile(r"(\d{1,18})(B|KB|MB|GB)", re.ASCII)
_LINE = re.compile(r"^[ \t]*spring\.(kafka|cloud)\b", re.MULTILINE)
_DOTTED = re.compile(r"^[ \t]*spring[\w.]*:", re.MULTILINE)
_KAFKA = re.compile(r"^[ \t]+kafka:", re.MULTILINE)
_BLOCK = re.compile(r"^spring:", re.MULTILINE)
_SEPARATOR = re.compile(r"^[#!]---[ \t\r]*$", re.MULTILINE)
_PROFILE = re.compile(r"spring\.(?:config\.activate\.onprofile|profiles)(?:\.\d+|\[\d+])?")
_PLATFORM = "spring.config.activate.oncloudplatform"
_STREAM = "spring.cloud.stream.kafka."


def read(text: str) -> Reading:
    """What Spring would hand to the client. Raises `IntakeError`."""
    reading = Reading(heads={"family": Family.JAVA})
    for leaves in _documents(text):
        if not _only_somewhere(reading, leaves):
            for leaf in leaves:
                _take(reading, leaf)
    _silence(reading)
    return reading


def _documents(text: str) -> list[list[Leaf]]:
    if _BLOCK.search(text) or not _LINE.search(text) or _DOTTED.search(text):
        return documents(text)
    starts = [text.count("\n", 0, found.start()) + 1 for found in _SEPARATOR.finditer(text)]
    parts: list[list[Leaf]] = [[] for _ in range(len(starts) + 1)]
    for each in properties(text):
        leaf = Leaf((each.key,), each.value, each.line)
        parts[bisect(starts, each.line)].append(leaf)
    return parts


def _only_somewhere(reading: Reading, leaves: list[Leaf]) -> bool:
    """Whether a document does not always count; `spring.profiles` is what 2.3 and before say."""
    names = [(_flat(leaf.path), leaf) for leaf in leaves]
    profiles = [leaf for name, leaf in names if _PROFILE.fullmatch(name)]
    if profiles:
        said = ", ".join(shown(leaf.text) for leaf in profiles[:5])
        words = f"what counts only in profile {said} is not read"
        reading.note(profiles[0].line, words)
    platform = [leaf for name, leaf in names if name == _PLATFORM]
    if platform and not profiles:
        words = f"what counts only on {shown(platform[0].text)} is not read"
        reading.note(platform[0].line, words)
    if stream := [leaf for name, leaf in names if name.startswith(_STREAM)]:
        words = "spring.cloud.stream has names of its own for Kafka's settings: not read"
        reading.note(stream[0].line, words)
    return bool(profiles or platform)


def _flat(path: tuple[str, ...]) -> str:
    return _relaxed(".".join(path))


def _relaxed(name: str) -> str:
    """A name as Spring compares it: `batch-size`, `batchSize` and `batch_size` are one."""
    return re.sub("[-_]", "", name).lower()


def _take(reading: Reading, leaf: Leaf) -> None:
    whole = ".".join(leaf.path)
    head, _, rest = whole.partition("spring.kafka.")
    if head or not rest:
        return  # another part of the application
    if "${" in leaf.text:
        reading.note(leaf.line, f"{shown(rest)} is filled in when the application starts: not read")
        return
    part, _, name = rest.partition(".")
    own, _, key = name.partition(".")
    key = key.removeprefix("[").removesuffix("]")
    if part in (_PRODUCER, _CONSUMER) and own == "properties":
        reading.state(Component(part), key, leaf.text, leaf.line)
    elif part in (_PRODUCER, _CONSUMER):
        _named(reading, Component(part), name, leaf)
    elif part == "streams":
        _streams(reading, name, leaf)
    elif part == "properties":
        _common(reading, name.removeprefix("[").removesuffix("]"), leaf)
    elif _relaxed(rest) == "listener.ackmode":
        _ack_mode(reading, leaf)


def _streams(reading: Reading, name: str, leaf: Leaf) -> None:
    """A setting of spring.kafka.streams: of the application, or of a client inside it."""
    reading.heads["family"] = Family.STREAMS
    own = {_relaxed(key.replace(".", "-")): key for key in _OF_STREAMS}.get(_relaxed(name))
    inside = name.removeprefix("properties.").removeprefix("[").removesuffix("]")
    if own or inside != name:
        take_streams(reading, Property(leaf.line, own or inside, leaf.text))


def _named(reading: Reading, component: Component, name: str, leaf: Leaf) -> None:
    """A setting under Spring's own name for it."""
    names = {_relaxed(own): own for own in _NAMES[component]}
    own = names.get(_relaxed(name.partition(".")[0]))
    if own is None:
        near = nearest(_relaxed(name), frozenset(names), cutoff=0.6)
        words = f"There is no spring.kafka.{component}.{shown(name)}"
        reading.wrong(component, name, leaf.line, words, names[near] if near else None)
    elif _NAMES[component][own]:
        text = _value(_NAMES[component][own], leaf.text)
        reading.state(component, _NAMES[component][own], text, leaf.line)


def _value(name: str, text: str) -> str:
    """What Spring makes of a duration, a size or a name, before the client sees it."""
    if name == "isolation.level":
        return text.lower().replace("-", "_")
    if name.endswith(".ms") and (time := _TIME.fullmatch(text)):
        return str(int(time[1]) * _UNITS[time[2]])
    if size := _SIZE.fullmatch(text):
        return str(int(size[1]) * _SIZES[size[2]])
    return text


def _common(reading: Reading, key: str, leaf: Leaf) -> None:
    """A property of all clients goes to each that has it."""
    having = [each for each in _NAMES if key in known_keys(newest(Family.JAVA), each)]
    for component in having or [_PRODUCER]:
        reading.state(component, key, leaf.text, leaf.line)


def _ack_mode(reading: Reading, leaf: Leaf) -> None:
    commit = _ACK_MODES.get(leaf.text.lower())
    if commit:
        reading.state(Component.APPLICATION, "commit", commit, leaf.line)
    else:
        words = f"ack-mode {shown(leaf.text)}: only your code says when it commits"
        reading.note(leaf.line, words)


def _silence(reading: Reading) -> None:
    """What Spring states although nobody wrote it, where the application reads messages."""
    stated = {(each.component, each.name): each for each in reading.items}
    line = next((each.line for each in reading.items if each.component is _CONSUMER), 0)
    if reading.heads["family"] == Family.STREAMS:
        return  # it commits by itself, whatever Spring says to listeners
    if not line or (_CONSUMER, "enable.auto.commit") in stated:
        return
    reading.state(_CONSUMER, "enable.auto.commit", "false", line)
    reading.note(line, "enable.auto.commit is not stated, so Spring says false and commits itself")
    by_mode = (Component.APPLICATION, "commit") in stated
    if not by_mode and not any("ack-mode" in note for note in reading.notes):
        reading.state(Component.APPLICATION, "commit", "after-processing", line)


def _likeness(text: str) -> float:
    if _LINE.search(text):
        return 0.95
    return 0.9 if _BLOCK.search(text) and _KAFKA.search(text) else 0.0


READERS = (Reader("spring", "Spring Boot application.yml", _likeness, read),)
