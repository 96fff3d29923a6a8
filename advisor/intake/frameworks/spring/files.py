"""`application.yml` of Spring Boot, or the same as properties: what stands under `spring.kafka`.

Source: Spring Boot's KafkaProperties and "Relaxed Binding". Spring for Apache Kafka sets
enable.auto.commit=false unless it is stated (2.3 and later) and commits when a batch is processed,
unless `listener.ack-mode` says otherwise. Kafka Streams is given what stands under `properties` and
`streams`, and nothing of `producer`, `consumer` and `listener` (KafkaProperties,
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
from advisor.intake.application_file import ApplicationFile, leaves_by_part
from advisor.intake.clients.known_settings import known_keys, newest, weighed_names
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
from advisor.intake.frameworks.spring.names import NAMES, ack_mode, is_true, relaxed, value
from advisor.intake.frameworks.spring.profiles import Part, as_part, with_profiles
from advisor.intake.frameworks.spring.stated_by_code import CodeFacts
from advisor.intake.reading import DEFAULT, Item, Reader, Reading
from advisor.intake.text import line_of, shown

_PRODUCER, _CONSUMER = Component.PRODUCER, Component.CONSUMER
_STREAMS = re.compile(r"spring\.kafka\.streams\.(?!auto-?startup|cleanup)", re.IGNORECASE)
"""Keys that show a Kafka Streams application; the others also occur without one."""

_OF_LISTENERS = (_PRODUCER, _CONSUMER, "listener")
_OF_STREAMS = ("application.id", "replication.factor", "state.dir")
_FLAGS = re.MULTILINE | re.IGNORECASE
_LINE = re.compile(r"^[ \t]*spring\.(kafka|cloud)\b", _FLAGS)
_KAFKA = re.compile(
    r"^[ \t]+(?:kafka:|[\w.-]{0,80}kafka\.[\w.-]+:|type:[ \t]*[\"']?kafka\b)", _FLAGS
)
_BLOCK = re.compile(r"^spring:", _FLAGS)
_SEPARATOR = re.compile(r"^[#!]---[ \t\r]*$", re.MULTILINE)
_LISTENER = "spring.kafka.listener."
_BY_CODE = ("MANUAL", "MANUAL_IMMEDIATE")
_PREFIXES = (
    "spring.kafka.producer.transactionidprefix",
    "spring.cloud.stream.kafka.binder.transaction.transactionidprefix",
)
_RETRY_TOPICS = "spring.kafka.retry.topic.enabled"
_OF_ALL, _OWN_NAME, _OF_CLIENT, _CONTAINER = range(DEFAULT + 1, DEFAULT + 5)
"""Ranks of what states a setting: what a higher one states counts, wherever it stands."""
_OWN = re.compile(r"spring\.(?:(?!\.(?:properties|configuration)(?![\w-])).)*", re.IGNORECASE)
"""The part of a name that Spring compares without regard to the letters' case: all but the keys of
a map (ConfigurationPropertyName, "Relaxed Binding")."""
_IMPORT = re.compile(r"spring\.config\.import(?:\.\d+|\[\d+])?")
_IMPORTED_FILE = re.compile(r"(?:^|[:,])(?:file|classpath):|\.(?:ya?ml|properties)\b")
_ENTRY = re.compile(r"(?<![.\[])\[")


def read(text: str) -> Reading:
    """What Spring would hand to the client. Raises `IntakeError`."""
    return read_files([ApplicationFile(text)])


def read_files(files: Iterable[ApplicationFile]) -> Reading:
    """What Spring makes of several files of one application, in the order in which they replace
    each other. Raises `IntakeError`."""
    return with_profiles([part for file in files for part in _parts(file)], _read)


def _read(leaves: Sequence[Leaf], without: Collection[str] = ()) -> Reading:
    """What Spring would hand to its clients, without bindings of these names."""
    reading = Reading(heads={"family": Family.JAVA}, read_without=partial(_read, leaves))
    take(reading, [*leaves], without)
    return reading


def _parts(file: ApplicationFile) -> Iterator[Part]:
    is_last = file.text.startswith(stated_by_code.MARK)
    for leaves in leaves_by_part(file, _documents):
        yield replace(as_part(leaves, file.profile), is_last=is_last)


def take(reading: Reading, leaves: list[Leaf], without: Collection[str] = ()) -> None:
    """What Spring makes of its properties, with the values that it sets itself."""
    code = CodeFacts(leaves)
    written = leaves = code.properties(leaves)
    leaves = [
        replace(leaf, path=(_canonical(leaf.path),)) for leaf in with_references(reading, leaves)
    ]
    leaves = [leaf for leaf in leaves if spring_bindings.binding_of(leaf.path[0]) not in without]
    leaves = code.counting(reading, leaves)
    _imports(reading, leaves)
    _two_forms(reading, leaves)
    spring_types.check(reading, leaves)
    _own_clients(reading, leaves, code.filled_in(written))
    if not reading.problems:
        refuse_custom_names(reading, leaves, written)
    leaves, named = spring_binders.settled(reading, leaves)
    bindings = named or spring_bindings.used(leaves)
    if bindings:
        spring_bindings.before(reading, leaves)
    if any(_STREAMS.match(leaf.path[0]) for leaf in leaves):
        reading.heads["family"] = Family.STREAMS
    is_other = bool(bindings) or reading.heads["family"] == Family.STREAMS
    code.refuse(reading, is_other=is_other)
    first = len(reading.items)
    for leaf in sorted(leaves, key=_rank):
        own = len(reading.items)
        _take(reading, leaf)
        _give_rank(reading, own, _OWN_NAME if bindings else _rank(leaf))
    code.drop_common(reading)
    if bindings:
        spring_bindings.after(reading, leaves)
        _give_rank(reading, first, _OWN_NAME)
    own = len(reading.items)
    _state_defaults(reading, leaves)
    _give_rank(reading, own, DEFAULT)
    own = len(reading.items)
    _container(reading, leaves, "spring-cloud-stream" if bindings else "spring", code)
    _give_rank(reading, own, _CONTAINER)
    code.of_errors(reading)
    code.compare(reading)


def _give_rank(reading: Reading, first: int, rank: int) -> None:
    """Ranks what was stated from a place on."""
    reading.items[first:] = [replace(item, rank=rank) for item in reading.items[first:]]


def _imports(reading: Reading, leaves: list[Leaf]) -> None:
    """Files that a file names, which go before it, and are not here (Spring Boot reference,
    "Importing Additional Data")."""
    for leaf in leaves:
        if not _IMPORT.fullmatch(relaxed(leaf.path[0])) or not leaf.text.strip():
            continue
        if _IMPORTED_FILE.search(leaf.text):
            words = "what the file behind spring.config.import states goes before this one. Put it "
            words += "here, and leave the line out"
            reading.wrong(Component.APPLICATION, "spring.config.import", leaf.line, words)
        else:
            words = "spring.config.import: what stands there goes before this file, and is not read"
            reading.note(leaf.line, words)


def _two_forms(reading: Reading, leaves: list[Leaf]) -> None:
    """A name with dashes goes before its other forms in one source, wherever it stands
    (SpringIterableConfigurationPropertySource, getConfigurationProperty)."""
    forms: dict[str, dict[str, Leaf]] = {}
    for leaf in leaves:
        name = leaf.path[0]
        if (
            name.startswith("spring.")
            and ".properties" not in name
            and ".configuration" not in name
        ):
            forms.setdefault(relaxed(name), {})[name] = leaf
    for own in forms.values():
        last = [*own.values()][-1]
        if len(own) > 1 and len({leaf.text for leaf in own.values()}) > 1:
            words = "is stated in two forms, and Spring takes the one with dashes. Leave one"
            reading.wrong(Component.APPLICATION, last.path[0], last.line, f"{last.path[0]} {words}")


def _own_clients(reading: Reading, leaves: list[Leaf], known: Collection[str]) -> None:
    """What an application of its own has of a client beside Spring's names, and its code hands
    on; but for what the code was `known` to fill in."""
    for leaf in (leaf for leaf in leaves if leaf.path[0].lower() not in known):
        name = leaf.path[0]
        parts = re.split(r"[.\[\]]+", name.lower())
        kafka = next((at for at, part in enumerate(parts) if "kafka" in part), None)
        if name.startswith(("spring.", "management.", "logging.")) or kafka is None:
            continue
        rest = ".".join(part for part in parts[kafka + 1 :])
        key = re.sub(r"^(?:.*\.)?(?:producer|consumer)s?\.(?:properties\.|config\.)?", "", rest)
        for component in (_PRODUCER, _CONSUMER):
            settings = {relaxed(own.replace(".", "")): own for own in weighed_names(component)}
            own = settings.get(relaxed(key.replace(".", "")))
            if own and not is_free(own):
                words = f"is {own} of a {component} as code of your own has it. Give the settings "
                words += f"of that {component} as properties, one file for each client"
                reading.wrong(Component.APPLICATION, name, leaf.line, f"{shown(name)} {words}")
                return


def _canonical(path: tuple[str, ...]) -> str:
    """One dotted name, in small letters as far as their case does not count."""
    name = _OWN.sub(lambda own: own[0].lower(), ".".join(path), count=1)
    for part in ("properties", "configuration"):
        name = re.sub(rf"\.{part}(?![\w-])", f".{part}", name, count=1, flags=re.IGNORECASE)
    return _ENTRY.sub(".[", name)


def _rank(leaf: Leaf) -> int:
    """What counts of a client's setting comes last, wherever it stands: `properties` of the client,
    then Spring's own name, then `properties` of all (KafkaProperties, buildProducerProperties)."""
    _, _, rest = ".".join(leaf.path).partition("spring.kafka.")
    part, _, name = rest.partition(".")
    if part == "properties":
        return _OF_ALL
    of_client = name.startswith("properties.") or name.startswith("properties[")
    return _OF_CLIENT if of_client else _OWN_NAME


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


