"""`spring.cloud.stream.kafka`: what Spring Cloud Stream's Kafka binder makes of its own names.

Below spring.kafka lie `required-acks`, and `buffer-size` and `batch-timeout` of a binding; above it
the binder's `configuration`, then its `producer-properties` and `consumer-properties`, then what
a binding says. Source: spring-cloud-stream 5.0, BindingUtils (createProducerConfigs,
createConsumerConfigs), KafkaBinderConfigurationProperties, and "Configuration Options" of the Kafka
binder in its reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from advisor.catalog import Component, Family, Problem
from advisor.catalog.nearest import nearest
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import SPRING, fill
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import ack_mode, is_true, relaxed
from advisor.intake.programs.code_facts import ASSIGNS
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_PRODUCER, _CONSUMER, _TOPIC = Component.PRODUCER, Component.CONSUMER, Component.TOPIC
_ROOT = "spring.cloud.stream."
_KAFKA = f"{_ROOT}kafka."
_BINDER = re.compile(rf"{re.escape(_KAFKA)}binder\.(?P<name>.+)")
_BINDING = re.compile(
    rf"{re.escape(_KAFKA)}(?:bindings\.[^.]+|default)\.(?P<part>producer|consumer)\.(?P<name>.+)"
)
_ANY_BINDING = re.compile(rf"{re.escape(_ROOT)}(?:kafka\.)?bindings\.(?P<name>[^.]+)\.")
_OWN_BINDING = re.compile(rf"{re.escape(_KAFKA)}bindings\.(?P<name>[^.]+)\.(?:producer|consumer)\.")
_GROUP = re.compile(rf"{re.escape(_ROOT)}(?:bindings\.[^.]+|default)\.group")
_READS, _WRITES = (
    re.compile(rf"{re.escape(_ROOT)}(?:kafka\.)?bindings\.[^.]+(?:-{way}-\d+\.|\.{part}\.)")
    for way, part in (("in", _CONSUMER), ("out", _PRODUCER))
)
_HEARS = re.compile(
    rf"^{re.escape(_ROOT)}(?:kafka\.)?(?:bindings\.[^.]+|default)\.(?:producer\.)?"
    r"(?P<what>sync|error-?channel-?enabled)$",
    re.IGNORECASE,
)
_BELOW, _WIDE, _CLIENTS, _OWN, _START = range(-1, 4)
"""Ranks: below spring.kafka, the binder's for both clients, for one, a binding's, start-offset."""

_AUTO = "auto-commit-offset"
_DEAD_LETTER, _RESET, _REBALANCES = "dead.letter", "reset-offsets", "auto-rebalance-enabled"
_RESETS = (
    "each partition begins at startOffset when it is assigned, wherever the group is, so that it "
    "is read again or passed over (reference of the Kafka binder, Resetting Offsets). That is not "
    "advised on; leave it out"
)

Place = tuple[int, Component, str]
"""The rank of a statement, whose setting it is, and its name."""

_OF_BINDER: Mapping[str, Place] = {
    "requiredacks": (_BELOW, _PRODUCER, "acks"),
    "replicationfactor": (_WIDE, _TOPIC, "replication.factor"),
    "transaction.transactionidprefix": (_WIDE, _PRODUCER, "transactional.id"),
}
_OF_BINDING: Mapping[tuple[str, str], Place] = {
    (_PRODUCER, "buffersize"): (_BELOW, _PRODUCER, "batch.size"),
    (_PRODUCER, "batchtimeout"): (_BELOW, _PRODUCER, "linger.ms"),
    (_PRODUCER, "topic.replicationfactor"): (_OWN, _TOPIC, "replication.factor"),
    (_CONSUMER, "topic.replicationfactor"): (_OWN, _TOPIC, "replication.factor"),
    (_CONSUMER, "startoffset"): (_START, _CONSUMER, "auto.offset.reset"),
    (_CONSUMER, "ackmode"): (_OWN, Component.APPLICATION, "ack-mode"),
    (_CONSUMER, "autocommitoffset"): (_OWN, Component.APPLICATION, _AUTO),
    (_CONSUMER, "resetoffsets"): (_OWN, Component.APPLICATION, _RESET),
    (_CONSUMER, "autorebalanceenabled"): (_OWN, Component.APPLICATION, _REBALANCES),
    (_CONSUMER, "enabledlq"): (_OWN, Component.APPLICATION, _DEAD_LETTER),
}
_BOUND = re.compile(rf"{re.escape(_ROOT)}bindings\.")
_CHOICE = re.compile(rf"{re.escape(_ROOT)}(?:bindings\.[^.]+\.binder|default-?binder)")
_OTHERS = re.compile(
    rf"{re.escape(_ROOT)}(?:rabbit|kinesis|pulsar|solace|eventhubs|servicebus|gcp|sqs|jms)\."
)
"""How the settings of other binders begin."""
_MAPS = {"producerproperties": _PRODUCER, "consumerproperties": _CONSUMER}
_SILENT = frozenset({
    "brokers", "defaultbrokerport", "headers", "headermapperbeanname", "healthtimeout", "jaas",
    "autocreatetopics", "autoaddpartitions", "autoaltertopics", "minpartitioncount", "metrics",
    "certificatestoredirectory", "considerdownwhenanypartitionhasnoleader", "enableobservation",
    "authorizationexceptionretryinterval", "healthindicatorconsumergroup", "transaction",
})  # fmt: skip
"""Names of the binder that no guarantee depends on."""


def used(leaves: Iterable[Leaf]) -> bool:
    """Whether these properties configure the Kafka binder, or bindings of no other one."""
    named = {_name(leaf): leaf.text for leaf in leaves}
    if any(name.startswith(_KAFKA) for name in named):
        return True
    chosen = [text.lower() for name, text in named.items() if _CHOICE.fullmatch(name)]
    others = any(_OTHERS.match(name) for name in named) or any(
        "kafka" not in entry for entry in chosen
    )
    return not others and any(_BOUND.match(name) for name in named)


def before(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """States what spring.kafka goes before."""
    _state(reading, leaves, range(_BELOW, _BELOW + 1))


def after(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """States what overrides spring.kafka, and the values that the binder sets itself."""
    _state(reading, leaves, range(_WIDE, _OWN))
    _drop_auto_commit(reading)
    _state(reading, leaves, range(_OWN, _START + 1))
    for leaf in leaves:
        _elsewhere(reading, leaf)
    _of_streams(reading, leaves)
    for component, pattern in ((_PRODUCER, _WRITES), (_CONSUMER, _READS)):
        found = {binding_of(_name(leaf)) for leaf in leaves if pattern.search(_name(leaf))}
        reading.clients |= {(component, name) for name in found}
    _writes_silently(reading, leaves)
    _reads_silently(reading, leaves)
    _without_direction(reading, leaves)


def _without_direction(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Refuses a file whose bindings do not tell whether they read or write."""
    bound = [leaf for leaf in leaves if _BOUND.match(_name(leaf))]
    if bound and not (reading.items or reading.clients or reading.problems):
        words = "nothing says whether this binding reads or writes: name it with -in-0 or -out-0, "
        words += "or state its group if it reads"
        reading.wrong(Component.APPLICATION, "framework", bound[0].line, words)


