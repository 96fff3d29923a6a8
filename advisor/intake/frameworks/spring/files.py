"""`application.yml` of Spring Boot, or the same as properties: the settings under `spring.kafka`.

Source: Spring Boot's KafkaProperties and "Relaxed Binding". Spring for Apache Kafka sets
enable.auto.commit=false unless it is stated (2.3 and later), and commits when a batch is processed,
unless `listener.ack-mode` is set. Kafka Streams takes the settings under `properties` and
`streams`, and none of those under `producer`, `consumer` and `listener` (KafkaProperties,
buildStreamsProperties).
"""

from __future__ import annotations

import re
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial

from advisor.catalog import Component, Family
from advisor.catalog.nearest import nearest
from advisor.catalog.texts import is_free
from advisor.intake.absent_files import absence
from advisor.intake.application_file import ApplicationFile, leaves_by_part
from advisor.intake.clients.known_settings import known_keys, modelled_names, newest
from advisor.intake.clients.placeholders import SPRING, by_default, fill, with_references
from advisor.intake.clients.streams_properties import take as take_streams
from advisor.intake.formats.dotted import is_yaml
from advisor.intake.formats.java_properties import Property, properties
from advisor.intake.formats.yaml_nodes import Leaf, documents
from advisor.intake.frameworks.custom_names import refuse_custom_names
from advisor.intake.frameworks.instances import note_transactional_id
from advisor.intake.frameworks.spring import binders as spring_binders
from advisor.intake.frameworks.spring import bindings as spring_bindings
from advisor.intake.frameworks.spring import stated_by_code
from advisor.intake.frameworks.spring import types as spring_types
from advisor.intake.frameworks.spring.misplaced_names import report_misplaced_names
from advisor.intake.frameworks.spring.names import NAMES, ack_mode, is_true, relaxed, value
from advisor.intake.frameworks.spring.profiles import Part, as_part, with_profiles
from advisor.intake.frameworks.spring.stated_by_code import CodeFacts
from advisor.intake.frameworks.spring.stopped_listeners import stopped_by_settings
from advisor.intake.reading import DEFAULT, Item, Reader, Reading
from advisor.intake.text import line_of, shown

_PRODUCER, _CONSUMER = Component.PRODUCER, Component.CONSUMER
_STREAMS = re.compile(r"spring\.kafka\.streams\.(?!auto-?startup|cleanup)", re.IGNORECASE)
"""Keys that show a Kafka Streams application; the others also occur without one."""

_LISTENER_PARTS = (_PRODUCER, _CONSUMER, "listener")
_STREAMS_SETTINGS = ("application.id", "replication.factor", "state.dir")
_FLAGS = re.MULTILINE | re.IGNORECASE
_PROPERTY_LINE = re.compile(r"^[ \t]*spring\.(kafka|cloud)\b", _FLAGS)
_KAFKA_KEY = re.compile(
    r"^[ \t]+(?:kafka:|[\w.-]{0,80}kafka\.[\w.-]+:|type:[ \t]*[\"']?kafka\b)", _FLAGS
)
_SPRING_KEY = re.compile(r"^spring:", _FLAGS)
_SEPARATOR = re.compile(r"^[#!]---[ \t\r]*$", re.MULTILINE)
_LISTENER = "spring.kafka.listener."
_MANUAL_MODES = ("MANUAL", "MANUAL_IMMEDIATE")
_TRANSACTION_PREFIXES = (
    "spring.kafka.producer.transactionidprefix",
    "spring.cloud.stream.kafka.binder.transaction.transactionidprefix",
)
_RETRY_TOPICS = "spring.kafka.retry.topic.enabled"
_COMMON_RANK, _NAME_RANK, _CLIENT_RANK, _CONTAINER_RANK = range(DEFAULT + 1, DEFAULT + 5)
"""Ranks of the sources of a setting: the source of the highest rank counts, in any order of
lines."""
_CASELESS_PART = re.compile(
    r"spring\.(?:(?!\.(?:properties|configuration)(?![\w-])).)*", re.IGNORECASE
)
"""The part of a name whose case Spring ignores: all but the keys of a map
(ConfigurationPropertyName, "Relaxed Binding")."""
_IMPORT = re.compile(r"spring\.config\.import(?:\.\d+|\[\d+])?")
_IMPORTED_FILE = re.compile(r"(?:^|[:,])(?:file|classpath):|\.(?:ya?ml|properties)\b")
_MAP_ENTRY = re.compile(r"(?<![.\[])\[")


