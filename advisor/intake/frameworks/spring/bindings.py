"""`spring.cloud.stream.kafka`: settings of Spring Cloud Stream's Kafka binder, and of its bindings.

spring.kafka overrides `required-acks`, and `buffer-size` and `batch-timeout` of a binding. It is
overridden by the binder's `configuration`, then by its `producer-properties` and
`consumer-properties`, then by the settings of a binding.

Source: spring-cloud-stream 5.0, BindingUtils (createProducerConfigs, createConsumerConfigs),
KafkaBinderConfigurationProperties, and "Configuration Options" of the Kafka binder in its
reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

from advisor.catalog import Component, Family, Problem
from advisor.catalog.nearest import nearest
from advisor.intake.clients.generated_names import refuse_new_group
from advisor.intake.clients.known_settings import known_keys, newest
from advisor.intake.clients.placeholders import SPRING, fill
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.directions import (
    OTHER_BINDERS,
    bindings_by_direction,
    unclear_binding,
)
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
_NAMED_BINDING = re.compile(
    rf"{re.escape(_KAFKA)}bindings\.(?P<name>[^.]+)\.(?:producer|consumer)\."
)
_GROUP = re.compile(rf"{re.escape(_ROOT)}(?:bindings\.[^.]+|default)\.group")
_DESTINATION = re.compile(rf"{re.escape(_ROOT)}bindings\.(?P<name>[^.]+)\.destination")
_ERROR_CHECK = re.compile(
    rf"^{re.escape(_ROOT)}(?:kafka\.)?(?:bindings\.[^.]+|default)\.(?:producer\.)?"
    r"(?P<setting>sync|error-?channel-?enabled)$",
    re.IGNORECASE,
)
_LOWEST, _BINDER_WIDE, _ONE_CLIENT, _ONE_BINDING, _START_OFFSET = range(-1, 4)
"""Ranks: below spring.kafka, the binder's for both clients, its for one client, those of a binding,
start-offset."""

_AUTO_COMMIT, _AT_MOST_ONCE = "auto-commit-offset", "reactive-at-most-once"
_DEAD_LETTER, _RESET, _REBALANCES = "dead.letter", "reset-offsets", "auto-rebalance-enabled"
_RESET_WORDS = (
    "each partition begins at startOffset when it is assigned, whatever the group has committed: "
    "messages are read again or skipped (reference of the Kafka binder, Resetting Offsets). That "
    "is not covered; leave it out"
)

Place = tuple[int, Component, str]
"""The rank of a property, the component that it belongs to, and the name of the setting."""

_BINDER_SETTINGS: Mapping[str, Place] = {
    "requiredacks": (_LOWEST, _PRODUCER, "acks"),
    "replicationfactor": (_BINDER_WIDE, _TOPIC, "replication.factor"),
    "transaction.transactionidprefix": (_BINDER_WIDE, _PRODUCER, "transactional.id"),
}
_BINDING_SETTINGS: Mapping[tuple[str, str], Place] = {
    (_PRODUCER, "buffersize"): (_LOWEST, _PRODUCER, "batch.size"),
    (_PRODUCER, "batchtimeout"): (_LOWEST, _PRODUCER, "linger.ms"),
    (_PRODUCER, "topic.replicationfactor"): (_ONE_BINDING, _TOPIC, "replication.factor"),
    (_CONSUMER, "topic.replicationfactor"): (_ONE_BINDING, _TOPIC, "replication.factor"),
    (_CONSUMER, "startoffset"): (_START_OFFSET, _CONSUMER, "auto.offset.reset"),
    (_CONSUMER, "ackmode"): (_ONE_BINDING, Component.APPLICATION, "ack-mode"),
    (_CONSUMER, "autocommitoffset"): (_ONE_BINDING, Component.APPLICATION, _AUTO_COMMIT),
    (_CONSUMER, "resetoffsets"): (_ONE_BINDING, Component.APPLICATION, _RESET),
    (_CONSUMER, "autorebalanceenabled"): (_ONE_BINDING, Component.APPLICATION, _REBALANCES),
    (_CONSUMER, "reactiveatmostonce"): (_ONE_BINDING, Component.APPLICATION, _AT_MOST_ONCE),
    (_CONSUMER, "enabledlq"): (_ONE_BINDING, Component.APPLICATION, _DEAD_LETTER),
}
_BINDING_PROPERTY = re.compile(rf"{re.escape(_ROOT)}bindings\.")
_BINDER_CHOICE = re.compile(rf"{re.escape(_ROOT)}(?:bindings\.[^.]+\.binder|default-?binder)")
_OTHER_BINDER = re.compile(rf"{re.escape(_ROOT)}(?:{'|'.join(OTHER_BINDERS)})\.")
"""The beginning of the settings of other binders."""
_PROPERTY_MAPS = {"producerproperties": _PRODUCER, "consumerproperties": _CONSUMER}
_UNWEIGHED_NAMES = frozenset({
    "brokers", "defaultbrokerport", "headers", "headermapperbeanname", "healthtimeout", "jaas",
    "autocreatetopics", "autoaddpartitions", "autoaltertopics", "minpartitioncount", "metrics",
    "certificatestoredirectory", "considerdownwhenanypartitionhasnoleader", "enableobservation",
    "authorizationexceptionretryinterval", "healthindicatorconsumergroup", "transaction",
})  # fmt: skip
"""Names of the binder that no guarantee depends on."""


def uses_kafka_binder(leaves: Iterable[Leaf]) -> bool:
    """Whether these properties configure the Kafka binder, or bindings without another binder."""
    texts = {_name(leaf): leaf.text for leaf in leaves}
    if any(name.startswith(_KAFKA) for name in texts):
        return True
    binders = [text.lower() for name, text in texts.items() if _BINDER_CHOICE.fullmatch(name)]
    is_other = any(_OTHER_BINDER.match(name) for name in texts) or any(
        "kafka" not in binder for binder in binders
    )
    return not is_other and any(_BINDING_PROPERTY.match(name) for name in texts)


def take_defaults(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Takes the settings that spring.kafka overrides."""
    _take_ranks(reading, leaves, range(_LOWEST, _LOWEST + 1))