def _name(leaf: Leaf) -> str:
    return ".".join(leaf.path)


def _state(reading: Reading, leaves: Sequence[Leaf], ranks: range) -> None:
    places = [(place, leaf) for leaf in leaves for place in _places(_name(leaf))]
    # What a binding states goes before the default of all bindings.
    places.sort(key=lambda row: (row[0][0], not _name(row[1]).startswith(f"{_KAFKA}default.")))
    for (rank, to, name), leaf in places:
        if rank in ranks:
            named = (_name(leaf).removeprefix(_ROOT), leaf.text, leaf.line)
            before = len(reading.items)
            fill(reading, SPRING, named, partial(_take, reading, leaf.line, to, name))
            if own := _OWN_BINDING.match(_name(leaf)):
                items = [replace(item, process=own["name"]) for item in reading.items[before:]]
                reading.items[before:] = items


def _take(reading: Reading, line: int, to: Component, name: str, text: str) -> None:
    if name == _DEAD_LETTER:
        # It waits for the acknowledgement, logs that there was none, and commits all the same
        # (KafkaMessageChannelBinder, DlqSender).
        if is_true(text):
            reading.state(to, name, "unacknowledged", line)
    elif name == _RESET:
        if is_true(text):
            reading.wrong(_CONSUMER, name, line, f"{name}=true: {_RESETS}")
    elif name == _REBALANCES:
        if not is_true(text):  # KafkaMessageChannelBinder: it assigns by the instance's index
            reading.wrong(_CONSUMER, name, line, f"{name}=false: {ASSIGNS}")
    elif to is Component.APPLICATION:
        by_code = name == _AUTO and not is_true(text)
        ack_mode(reading, "MANUAL" if by_code else "BATCH" if name == _AUTO else text, line)
    elif (name, text) != ("replication.factor", "-1"):  # then it is the brokers' own default
        reading.state(to, name, text.lower() if name == "auto.offset.reset" else text, line)