def _take(reading: Reading, leaf: Leaf) -> None:
    head, _, rest = ".".join(leaf.path).partition("spring.kafka.")
    if not head and rest:  # else it is another part of the application
        fill(reading, SPRING, (rest, leaf.text, leaf.line), partial(_sort, reading, rest, leaf))


def _sort(reading: Reading, rest: str, leaf: Leaf, text: str) -> None:
    """One property below spring.kafka, with the text that counts."""
    leaf = replace(leaf, text=text)
    part, _, name = rest.partition(".")
    own, _, key = name.partition(".")
    key = key.removeprefix("[").removesuffix("]")
    if part in _OF_LISTENERS and reading.heads["family"] == Family.STREAMS:
        words = f"{shown(f'spring.kafka.{part}')} is not handed to Kafka Streams: not read"
        if not any(note.endswith(f"{words}.") for note in reading.notes):
            reading.note(leaf.line, words)
    elif part in (_PRODUCER, _CONSUMER) and own == "properties":
        reading.state(Component(part), key, leaf.text, leaf.line)
    elif part in (_PRODUCER, _CONSUMER):
        _named(reading, Component(part), name, leaf)
    elif part == "streams":
        _streams(reading, name, leaf)
    elif part == "properties":
        _common(reading, name.removeprefix("[").removesuffix("]"), leaf)
    elif relaxed(rest) == "listener.ackmode":
        ack_mode(reading, leaf.text, leaf.line)
    elif stated_by_code.is_type_of_batch(rest, leaf.text):
        item = Item(Component.APPLICATION, stated_by_code.BY_TYPE, "batch", leaf.line)
        reading.compared_items.append(item)


