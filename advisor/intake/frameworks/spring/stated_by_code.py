"""What an application's code states, as one more file of the application.

It goes before all others. Each line of the text is that of the code, and holds what is stated there
as pairs: a property by Spring Boot's own name, or what no property says (`FACT`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from advisor.catalog import Component
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import relaxed
from advisor.intake.reading import DEFAULT, Item, Reading
from advisor.intake.text import shown

MARK = "@spring-code "
"""How such a text begins; no file of a team's does."""
FACT = "@"
READ, REFUSED, ALONE, RETRIES, LETTERS, CONTAINER, TRANSACTION = (
    f"{FACT}{name}"
    for name in (
        "read",
        "refused",
        "alone",
        "retry-topics",
        "dead-letter",
        "container",
        "transaction",
    )
)
OWN_CONSUMER, OWN_PRODUCER, OWN_CONTAINER, OWN_PREFIX = (
    f"{FACT}{name}" for name in ("consumer", "producer", "listener", "producer-factory")
)
BATCHES, CONFIGURED = f"{FACT}batches", f"{FACT}configured"
"""Containers that hand on all records of a poll, and those that are set up as the file says."""

MADE = "set-up"
"""An item that says that what classes set up is read."""
KINDS_OF = {BATCHES: "batch-container", CONFIGURED: "configured-container"}
_CODE = "code:"
_HEADS = {
    OWN_CONSUMER: ("spring.kafka.consumer.", "makes its ConsumerFactory of settings of its own"),
    OWN_PRODUCER: ("spring.kafka.producer.", "makes its ProducerFactory of settings of its own"),
    OWN_CONTAINER: ("spring.kafka.listener.", "sets up the containers of its listeners itself"),
}
_CLIENTS = {OWN_CONSUMER: Component.CONSUMER, OWN_PRODUCER: Component.PRODUCER}
_LETTERS_GO = "what the handler gives up goes to a dead-letter topic, and it waits for that"
_PREFIX = "spring.kafka.producer.transactionidprefix"
_OF_TEMPLATE = "spring.kafka.template.transactionidprefix"
_FILLED = re.compile(r"\$\{([^${}:]{1,200})")
_NO_PREFIX = (
    "this container has a KafkaTransactionManager, and no transaction-id-prefix is stated of the "
    "producer: Spring does not start. State it"
)


@dataclass(frozen=True, slots=True)
class Said:
    """What is stated in a line of the code."""

    line: int
    name: str
    text: str


def written(rows: Iterable[Said]) -> str:
    """The text of these, each in its line."""
    by_line = dict[int, list[tuple[str, str]]]()
    for row in rows:
        by_line.setdefault(row.line, []).append((row.name, row.text))
    lines = [json.dumps(by_line.get(line, [])) for line in range(1, max(by_line, default=0) + 1)]
    return MARK + "\n".join(lines)


def leaves(text: str) -> list[Leaf]:
    """What such a text states."""
    rows = enumerate(text.removeprefix(MARK).split("\n"), start=1)
    return [Leaf((f"{_CODE}{name}",), stated, line)
            for line, row in rows for name, stated in json.loads(row)]  # fmt: skip