def _places(name: str) -> Iterator[Place]:
    """Where a property goes; nowhere if it is not a setting of a client or a topic."""
    if match := _BINDING.fullmatch(name):
        own, part = match["name"], match["part"]
        head, _, key = own.partition(".")
        if head == "configuration":
            yield _OWN, Component(part), _key(key)
        elif relaxed(own).startswith("topic.properties."):
            yield _OWN, _TOPIC, _key(own.partition(".properties.")[2])
        elif place := _OF_BINDING.get((part, relaxed(own))):
            yield place
    elif match := _BINDER.fullmatch(name):
        head, _, key = match["name"].partition(".")
        if head == "configuration":
            java = newest(Family.JAVA)
            having = [item for item in _MAPS.values() if _key(key) in known_keys(java, item)]
            yield from ((_WIDE, component, _key(key)) for component in having)
        elif client := _MAPS.get(relaxed(head)):
            yield _CLIENTS, client, _key(key)
        elif place := _OF_BINDER.get(relaxed(match["name"])):
            yield place
        elif key.startswith("producer.configuration."):
            yield _OWN, _PRODUCER, _key(key.removeprefix("producer.configuration."))


def _key(text: str) -> str:
    return text.removeprefix("[").removesuffix("]")


def _elsewhere(reading: Reading, leaf: Leaf) -> None:
    """What of the binder is not read here, and a name that it does not have."""
    name = _name(leaf)
    if name.startswith(f"{_ROOT}binders."):
        words = "is not read: give the settings of its clients as properties"
        reading.note(leaf.line, f"{shown(name)} {words}")
    if not (match := _BINDER.fullmatch(name)) or match["name"].startswith("configuration."):
        return
    head = relaxed(match["name"].partition(".")[0])
    names = _SILENT | _MAPS.keys() | _OF_BINDER.keys()
    if head not in names:
        near = nearest(head, frozenset(names))
        hint = f"; the nearest known is {near}" if near else ""
        words = f"{shown(name)} is no name of the binder that we know: not read{hint}"
        reading.note(leaf.line, words)


def _of_streams(reading: Reading, leaves: Iterable[Leaf]) -> None:
    """Kafka Streams is a client of its own, and beside the other binder it is another one."""
    of_kafka = [leaf for leaf in leaves if _name(leaf).startswith(_KAFKA)]
    of_streams = [leaf for leaf in of_kafka if _name(leaf).startswith(f"{_KAFKA}streams.")]
    if not of_streams:
        return
    line = of_streams[0].line
    words = "this is an application of the Kafka Streams binder, whose names are not read: give "
    words += "what it hands to Kafka Streams as streams.properties"
    if of_streams == of_kafka:
        reading.wrong(Component.APPLICATION, "framework", line, words)
    else:
        words = f"Line {line}: {words}, or choose a binding of the other binder on the command "
        words += "line (--only NAME)."
        reading.part_names |= {
            binding_of(_name(leaf)) for leaf in leaves if _BOUND.match(_name(leaf))
        }
        reading.problems_unless_chosen.append(
            Problem(Component.APPLICATION, "Kafka Streams", words)
        )


