"""Settings and facts that the code of an application sets, as one more file of the application.

It takes precedence over all others. Each line of the text stands for the same line of the code, and
holds its entries as pairs: a property under Spring Boot's name, or a fact that no property has
(`FACT`).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from advisor.catalog import Component
from advisor.intake.absent_files import absence
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import relaxed
from advisor.intake.reading import DEFAULT, Item, Reading
from advisor.intake.text import shown

MARK = "@spring-code "
"""The beginning of such a text. No file of a team begins like this."""
FACT = "@"
READ, REFUSED, ALONE, RETRIES, DEAD_LETTER, CONTAINER, TRANSACTION = (
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
"""Containers that pass all records of a poll to the listener, and those that have the settings of
the file."""

SET_UP = "set-up"
"""The name of an item that says that the configuration classes are read."""
CONTAINER_KINDS = {BATCHES: "batch-container", CONFIGURED: "configured-container"}
_CODE_PREFIX = "code:"
_REPLACED_PROPERTIES = {
    OWN_CONSUMER: (
        "spring.kafka.consumer.",
        "creates its ConsumerFactory from settings of its own",
    ),
    OWN_PRODUCER: (
        "spring.kafka.producer.",
        "creates its ProducerFactory from settings of its own",
    ),
    OWN_CONTAINER: ("spring.kafka.listener.", "sets up the containers of its listeners itself"),
}
_CLIENT_FACTS = {OWN_CONSUMER: Component.CONSUMER, OWN_PRODUCER: Component.PRODUCER}
_DEAD_LETTER_WORDS = (
    "a record that fails for good goes to a dead-letter topic, and the handler waits for that send"
)
_PREFIX = "spring.kafka.producer.transactionidprefix"
_TEMPLATE_PREFIX = "spring.kafka.template.transactionidprefix"
_PLACEHOLDER = re.compile(r"\$\{([^${}:]{1,200})")
_NO_PREFIX = (
    "this container has a KafkaTransactionManager, and its producer has no transaction-id-prefix: "
    "Spring does not start. State it"
)


@dataclass(frozen=True, slots=True)
class CodeEntry:
    """A property or a fact that a line of the code sets."""

    line: int
    name: str
    text: str


def encode(rows: Iterable[CodeEntry]) -> str:
    """The text of these entries, each on its line."""
    by_line = dict[int, list[tuple[str, str]]]()
    for row in rows:
        by_line.setdefault(row.line, []).append((row.name, row.text))
    lines = [json.dumps(by_line.get(line, [])) for line in range(1, max(by_line, default=0) + 1)]
    return MARK + "\n".join(lines)


def leaves(text: str) -> list[Leaf]:
    """The entries of such a text."""
    rows = enumerate(text.removeprefix(MARK).split("\n"), start=1)
    return [Leaf((f"{_CODE_PREFIX}{name}",), value, line)
            for line, row in rows for name, value in json.loads(row)]  # fmt: skip


class CodeFacts:
    """The entries of the code of an application; none where there is no code."""

    def __init__(self, leaves: Iterable[Leaf]) -> None:
        code_leaves = [
            leaf for leaf in leaves if leaf.path and leaf.path[0].startswith(_CODE_PREFIX)
        ]
        self.lines = {leaf.line for leaf in code_leaves}
        self.facts = [
            leaf for leaf in map(_without_prefix, code_leaves) if leaf.path[0].startswith(FACT)
        ]

    def __bool__(self) -> bool:
        return bool(self.lines)

    def by_name(self, name: str) -> list[Leaf]:
        """The facts of this name."""
        return [leaf for leaf in self.facts if leaf.path[0] == name]

    def properties(self, leaves: Iterable[Leaf]) -> list[Leaf]:
        """All properties, those of the files and those of the code."""
        without_prefixes = (
            _without_prefix(leaf) if leaf.line in self.lines else leaf for leaf in leaves
        )
        return [
            leaf for leaf in without_prefixes
            if leaf.line not in self.lines or not leaf.path[0].startswith(FACT)
        ]  # fmt: skip

    def without_replaced(self, reading: Reading, leaves: Sequence[Leaf]) -> list[Leaf]:
        """The properties that count: without those of the files that beans of the code replace.

        Spring Boot does not create its bean if the application has one (KafkaAutoConfiguration,
        `@ConditionalOnMissingBean`; KafkaAnnotationDrivenConfiguration).
        """
        names = {relaxed(leaf.path[0]) for leaf in leaves if leaf.line in self.lines}
        prefixes = {_PREFIX, _TEMPLATE_PREFIX} if self.by_name(OWN_PREFIX) else set()
        replaced = [
            (head, words)
            for name, (head, words) in _REPLACED_PROPERTIES.items()
            if self.by_name(name)
        ]
        noted, counting = set[str](), list[Leaf]()
        for leaf in leaves:
            name = leaf.path[0]
            row = next((entry for entry in replaced if name.startswith(entry[0])), None)
            if leaf.line in self.lines:
                counting.append(leaf)
            elif relaxed(name) in names | prefixes:
                reading.note(leaf.line, f"{shown(name)} does not count: the code sets it up itself")
            elif row is None:
                counting.append(leaf)
            elif row[0] not in noted:
                noted.add(row[0])
                reading.note(leaf.line, f"{row[0]}* does not count: the code {row[1]}")
        return counting

    def drop_common_properties(self, reading: Reading) -> None:
        """Removes the items of `spring.kafka.properties` for clients that the code sets up."""
        clients = {component for name, component in _CLIENT_FACTS.items() if self.by_name(name)}
        reading.items = [item for item in reading.items
                         if item.component not in clients or item.line in self.lines]  # fmt: skip

    def placeholder_names(self, leaves: Iterable[Leaf]) -> set[str]:
        """The names of placeholders in the code: the names of a team that it takes from the
        files."""
        entries = (leaf for leaf in leaves if leaf.line in self.lines)
        return {
            name.strip().lower() for leaf in entries for name in _PLACEHOLDER.findall(leaf.text)
        }

    def add_problems(self, reading: Reading, *, is_other: bool) -> None:
        """Adds problems for code that is not read, and for code beside clients that have no
        listeners."""
        for leaf in self.by_name(REFUSED):
            reading.add_problem(Component.APPLICATION, "file", leaf.line, leaf.text)
        for leaf in self.by_name(ALONE):
            words = "the file of this application that is not here: not read"
            reading.note(leaf.line, absence(words))
        if self and is_other:
            words = "this sets up clients beside Kafka Streams or bindings of Spring Cloud Stream. "
            words += "Give the files of each of them separately"
            reading.add_problem(Component.APPLICATION, "file", min(self.lines), words)

    def add_containers(self, reading: Reading) -> None:
        """Adds the items for containers, with which listeners of other files are compared."""
        for line in sorted(self.lines)[:1]:
            reading.compared_items.append(Item(Component.APPLICATION, SET_UP, "", line))
        for fact, kind in CONTAINER_KINDS.items():
            for leaf in self.by_name(fact):
                reading.compared_items.append(
                    Item(Component.APPLICATION, kind, leaf.text, leaf.line)
                )

    def is_in_transaction(self, reading: Reading, *, by_file: bool) -> bool:
        """Whether the containers send offsets in a producer's transaction. `by_file` is whether
        Spring Boot's container does."""
        transactions = self.by_name(TRANSACTION)
        if not transactions:
            return by_file and not (self.by_name(OWN_CONTAINER) or self.by_name(OWN_PREFIX))
        if not by_file:
            reading.add_problem(
                Component.APPLICATION, "transactional.id", transactions[0].line, _NO_PREFIX
            )
        return by_file

    def add_error_handling(self, reading: Reading) -> None:
        """Adds the facts of what happens to a record that fails."""
        for leaf in self.by_name(RETRIES):
            reading.add_setting(Component.APPLICATION, "retry.topics", "true", leaf.line)
            words = "a message that fails is tried again from another topic, after later ones"
            reading.note(leaf.line, f"{words} (application.retry.topics=true)")
        for leaf in self.by_name(DEAD_LETTER)[:1]:
            item = Item(Component.APPLICATION, "dead.letter", leaf.text, leaf.line, rank=DEFAULT)
            reading.items.append(item)
            words = f"{_DEAD_LETTER_WORDS} (application.dead.letter={shown(leaf.text)})"
            reading.note(leaf.line, words)