class CodeFacts:
    """What the code of an application states beside its files; nothing where there is none."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        own = [leaf for leaf in leaves if leaf.path and leaf.path[0].startswith(_CODE)]
        self.lines = {leaf.line for leaf in own}
        self.facts = [leaf for leaf in map(_bare, own) if leaf.path[0].startswith(FACT)]

    def __bool__(self) -> bool:
        return bool(self.lines)

    def named(self, name: str) -> list[Leaf]:
        """What is stated under a name that is no property's."""
        return [leaf for leaf in self.facts if leaf.path[0] == name]

    def properties(self, leaves: Iterable[Leaf]) -> list[Leaf]:
        """All properties, of the files and of the code."""
        bare = (_bare(leaf) if leaf.line in self.lines else leaf for leaf in leaves)
        return [
            leaf for leaf in bare
            if leaf.line not in self.lines or not leaf.path[0].startswith(FACT)
        ]  # fmt: skip

    def counting(self, reading: Reading, leaves: Sequence[Leaf]) -> list[Leaf]:
        """The properties but for those of the files that the code's own beans replace: Spring Boot
        makes none of its own beside them (KafkaAutoConfiguration, `@ConditionalOnMissingBean`;
        KafkaAnnotationDrivenConfiguration)."""
        own = {relaxed(leaf.path[0]) for leaf in leaves if leaf.line in self.lines}
        prefixes = {_PREFIX, _OF_TEMPLATE} if self.named(OWN_PREFIX) else set()
        heads = [(head, words) for name, (head, words) in _HEADS.items() if self.named(name)]
        told, found = set[str](), list[Leaf]()
        for leaf in leaves:
            name = leaf.path[0]
            at = next((row for row in heads if name.startswith(row[0])), None)
            if leaf.line in self.lines:
                found.append(leaf)
            elif relaxed(name) in own | prefixes:
                reading.note(leaf.line, f"{shown(name)} does not count: the code sets it up itself")
            elif at is None:
                found.append(leaf)
            elif at[0] not in told:
                told.add(at[0])
                reading.note(leaf.line, f"{at[0]}* does not count: the code {at[1]}")
        return found

    def drop_common(self, reading: Reading) -> None:
        """Takes back what `spring.kafka.properties` states of clients that the code sets up."""
        own = {part for name, part in _CLIENTS.items() if self.named(name)}
        reading.items = [item for item in reading.items
                         if item.component not in own or item.line in self.lines]  # fmt: skip

    def filled_in(self, leaves: Iterable[Leaf]) -> set[str]:
        """The names of a team's own that the code takes from the files."""
        own = (leaf for leaf in leaves if leaf.line in self.lines)
        return {name.strip().lower() for leaf in own for name in _FILLED.findall(leaf.text)}

    def refuse(self, reading: Reading, *, is_other: bool) -> None:
        """Adds what of the code is not read, and that it stands beside what has no listeners."""
        for leaf in self.named(REFUSED):
            reading.wrong(Component.APPLICATION, "file", leaf.line, leaf.text)
        for leaf in self.named(ALONE):
            words = "the file of this application that is not here: not read"
            reading.note(leaf.line, words)
        if self and is_other:
            words = "this sets up clients beside Kafka Streams or bindings of Spring Cloud Stream. "
            words += "Give the files of each by themselves"
            reading.wrong(Component.APPLICATION, "file", min(self.lines), words)

    def compare(self, reading: Reading) -> None:
        """Notes the containers against which listeners are held."""
        for line in sorted(self.lines)[:1]:
            reading.compared_items.append(Item(Component.APPLICATION, MADE, "", line))
        for fact, kind in KINDS_OF.items():
            for leaf in self.named(fact):
                reading.compared_items.append(
                    Item(Component.APPLICATION, kind, leaf.text, leaf.line)
                )

    def is_in_transaction(self, reading: Reading, *, by_file: bool) -> bool:
        """Whether the containers send offsets in a producer's transaction, where `by_file` says so
        of Spring Boot's own."""
        stated = self.named(TRANSACTION)
        if not stated:
            return by_file and not (self.named(OWN_CONTAINER) or self.named(OWN_PREFIX))
        if not by_file:
            reading.wrong(Component.APPLICATION, "transactional.id", stated[0].line, _NO_PREFIX)
        return by_file

    def of_errors(self, reading: Reading) -> None:
        """States what becomes of a record that the containers give up."""
        for leaf in self.named(RETRIES):
            reading.state(Component.APPLICATION, "retry.topics", "true", leaf.line)
            words = "a message that fails is tried again from another topic, behind later ones"
            reading.note(leaf.line, f"{words} (application.retry.topics=true)")
        for leaf in self.named(LETTERS)[:1]:
            item = Item(Component.APPLICATION, "dead.letter", leaf.text, leaf.line, rank=DEFAULT)
            reading.items.append(item)
            words = f"{_LETTERS_GO} (application.dead.letter={shown(leaf.text)})"
            reading.note(leaf.line, words)


def _bare(leaf: Leaf) -> Leaf:
    return replace(leaf, path=(leaf.path[0].removeprefix(_CODE), *leaf.path[1:]))


def is_batch(context: Sequence[Item], container: str) -> bool:
    """Whether a container hands its listeners all records of a poll, by what the application's
    files and its code say."""
    named = {kind: {item.text for item in context if item.name == kind}
             for kind in KINDS_OF.values()}  # fmt: skip
    own, by_file = named[KINDS_OF[BATCHES]], named[KINDS_OF[CONFIGURED]]
    is_type = any(item.name == BY_TYPE for item in context)
    return container in own or (is_type and container in by_file | {DEFAULT_CONTAINER})


BY_TYPE = "listener-type"
"""An item for `spring.kafka.listener.type=batch`, which is Spring Boot's own container's."""
DEFAULT_CONTAINER = "kafkaListenerContainerFactory"
"""Of a listener that names none (KafkaListenerAnnotationBeanPostProcessor)."""


def is_type_of_batch(name: str, text: str) -> bool:
    """Whether a property says that Spring Boot's container hands on all records of a poll."""
    return relaxed(name) == "listener.type" and text.strip().lower() == "batch"


def with_more(text: str, name: str, stated: str) -> str:
    """Such a text with one more statement, in the first line that has one."""
    rows = [*map(json.loads, text.removeprefix(MARK).split("\n"))]
    first = next(number for number, row in enumerate(rows) if row)
    rows[first].append([name, stated])
    return MARK + "\n".join(map(json.dumps, rows))