def read_files(files: Iterable[ApplicationFile]) -> Reading:
    """The settings that Spring would pass to the clients of an application, by its files in the
    order in which they override each other. Raises `IntakeError`."""
    return with_profiles([part for file in files for part in _parts(file)], _read)


def _read(leaves: Sequence[Leaf], without: Collection[str] = ()) -> Reading:
    """The settings that Spring would pass to its clients, without bindings of these names."""
    reading = Reading(heads={"family": Family.JAVA}, read_without=partial(_read, leaves))
    take(reading, [*leaves], without)
    return reading


def _parts(file: ApplicationFile) -> Iterator[Part]:
    is_last = file.text.startswith(stated_by_code.MARK)
    for leaves in leaves_by_part(file, _documents):
        yield replace(as_part(leaves, file.profile), is_last=is_last)


def take(reading: Reading, leaves: list[Leaf], without: Collection[str] = ()) -> None:
    """Takes the properties of Spring, with the values that Spring sets by default."""
    code = CodeFacts(leaves)
    raw_leaves = leaves = code.properties(leaves)
    leaves = [
        replace(leaf, path=(_canonical(leaf.path),)) for leaf in with_references(reading, leaves)
    ]
    leaves = [leaf for leaf in leaves if spring_bindings.binding_name(leaf.path[0]) not in without]
    leaves = code.without_replaced(reading, leaves)
    _check(reading, leaves, raw_leaves, code.placeholder_names(raw_leaves))
    leaves, has_binder = spring_binders.with_environment(reading, leaves)
    bindings = has_binder or spring_bindings.uses_kafka_binder(leaves)
    if bindings:
        spring_bindings.take_defaults(reading, leaves)
    if any(_STREAMS.match(leaf.path[0]) for leaf in leaves):
        reading.heads["family"] = Family.STREAMS
    is_other = bool(bindings) or reading.heads["family"] == Family.STREAMS
    code.add_problems(reading, is_other=is_other)
    start = len(reading.items)
    for leaf in sorted(leaves, key=_rank):
        begin = len(reading.items)
        _take_leaf(reading, leaf)
        _set_rank(reading, begin, _NAME_RANK if bindings else _rank(leaf))
    code.drop_common_properties(reading)
    if bindings:
        spring_bindings.take_overrides(reading, leaves)
        _set_rank(reading, start, _NAME_RANK)
    begin = len(reading.items)
    _add_spring_defaults(reading, leaves)
    _set_rank(reading, begin, DEFAULT)
    begin = len(reading.items)
    _add_container(reading, leaves, "spring-cloud-stream" if bindings else "spring", code)
    _set_rank(reading, begin, _CONTAINER_RANK)
    code.add_error_handling(reading)
    code.add_containers(reading)


def _check(
    reading: Reading, leaves: list[Leaf], raw_leaves: list[Leaf], names_in_code: Collection[str]
) -> None:
    """Adds the problems and the notes about names, and about values that are none of theirs."""
    _check_imports(reading, leaves)
    for line, words in stopped_by_settings(leaves):
        reading.note(line, words)
    _check_two_forms(reading, leaves)
    spring_types.check_values(reading, leaves)
    _refuse_custom_clients(reading, leaves, names_in_code)
    report_misplaced_names(reading, leaves, raw_leaves, names_in_code)
    if not reading.problems:
        refuse_custom_names(reading, leaves, raw_leaves)


def _set_rank(reading: Reading, start: int, rank: int) -> None:
    """Sets the rank of all items from an index on."""
    reading.items[start:] = [replace(item, rank=rank) for item in reading.items[start:]]


def _check_imports(reading: Reading, leaves: list[Leaf]) -> None:
    """Adds a problem or a note for files that `spring.config.import` names, which override this one
    (Spring Boot reference, "Importing Additional Data")."""
    for leaf in leaves:
        if not _IMPORT.fullmatch(relaxed(leaf.path[0])) or not leaf.text.strip():
            continue
        if _IMPORTED_FILE.search(leaf.text):
            words = (
                "the file that spring.config.import names takes precedence over this one. Put its "
            )
            words += "settings here, and leave the line out"
            reading.add_problem(Component.APPLICATION, "spring.config.import", leaf.line, words)
        else:
            words = (
                "spring.config.import: its source takes precedence over this file, and is not read"
            )
            reading.note(leaf.line, absence(words))