def _streams(reading: Reading, name: str, leaf: Leaf) -> None:
    """A setting of spring.kafka.streams: of the application, or of a client inside it."""
    own = {relaxed(key.replace(".", "-")): key for key in _OF_STREAMS}.get(relaxed(name))
    inside = name.removeprefix("properties.").removeprefix("[").removesuffix("]")
    if own or inside != name:
        take_streams(reading, Property(leaf.line, own or inside, leaf.text))


def _named(reading: Reading, component: Component, name: str, leaf: Leaf) -> None:
    """A setting under Spring's own name for it."""
    names = {relaxed(own): own for own in NAMES[component]}
    own = names.get(relaxed(name.partition(".")[0]))
    if own is None:
        _no_name(reading, component, name, leaf)
    elif NAMES[component][own]:
        text = value(NAMES[component][own], leaf.text)
        reading.state(component, NAMES[component][own], text, leaf.line)


def _no_name(reading: Reading, component: Component, name: str, leaf: Leaf) -> None:
    """A name that Spring Boot does not have and passes over (`ignoreUnknownFields`): applications
    put names of their own there. One that may be meant for a setting that counts is refused."""
    words = f"There is no spring.kafka.{component}.{shown(name)}"
    settings = {relaxed(own.replace(".", "")): own for own in weighed_names(component)}
    meant = settings.get(relaxed(name.replace(".", "")))
    names = {relaxed(own): own for own in NAMES[component]}
    near = names.get(nearest(relaxed(name), frozenset(names)) or "")
    if meant:
        reading.wrong(component, name, leaf.line, words, f"properties.{meant}")
    elif near and NAMES[component][near] in weighed_names(component):
        reading.wrong(component, name, leaf.line, words, near)
    else:
        reading.note(leaf.line, f"{words}: Spring passes over it".replace("There", "there", 1))


def _common(reading: Reading, key: str, leaf: Leaf) -> None:
    """A property of all clients goes to each that has it."""
    having = [name for name in NAMES if key in known_keys(newest(Family.JAVA), name)]
    for component in having or [_PRODUCER]:
        reading.state(component, key, leaf.text, leaf.line)