def _drop_auto_commit(reading: Reading) -> None:
    for item in [item for item in reading.items if item.name == "enable.auto.commit"]:
        if item.component is _CONSUMER and item.text.lower() == "true":
            reading.items.remove(item)
            reading.note(item.line, "the binder passes over enable.auto.commit=true")


def _writes_silently(reading: Reading, leaves: Iterable[Leaf]) -> None:
    """The binder's own acks: 1 before 5.0.2 and all since then (GH-3170); and linger.ms=0."""
    stated = {item.name: item.text for item in reading.items if item.component is _PRODUCER}
    line = _line(reading, _PRODUCER, leaves, _WRITES)
    if not line:
        return
    _heard(reading, leaves, line)
    if "linger.ms" not in stated:
        reading.state(_PRODUCER, "linger.ms", "0", line)
    if "acks" in stated:
        return
    # With acks=1 neither would start: so it is a binder that says all, as the client does.
    if "transactional.id" in stated or stated.get("enable.idempotence", "").lower() == "true":
        return
    reading.state(_PRODUCER, "acks", "1", line)
    words = "required-acks is not stated, so the binder says acks=1: from 5.0.2 on it says all"
    reading.note(line, words)


def binding_of(name: str) -> str:
    """The binding that has a property; empty for the default of all."""
    match = _ANY_BINDING.match(name)
    return match["name"] if match else ""


def _heard(reading: Reading, leaves: Iterable[Leaf], line: int) -> None:
    """Nobody looks at the result of a send, unless each binding waits for it, hands errors to a
    channel, or commits it in a transaction (KafkaProducerMessageHandler, processSendResult)."""
    writes = {binding_of(_name(leaf)) for leaf in leaves if _WRITES.search(_name(leaf))}
    stated = {
        (binding_of(_name(leaf)), match["what"].replace("-", "")): is_true(leaf.text)
        for leaf in leaves
        if (match := _HEARS.match(_name(leaf)))
    }
    ways = {what for _, what in stated}
    heard = [
        any(stated.get((binding, what), stated.get(("", what))) for what in ways)
        for binding in writes or {""}
    ]
    if all(heard):
        return
    if any(item.name == "transactional.id" for item in reading.items):
        return
    reading.state(Component.APPLICATION, "delivery.errors", "ignored", line)
    words = "a send that fails is a log line, unless sync=true or error-channel-enabled=true"
    reading.note(line, f"{words} of its binding (application.delivery.errors)")


def _reads_silently(reading: Reading, leaves: Iterable[Leaf]) -> None:
    """A group begins at the start of the topic; a consumer without a group at its end."""
    stated = {item.name for item in reading.items if item.component is _CONSUMER}
    groups = {binding_of(name): leaf for leaf in leaves if _GROUP.fullmatch(name := _name(leaf))}
    line = _line(reading, _CONSUMER, leaves, _READS) or next(
        (leaf.line for leaf in groups.values()), 0
    )
    if not line or "auto.offset.reset" in stated:
        return
    bindings = {binding_of(_name(leaf)) for leaf in leaves if _READS.search(_name(leaf))}
    grouped = {name for name, leaf in groups.items() if leaf.text.strip()}
    if "" in grouped:
        grouped |= bindings - groups.keys()
    for binding in sorted(bindings | (groups.keys() - {""})) or [""]:
        text = "earliest" if binding in grouped else "latest"
        own = next((leaf.line for leaf in leaves if binding_of(_name(leaf)) == binding != ""), line)
        reading.state(_CONSUMER, "auto.offset.reset", text, own, process=binding)
        who = "a group" if binding in grouped else "a binding without a group"
        words = f"unless auto.offset.reset is stated, the binder says {text} for {who}"
        if not any(note.endswith(f"{words}.") for note in reading.notes):
            reading.note(own, words)


def _line(
    reading: Reading, component: Component, leaves: Iterable[Leaf], binding: re.Pattern[str]
) -> int:
    """Where a client is first spoken of; 0 if nowhere."""
    lines = [leaf.line for leaf in leaves if binding.match(_name(leaf))]
    lines += [item.line for item in reading.items if item.component is component]
    return min(lines, default=0)