def take_overrides(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Takes the settings that override spring.kafka, and the values that the binder sets by
    default."""
    _take_ranks(reading, leaves, range(_BINDER_WIDE, _ONE_BINDING))
    _drop_auto_commit(reading)
    _take_ranks(reading, leaves, range(_ONE_BINDING, _START_OFFSET + 1))
    for leaf in leaves:
        _note_unread(reading, leaf)
    _check_streams_binder(reading, leaves)
    bindings = bindings_by_direction(leaves)
    for component, names in bindings.items():
        reading.clients |= {(component, name) for name in names}
    _refuse_new_groups(reading, leaves, bindings[_CONSUMER])
    _add_producer_defaults(reading, leaves, bindings[_PRODUCER])
    _add_consumer_defaults(reading, leaves, bindings[_CONSUMER])
    _refuse_dead_letters_without_group(reading, leaves)
    _refuse_without_direction(reading, leaves)


def _refuse_without_direction(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Adds a problem for a binding that is not known to read or to write: if it writes, the result
    of its sends counts."""
    leaf = unclear_binding(leaves)
    if leaf is None or reading.problems:
        return
    words = "nothing shows whether this binding reads or writes: name it with -in-0 or -out-0, "
    words += "or state its group if it reads"
    if not (reading.items or reading.clients):
        reading.add_problem(Component.APPLICATION, "framework", leaf.line, words)
        return
    reading.part_names |= {
        binding_name(_name(leaf)) for leaf in leaves if _BINDING_PROPERTY.match(_name(leaf))
    }
    message = f"Line {leaf.line}: {words}, or choose another binding on the command line "
    message += "(--only NAME)."
    reading.problems_unless_chosen.append(Problem(Component.APPLICATION, "framework", message))


def _name(leaf: Leaf) -> str:
    return ".".join(leaf.path)


def _take_ranks(reading: Reading, leaves: Sequence[Leaf], ranks: range) -> None:
    places = [(place, leaf) for leaf in leaves for place in _places(_name(leaf))]
    # A setting of a binding overrides the default of all bindings.
    places.sort(key=lambda row: (row[0][0], not _name(row[1]).startswith(f"{_KAFKA}default.")))
    for (rank, component, name), leaf in places:
        if rank in ranks:
            property_ = (_name(leaf).removeprefix(_ROOT), leaf.text, leaf.line)
            start = len(reading.items)
            fill(reading, SPRING, property_, partial(_take, reading, leaf.line, component, name))
            if match := _NAMED_BINDING.match(_name(leaf)):
                items = [replace(item, process=match["name"]) for item in reading.items[start:]]
                reading.items[start:] = items


def _take(reading: Reading, line: int, component: Component, name: str, text: str) -> None:
    if name == _DEAD_LETTER:
        # It waits for the acknowledgement, logs an error without one, and commits nevertheless
        # (KafkaMessageChannelBinder, DlqSender).
        if is_true(text):
            reading.add_setting(component, name, "unacknowledged", line)
    elif name == _AT_MOST_ONCE:
        if is_true(text):
            reading.add_setting(component, "commit", "before-processing", line)
            words = "the reactive binder commits before your code has the records"
            reading.note(line, f"{name}=true: {words} (application.commit)")
    elif name == _RESET:
        if is_true(text):
            reading.add_problem(_CONSUMER, name, line, f"{name}=true: {_RESET_WORDS}")
    elif name == _REBALANCES:
        if not is_true(text):  # KafkaMessageChannelBinder assigns by the instance's index
            reading.add_problem(_CONSUMER, name, line, f"{name}=false: {ASSIGNS}")
    elif component is Component.APPLICATION:
        is_manual = name == _AUTO_COMMIT and not is_true(text)
        ack_mode(
            reading, "MANUAL" if is_manual else "BATCH" if name == _AUTO_COMMIT else text, line
        )
    elif (name, text) != ("replication.factor", "-1"):  # -1 is the default of the brokers
        reading.add_setting(
            component, name, text.lower() if name == "auto.offset.reset" else text, line
        )


def _places(name: str) -> Iterator[Place]:
    """Yields the places of a property; none if it is not a setting of a client or a topic."""
    if match := _BINDING.fullmatch(name):
        setting, part = match["name"], match["part"]
        head, _, key = setting.partition(".")
        if head == "configuration":
            yield _ONE_BINDING, Component(part), _key(key)
        elif relaxed(setting).startswith("topic.properties."):
            yield _ONE_BINDING, _TOPIC, _key(setting.partition(".properties.")[2])
        elif place := _BINDING_SETTINGS.get((part, relaxed(setting))):
            yield place
    elif match := _BINDER.fullmatch(name):
        head, _, key = match["name"].partition(".")
        if head == "configuration":
            java = newest(Family.JAVA)
            components = [
                client
                for client in _PROPERTY_MAPS.values()
                if _key(key) in known_keys(java, client)
            ]
            yield from ((_BINDER_WIDE, component, _key(key)) for component in components)
        elif client := _PROPERTY_MAPS.get(relaxed(head)):
            yield _ONE_CLIENT, client, _key(key)
        elif place := _BINDER_SETTINGS.get(relaxed(match["name"])):
            yield place
        elif key.startswith("producer.configuration."):
            yield _ONE_BINDING, _PRODUCER, _key(key.removeprefix("producer.configuration."))


def _key(text: str) -> str:
    return text.removeprefix("[").removesuffix("]")


def _note_unread(reading: Reading, leaf: Leaf) -> None:
    """Adds a note for a property of the binder that is not read, and for a name that it does not
    have."""
    name = _name(leaf)
    if name.startswith(f"{_ROOT}binders."):
        words = "is not read: give the settings of its clients as properties"
        reading.note(leaf.line, f"{shown(name)} {words}")
    if not (match := _BINDER.fullmatch(name)) or match["name"].startswith("configuration."):
        return
    head = relaxed(match["name"].partition(".")[0])
    names = _UNWEIGHED_NAMES | _PROPERTY_MAPS.keys() | _BINDER_SETTINGS.keys()
    if head not in names:
        near = nearest(head, frozenset(names))
        hint = f"; the nearest known is {near}" if near else ""
        words = f"{shown(name)} is not a known name of the binder: not read{hint}"
        reading.note(leaf.line, words)


def _check_streams_binder(reading: Reading, leaves: Iterable[Leaf]) -> None:
    """Adds a problem for the Kafka Streams binder, which is a separate client."""
    kafka_leaves = [leaf for leaf in leaves if _name(leaf).startswith(_KAFKA)]
    streams_leaves = [leaf for leaf in kafka_leaves if _name(leaf).startswith(f"{_KAFKA}streams.")]
    if not streams_leaves:
        return
    line = streams_leaves[0].line
    words = "this is an application of the Kafka Streams binder, whose names are not read: give "
    words += "the settings that it passes to Kafka Streams as streams.properties"
    if streams_leaves == kafka_leaves:
        reading.add_problem(Component.APPLICATION, "framework", line, words)
    else:
        words = f"Line {line}: {words}, or choose a binding of the other binder on the command "
        words += "line (--only NAME)."
        reading.part_names |= {
            binding_name(_name(leaf)) for leaf in leaves if _BINDING_PROPERTY.match(_name(leaf))
        }
        reading.problems_unless_chosen.append(
            Problem(Component.APPLICATION, "Kafka Streams", words)
        )


def _drop_auto_commit(reading: Reading) -> None:
    for item in [item for item in reading.items if item.name == "enable.auto.commit"]:
        if item.component is _CONSUMER and item.text.lower() == "true":
            reading.items.remove(item)
            reading.note(item.line, "the binder ignores enable.auto.commit=true")


def _add_producer_defaults(
    reading: Reading, leaves: Iterable[Leaf], bindings: Mapping[str, int]
) -> None:
    """Adds the binder's default of acks, which is 1 before 5.0.2 and all since then (GH-3170), and
    linger.ms=0."""
    texts = {item.name: item.text for item in reading.items if item.component is _PRODUCER}
    line = _first_line(reading, _PRODUCER, bindings)
    if not line:
        return
    _add_unchecked_sends(reading, leaves, bindings, line)
    if "linger.ms" not in texts:
        reading.add_setting(_PRODUCER, "linger.ms", "0", line)
    if "acks" in texts:
        return
    # With acks=1 neither would start: so the default of this binder is all, as that of the client.
    if "transactional.id" in texts or texts.get("enable.idempotence", "").lower() == "true":
        return
    reading.add_setting(_PRODUCER, "acks", "1", line)
    words = "required-acks is not stated, so the binder sets acks=1: from 5.0.2 on it sets all"
    reading.note(line, words)


def binding_name(name: str) -> str:
    """The binding that a property belongs to; empty for the default of all bindings."""
    match = _ANY_BINDING.match(name)
    return match["name"] if match else ""


def _add_unchecked_sends(
    reading: Reading, leaves: Iterable[Leaf], bindings: Mapping[str, int], line: int
) -> None:
    """Adds that nobody checks the result of a send.

    It is checked if each binding waits for it, passes errors to a channel, or sends in a
    transaction (KafkaProducerMessageHandler, processSendResult).
    """
    switches = {
        (binding_name(_name(leaf)), match["setting"].replace("-", "")): is_true(leaf.text)
        for leaf in leaves
        if (match := _ERROR_CHECK.match(_name(leaf)))
    }
    settings = {setting for _, setting in switches}
    checks = [
        any(switches.get((binding, setting), switches.get(("", setting))) for setting in settings)
        for binding in bindings or ("",)
    ]
    if all(checks):
        return
    if any(item.name == "transactional.id" for item in reading.items):
        return
    reading.add_setting(Component.APPLICATION, "delivery.errors", "ignored", line)
    words = "a send that fails is only logged, unless sync=true or error-channel-enabled=true"
    reading.note(line, f"{words} of its binding (application.delivery.errors)")


def _add_consumer_defaults(
    reading: Reading, leaves: Iterable[Leaf], bindings: Mapping[str, int]
) -> None:
    """Adds the binder's default of auto.offset.reset: earliest for a group, latest for a consumer
    without a group."""
    names = {item.name for item in reading.items if item.component is _CONSUMER}
    groups = {name: leaf for name, leaf in _groups(leaves).items() if not name or name in bindings}
    line = _first_line(reading, _CONSUMER, bindings) or next(
        (leaf.line for leaf in groups.values()), 0
    )
    if not line or "auto.offset.reset" in names:
        return
    with_group = {name for name, leaf in groups.items() if leaf.text.strip()}
    if "" in with_group:
        with_group |= bindings.keys() - groups.keys()
    for binding in sorted(bindings.keys() | (groups.keys() - {""})) or [""]:
        text = "earliest" if binding in with_group else "latest"
        first_line = next(
            (leaf.line for leaf in leaves if binding_name(_name(leaf)) == binding != ""), line
        )
        reading.add_setting(_CONSUMER, "auto.offset.reset", text, first_line, process=binding)
        reader = "a group" if binding in with_group else "a binding without a group"
        words = f"unless auto.offset.reset is stated, the binder sets it to {text} for {reader}"
        if not any(note.endswith(f"{words}.") for note in reading.notes):
            reading.note(first_line, words)


def _groups(leaves: Iterable[Leaf]) -> dict[str, Leaf]:
    """The group of each binding; that of all others is under an empty name."""
    return {binding_name(name): leaf for leaf in leaves if _GROUP.fullmatch(name := _name(leaf))}


def _refuse_new_groups(
    reading: Reading, leaves: Sequence[Leaf], bindings: Mapping[str, int]
) -> None:
    """Adds a problem for a group that is a new one at each start: a generated name, or none with a
    stated auto.offset.reset (KafkaMessageChannelBinder, `anonymous`). Without that, the binder
    begins at the end of the topic, which the answer shows."""
    groups = _groups(leaves)
    for name, leaf in groups.items():
        if not name or name in bindings:
            refuse_new_group(reading, _CONSUMER, "group-id", leaf.text, leaf.line)
    resets = {
        item.process for item in reading.items
        if (item.component, item.name) == (_CONSUMER, "auto.offset.reset")
    }  # fmt: skip
    for leaf in leaves:
        match = _DESTINATION.fullmatch(_name(leaf))
        name = match["name"] if match else ""
        group = groups.get(name) or groups.get("")
        if name in bindings and not (group and group.text.strip()) and resets & {name, ""}:
            words = "this binding has no group: the binder makes a new one at each start, which "
            words += "begins where auto.offset.reset says. That is not covered; state its group"
            reading.add_problem(_CONSUMER, "group", leaf.line, words)


def _refuse_dead_letters_without_group(reading: Reading, leaves: Iterable[Leaf]) -> None:
    """Adds a problem for a dead-letter topic of a binding without a group
    (KafkaMessageChannelBinder, createConsumerEndpoint)."""
    with_group = {name for name, leaf in _groups(leaves).items() if leaf.text.strip()}
    for leaf in leaves:
        match = _BINDING.fullmatch(_name(leaf))
        name = binding_name(_name(leaf))
        if (
            match
            and relaxed(match["name"]) == "enabledlq"
            and is_true(leaf.text)
            and not with_group & ({name, ""} if name else with_group)
        ):
            words = "a binding without a group has no dead-letter topic: the binder does not start "
            words += "with enable-dlq=true. State the group of the binding"
            reading.add_problem(Component.APPLICATION, _DEAD_LETTER, leaf.line, words)


def _first_line(reading: Reading, component: Component, bindings: Mapping[str, int]) -> int:
    """The first line of a binding or an item of a client; 0 if there is none."""
    lines = [item.line for item in reading.items if item.component is component]
    return min([*bindings.values(), *lines], default=0)