def _state_defaults(reading: Reading, leaves: list[Leaf]) -> None:
    """The values that Spring sets itself, if the application reads messages."""
    stated = {(item.component, item.name): item for item in reading.items}
    line = next((item.line for item in reading.items if item.component is _CONSUMER), 0)
    if reading.heads["family"] == Family.STREAMS:
        return  # it commits by itself, whatever Spring says to listeners
    by_client = stated.get((_CONSUMER, "enable.auto.commit"))
    if by_client and by_client.text.lower() == "true":
        _by_client(reading, leaves, stated.get((Component.APPLICATION, "commit")))
    if not line or by_client:
        return
    reading.state(_CONSUMER, "enable.auto.commit", "false", line)
    reading.note(line, "unless enable.auto.commit is stated, Spring says false and commits itself")
    by_mode = (Component.APPLICATION, "commit") in stated
    if not by_mode and not any("ack-mode" in note for note in reading.notes):
        reading.state(Component.APPLICATION, "commit", "after-processing", line)


def _by_client(reading: Reading, leaves: list[Leaf], by_mode: Item | None) -> None:
    """With enable.auto.commit=true the container commits nothing, whatever its mode; one that
    leaves it to the code does not start (KafkaMessageListenerContainer, ListenerConsumer)."""
    if by_mode is not None:
        reading.items.remove(by_mode)
        words = "enable.auto.commit=true: the container passes over ack-mode, and the client"
        reading.note(by_mode.line, f"{words} commits by itself")
    names = {relaxed(".".join(leaf.path)): leaf for leaf in leaves}
    leaf = names.get(f"{_LISTENER}ackmode")
    if leaf and (mode := _mode(leaf)):
        words = f"Consumer cannot be configured for auto commit for ackMode {mode}"
        reading.wrong(_CONSUMER, "enable.auto.commit", leaf.line, words)


def _mode(leaf: Leaf) -> str:
    """The mode that leaves commits to the code; empty for any other."""
    return next(
        (mode for mode in _BY_CODE if relaxed(mode) == relaxed(by_default(leaf.text).strip())), ""
    )


def _container(reading: Reading, leaves: list[Leaf], framework: str, code: CodeFacts) -> None:
    """What polls for the listeners, where there are some: it decides what becomes of failures.

    With a transaction-id-prefix the container sends its offsets in the producer's transaction
    (spring-kafka reference, Transactions; Spring Cloud Stream, Transactional Binder).
    """
    if reading.heads["family"] == Family.STREAMS:
        return
    names = {relaxed(leaf.path[0]): leaf for leaf in leaves}
    lines = [item.line for item in reading.items if item.component is _CONSUMER]
    lines += [leaf.line for name, leaf in names.items() if name.startswith(_LISTENER)]
    lines += [leaf.line for leaf in code.named(stated_by_code.CONTAINER)]
    if not lines:
        return
    reading.state(Component.APPLICATION, "framework", framework, min(lines))
    prefix = next((names[name] for name in _PREFIXES if name in names), None)
    named = any(item.name == "transactional.id" for item in reading.items)
    is_named = bool(prefix and prefix.text and named)
    is_in_transaction = code.is_in_transaction(reading, by_file=is_named)
    if prefix and is_in_transaction:
        reading.state(Component.APPLICATION, "commit", "in-transaction", prefix.line)
        words = "has the listeners' container send offsets in the transaction"
        reading.note(prefix.line, f"transaction-id-prefix {words}")
        note_transactional_id(reading, "transaction-id-prefix", prefix.text, prefix.line)
    retries = names.get(_RETRY_TOPICS)
    if retries and is_true(retries.text):
        reading.state(Component.APPLICATION, "retry.topics", "true", retries.line)
        # Its last topic is a dead letter, and the recoverer waits for its acknowledgement
        # (DltStrategy.ALWAYS_RETRY_ON_ERROR; DeadLetterPublishingRecoverer).
        reading.state(Component.APPLICATION, "dead.letter", "acknowledged", retries.line)
        if is_in_transaction:
            words = "Non-Blocking Retries cannot combine with Container Transactions: with "
            words += "transaction-id-prefix, leave retry.topic.enabled out"
            reading.wrong(Component.APPLICATION, "retry.topics", retries.line, words)
    _acknowledgements(reading, names)


def _acknowledgements(reading: Reading, names: dict[str, Leaf]) -> None:
    """Those that threads give out of order wait for each other with async-acks
    (ContainerProperties.asyncAcks)."""
    asynchronous = names.get(f"{_LISTENER}asyncacks")
    mode = names.get(f"{_LISTENER}ackmode")
    by_code = mode is not None and _mode(mode)
    if asynchronous and by_code and is_true(asynchronous.text):
        reading.state(Component.APPLICATION, "commit.order", "in-order", asynchronous.line)


def _likeness(text: str) -> float:
    if text.startswith(stated_by_code.MARK):
        return 1.0
    if _LINE.search(text):
        return 0.95
    return 0.9 if _BLOCK.search(text) and _KAFKA.search(text) else 0.0


READERS = (
    Reader("spring", "Spring Boot application.yml", _likeness, read, read_files, is_yaml=True),
)