def _check_two_forms(reading: Reading, leaves: list[Leaf]) -> None:
    """Adds a problem for a property that one source sets in two forms of its name.

    The name with dashes takes precedence over the other forms, wherever it stands
    (SpringIterableConfigurationPropertySource, getConfigurationProperty).
    """
    forms: dict[str, dict[str, Leaf]] = {}
    for leaf in leaves:
        name = leaf.path[0]
        if (
            name.startswith("spring.")
            and ".properties" not in name
            and ".configuration" not in name
        ):
            forms.setdefault(relaxed(name), {})[name] = leaf
    for leaves_by_name in forms.values():
        last = [*leaves_by_name.values()][-1]
        if len(leaves_by_name) > 1 and len({leaf.text for leaf in leaves_by_name.values()}) > 1:
            words = "is stated in two forms, and Spring takes the one with dashes. Keep only one"
            reading.add_problem(
                Component.APPLICATION, last.path[0], last.line, f"{last.path[0]} {words}"
            )


def _refuse_custom_clients(
    reading: Reading, leaves: list[Leaf], placeholders: Collection[str]
) -> None:
    """Adds a problem for a setting of a client under a name of the application, whose code passes
    it on. `placeholders` are names that the code fills in."""
    for leaf in (leaf for leaf in leaves if leaf.path[0].lower() not in placeholders):
        name = leaf.path[0]
        parts = re.split(r"[.\[\]]+", name.lower())
        kafka_at = next((at for at, part in enumerate(parts) if "kafka" in part), None)
        if name.startswith(("spring.", "management.", "logging.")) or kafka_at is None:
            continue
        rest = ".".join(part for part in parts[kafka_at + 1 :])
        key = re.sub(r"^(?:.*\.)?(?:producer|consumer)s?\.(?:properties\.|config\.)?", "", rest)
        for component in (_PRODUCER, _CONSUMER):
            settings = {relaxed(word.replace(".", "")): word for word in modelled_names(component)}
            setting = settings.get(relaxed(key.replace(".", "")))
            if setting and not is_free(setting):
                words = (
                    f"is {setting} of a {component} as code of your own has it. Give the settings "
                )
                words += f"of that {component} as properties, one file for each client"
                reading.add_problem(
                    Component.APPLICATION, name, leaf.line, f"{shown(name)} {words}"
                )
                return


def _canonical(path: tuple[str, ...]) -> str:
    """One dotted name, in lower case except for the parts whose case counts."""
    name = _CASELESS_PART.sub(lambda match: match[0].lower(), ".".join(path), count=1)
    for part in ("properties", "configuration"):
        name = re.sub(rf"\.{part}(?![\w-])", f".{part}", name, count=1, flags=re.IGNORECASE)
    return _MAP_ENTRY.sub(".[", name)


def _rank(leaf: Leaf) -> int:
    """The rank of a property.

    `properties` of a client override Spring's names, and these override `properties` of all
    clients, in any order of lines (KafkaProperties, buildProducerProperties).
    """
    _, _, rest = ".".join(leaf.path).partition("spring.kafka.")
    part, _, name = rest.partition(".")
    if part == "properties":
        return _COMMON_RANK
    is_client_property = name.startswith("properties.") or name.startswith("properties[")
    return _CLIENT_RANK if is_client_property else _NAME_RANK


def _documents(text: str, ending: str) -> list[list[Leaf]]:
    if text.startswith(stated_by_code.MARK):
        return [stated_by_code.leaves(text)]
    if is_yaml(text, ending):
        return documents(text)
    starts = [line_of(text, match.start()) for match in _SEPARATOR.finditer(text)]
    parts: list[list[Leaf]] = [[] for _ in range(len(starts) + 1)]
    for entry in properties(text):
        leaf = Leaf((entry.key,), entry.value, entry.line)
        parts[bisect(starts, entry.line)].append(leaf)
    return parts


def _take_leaf(reading: Reading, leaf: Leaf) -> None:
    head, _, rest = ".".join(leaf.path).partition("spring.kafka.")
    if not head and rest:  # else it is another part of the application
        fill(
            reading,
            SPRING,
            (rest, leaf.text, leaf.line),
            partial(_take_property, reading, rest, leaf),
        )