def _without_prefix(leaf: Leaf) -> Leaf:
    return replace(leaf, path=(leaf.path[0].removeprefix(_CODE_PREFIX), *leaf.path[1:]))


def is_batch(context: Sequence[Item], container: str) -> bool:
    """Whether a container passes all records of a poll to its listeners, according to the files and
    the code of the application."""
    containers = {kind: {item.text for item in context if item.name == kind}
                  for kind in CONTAINER_KINDS.values()}  # fmt: skip
    by_code, by_file = containers[CONTAINER_KINDS[BATCHES]], containers[CONTAINER_KINDS[CONFIGURED]]
    is_type = any(item.name == BY_TYPE for item in context)
    return container in by_code or (is_type and container in by_file | {DEFAULT_CONTAINER})


BY_TYPE = "listener-type"
"""The name of an item for `spring.kafka.listener.type=batch`, which applies to Spring Boot's
container."""
DEFAULT_CONTAINER = "kafkaListenerContainerFactory"
"""The container of a listener that names none (KafkaListenerAnnotationBeanPostProcessor)."""


def is_type_of_batch(name: str, text: str) -> bool:
    """Whether a property says that Spring Boot's container passes all records of a poll to the
    listener."""
    return relaxed(name) == "listener.type" and text.strip().lower() == "batch"


def with_more(text: str, name: str, value: str) -> str:
    """Returns such a text with one more entry, on the first line that has one."""
    rows = [*map(json.loads, text.removeprefix(MARK).split("\n"))]
    first = next(number for number, row in enumerate(rows) if row)
    rows[first].append([name, value])
    return MARK + "\n".join(map(json.dumps, rows))