def _take_property(reading: Reading, rest: str, leaf: Leaf, text: str) -> None:
    """Takes one property below spring.kafka, with the text that counts."""
    leaf = replace(leaf, text=text)
    part, _, name = rest.partition(".")
    head, _, key = name.partition(".")
    key = key.removeprefix("[").removesuffix("]")
    if part in _LISTENER_PARTS and reading.heads["family"] == Family.STREAMS:
        words = f"{shown(f'spring.kafka.{part}')} is not passed to Kafka Streams: not read"
        if not any(note.endswith(f"{words}.") for note in reading.notes):
            reading.note(leaf.line, words)
    elif part in (_PRODUCER, _CONSUMER) and head == "properties":
        reading.add_setting(Component(part), key, leaf.text, leaf.line)
    elif part in (_PRODUCER, _CONSUMER):
        _take_named_setting(reading, Component(part), name, leaf)
    elif part == "streams":
        _take_streams_setting(reading, name, leaf)
    elif part == "properties":
        _take_common_property(reading, name.removeprefix("[").removesuffix("]"), leaf)
    elif relaxed(rest) == "listener.ackmode":
        ack_mode(reading, leaf.text, leaf.line)
    elif stated_by_code.is_type_of_batch(rest, leaf.text):
        item = Item(Component.APPLICATION, stated_by_code.BY_TYPE, "batch", leaf.line)
        reading.compared_items.append(item)


def _take_streams_setting(reading: Reading, name: str, leaf: Leaf) -> None:
    """Takes a setting of spring.kafka.streams: one of the application, or one of a client inside
    it."""
    setting = {relaxed(word.replace(".", "-")): word for word in _STREAMS_SETTINGS}.get(
        relaxed(name)
    )
    inner = name.removeprefix("properties.").removeprefix("[").removesuffix("]")
    if setting or inner != name:
        take_streams(reading, Property(leaf.line, setting or inner, leaf.text))


def _take_named_setting(reading: Reading, component: Component, name: str, leaf: Leaf) -> None:
    """Takes a setting under Spring's name for it."""
    names = {relaxed(spring_name): spring_name for spring_name in NAMES[component]}
    spring_name = names.get(relaxed(name.partition(".")[0]))
    if spring_name is None:
        _report_unknown_name(reading, component, name, leaf)
    elif NAMES[component][spring_name]:
        text = value(NAMES[component][spring_name], leaf.text)
        reading.add_setting(component, NAMES[component][spring_name], text, leaf.line)


def _report_unknown_name(reading: Reading, component: Component, name: str, leaf: Leaf) -> None:
    """Reports a name that Spring Boot does not have, and ignores (`ignoreUnknownFields`).

    Applications put names of their own there, so it is a note. It is a problem if the name may
    stand for a setting that counts.
    """
    words = f"There is no spring.kafka.{component}.{shown(name)}"
    settings = {relaxed(word.replace(".", "")): word for word in modelled_names(component)}
    meant = settings.get(relaxed(name.replace(".", "")))
    names = {relaxed(word): word for word in NAMES[component]}
    near = names.get(nearest(relaxed(name), frozenset(names)) or "")
    if meant:
        reading.add_problem(component, name, leaf.line, words, f"properties.{meant}")
    elif near and NAMES[component][near] in modelled_names(component):
        reading.add_problem(component, name, leaf.line, words, near)
    else:
        reading.note(leaf.line, f"{words}: Spring ignores it".replace("There", "there", 1))


def _take_common_property(reading: Reading, key: str, leaf: Leaf) -> None:
    """Takes a property of all clients for each client that has it."""
    components = [name for name in NAMES if key in known_keys(newest(Family.JAVA), name)]
    for component in components or [_PRODUCER]:
        reading.add_setting(component, key, leaf.text, leaf.line)


def _add_spring_defaults(reading: Reading, leaves: list[Leaf]) -> None:
    """Adds the values that Spring sets by default, if the application reads messages."""
    items = {(item.component, item.name): item for item in reading.items}
    line = next((item.line for item in reading.items if item.component is _CONSUMER), 0)
    if reading.heads["family"] == Family.STREAMS:
        return  # it commits by itself, whatever the settings of listeners
    auto_commit = items.get((_CONSUMER, "enable.auto.commit"))
    if auto_commit and auto_commit.text.lower() == "true":
        _take_client_commit(reading, leaves, items.get((Component.APPLICATION, "commit")))
    if not line or auto_commit:
        return
    reading.add_setting(_CONSUMER, "enable.auto.commit", "false", line)
    reading.note(
        line, "unless enable.auto.commit is stated, Spring sets it to false and commits itself"
    )
    has_mode = (Component.APPLICATION, "commit") in items
    if not has_mode and not any("ack-mode" in note for note in reading.notes):
        reading.add_setting(Component.APPLICATION, "commit", "after-processing", line)


def _take_client_commit(reading: Reading, leaves: list[Leaf], commit: Item | None) -> None:
    """Adds that the client commits, with enable.auto.commit=true: the container commits nothing.

    A container that leaves the commit to the code does not start (KafkaMessageListenerContainer,
    ListenerConsumer).
    """
    if commit is not None:
        reading.items.remove(commit)
        words = "enable.auto.commit=true: the container ignores ack-mode, and the client"
        reading.note(commit.line, f"{words} commits by itself")
    names = {relaxed(".".join(leaf.path)): leaf for leaf in leaves}
    leaf = names.get(f"{_LISTENER}ackmode")
    if leaf and (mode := _manual_mode(leaf)):
        words = f"Consumer cannot be configured for auto commit for ackMode {mode}"
        reading.add_problem(_CONSUMER, "enable.auto.commit", leaf.line, words)


def _manual_mode(leaf: Leaf) -> str:
    """The ack-mode that leaves commits to the code; empty for any other mode."""
    return next(
        (mode for mode in _MANUAL_MODES if relaxed(mode) == relaxed(by_default(leaf.text).strip())),
        "",
    )


def _add_container(reading: Reading, leaves: list[Leaf], framework: str, code: CodeFacts) -> None:
    """Adds the framework that polls for the listeners, if there are any: it decides how errors are
    handled.

    With a transaction-id-prefix the container sends its offsets in the producer's transaction
    (spring-kafka reference, Transactions; Spring Cloud Stream, Transactional Binder).
    """
    if reading.heads["family"] == Family.STREAMS:
        return
    names = {relaxed(leaf.path[0]): leaf for leaf in leaves}
    lines = [item.line for item in reading.items if item.component is _CONSUMER]
    lines += [leaf.line for name, leaf in names.items() if name.startswith(_LISTENER)]
    lines += [leaf.line for leaf in code.by_name(stated_by_code.CONTAINER)]
    if not lines:
        return
    reading.add_setting(Component.APPLICATION, "framework", framework, min(lines))
    prefix = next((names[name] for name in _TRANSACTION_PREFIXES if name in names), None)
    has_transactional_id = any(item.name == "transactional.id" for item in reading.items)
    is_named = bool(prefix and prefix.text and has_transactional_id)
    is_in_transaction = code.is_in_transaction(reading, by_file=is_named)
    if prefix and is_in_transaction:
        reading.add_setting(Component.APPLICATION, "commit", "in-transaction", prefix.line)
        words = "makes the listeners' container send offsets in the transaction"
        reading.note(prefix.line, f"transaction-id-prefix {words}")
        note_transactional_id(reading, "transaction-id-prefix", prefix.text, prefix.line)
    retries = names.get(_RETRY_TOPICS)
    if retries and is_true(retries.text):
        reading.add_setting(Component.APPLICATION, "retry.topics", "true", retries.line)
        # Its last topic is a dead-letter topic, and the recoverer waits for the acknowledgement
        # (DltStrategy.ALWAYS_RETRY_ON_ERROR; DeadLetterPublishingRecoverer).
        reading.add_setting(Component.APPLICATION, "dead.letter", "acknowledged", retries.line)
        if is_in_transaction:
            words = "Non-Blocking Retries cannot combine with Container Transactions: with "
            words += "transaction-id-prefix, leave retry.topic.enabled out"
            reading.add_problem(Component.APPLICATION, "retry.topics", retries.line, words)
    _add_commit_order(reading, names)


def _add_commit_order(reading: Reading, names: dict[str, Leaf]) -> None:
    """Adds that offsets are committed in order with async-acks: acknowledgements that threads make
    out of order wait for each other (ContainerProperties.asyncAcks)."""
    async_acks = names.get(f"{_LISTENER}asyncacks")
    mode = names.get(f"{_LISTENER}ackmode")
    is_manual = mode is not None and _manual_mode(mode)
    if async_acks and is_manual and is_true(async_acks.text):
        reading.add_setting(Component.APPLICATION, "commit.order", "in-order", async_acks.line)


def _likeness(text: str) -> float:
    if text.startswith(stated_by_code.MARK):
        return 1.0
    if _PROPERTY_LINE.search(text):
        return 0.95
    return 0.9 if _SPRING_KEY.search(text) and _KAFKA_KEY.search(text) else 0.0


READERS = (Reader.of_application("spring", "Spring Boot application.yml", _likeness, read_files),)
