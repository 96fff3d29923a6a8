"""Listeners compared with the containers that run them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from advisor.catalog import Component, Problem
from advisor.intake.frameworks.spring.listeners import Listener
from advisor.intake.frameworks.spring.names import ACK_MODE
from advisor.intake.frameworks.spring.stated_by_code import DEFAULT_CONTAINER, SET_UP, is_batch
from advisor.intake.reading import Item, Reading

ACKNOWLEDGES, NAMES, MAKES, LISTS, SINGLE = "acknowledges", "names", "makes", "lists", "single"
"""Names of items that are compared with other files: who decides what is committed, a container
that a listener names, one that code creates, a list whose meaning the container decides, and a
listener of one record."""
BY_CODE, BY_CONTAINER = "code", "container"
_NO_COMMIT = (
    "this listener has no Acknowledgment, and with ack-mode MANUAL only the code commits: nothing "
    "is committed. Leave out ack-mode, or acknowledge each record after its processing."
)
_NO_ACKNOWLEDGMENT = (
    "this listener takes an Acknowledgment, which Spring passes only with ack-mode MANUAL and "
    "MANUAL_IMMEDIATE: with any other mode each record fails (MessagingMessageListenerAdapter). "
    "State spring.kafka.listener.ack-mode."
)


ELSEWHERE = (
    "the class that sets up the clients or containers of these listeners is not read with them. "
    "Give that class and the file of the application (application.yml) together, without a kind"
)
_SINGLE_OF_BATCH = (
    "this listener takes one record, and its container passes all records of a poll "
    "(setBatchListener, spring.kafka.listener.type=batch). Take a List, or leave that out"
)
_UNCLEAR_LIST = (
    "whether this listener takes one record or all of a poll depends on its container, which "
    "passes one. State spring.kafka.listener.type=batch, or give the class that creates the "
    'container, or write batch = "true"'
)


def listener_items(listener: Listener) -> Iterator[Item]:
    """Yields the items of a listener that are compared with other files."""
    component, line = Component.APPLICATION, listener.line
    yield Item(component, ACKNOWLEDGES, BY_CODE if listener.acknowledges else BY_CONTAINER, line)
    if listener.container:
        yield Item(component, NAMES, listener.container, line)
    if listener.is_single:
        yield Item(component, SINGLE, listener.container or DEFAULT_CONTAINER, line)
    if listener.is_list:
        yield Item(component, LISTS, listener.container or DEFAULT_CONTAINER, line)


def in_transaction(reading: Reading, context: Iterable[Item]) -> None:
    """Removes the facts of ignored send errors, if the container has the sends in its transaction.

    A send that fails makes the transaction fail (KafkaTransactionManager; Spring Boot creates one
    for a transaction-id-prefix). Threads of the program are not in it, nor is a commit of the
    listener.
    """
    commits = {item.text for item in context if item.name == "commit"}
    is_asynchronous = any(item.name == "processing" for item in reading.items)
    if "in-transaction" in commits and not is_asynchronous:
        _drop_fact(reading, "delivery.errors")


def add_no_dead_letter(reading: Reading) -> None:
    """Adds that there is no dead letter for a record that the listener skips: the container never
    sees its error."""
    for item in [item for item in reading.items if item.name == "processing.errors"]:
        reading.add_setting(Component.APPLICATION, "dead.letter", "none", item.line)


def drop_early_commit(reading: Reading) -> None:
    """Removes the fact that offsets are committed too early: the container commits them after the
    listener returns. The fault is the result that nobody waits for."""
    names = {item.name for item in reading.items}
    if names & {"processing", "delivery.errors"}:
        _drop_fact(reading, "commit")


def late_acknowledgments(reading: Reading, listeners: Iterable[Listener]) -> int:
    """Removes the fact that offsets are committed too early where a function acknowledges a record
    after it is processed, and returns the line; 0 if there is none.

    The listener returns before that, and whether the offsets of other records are committed, too,
    depends on the container (ContainerProperties.asyncAcks).
    """
    late = frozenset[int]().union(*(listener.late_lines for listener in listeners))
    commits = [item for item in reading.items if item.name == "commit"]
    if not commits or not all(item.line in late for item in commits):
        return 0
    _drop_fact(reading, "commit")
    is_known = any(item.name == "processing" for item in reading.items)
    return 0 if is_known else commits[0].line


def _drop_fact(reading: Reading, name: str) -> None:
    """Removes a fact of the application, with its notes."""
    dropped = [
        item for item in reading.items
        if item.component is Component.APPLICATION and item.name == name
    ]  # fmt: skip
    reading.items = [item for item in reading.items if item not in dropped]
    prefixes = [(f"Line {item.line}: ", f"(application.{name}") for item in dropped]
    reading.notes = [
        note for note in reading.notes
        if not any(note.startswith(line) and fact in note for line, fact in prefixes)
    ]  # fmt: skip


def unread(items: Iterable[Item], context: Iterable[Item]) -> Iterator[Problem]:
    """Yields a problem if classes set up or name a container, and these classes are not read with
    the file of the application."""
    if not any(item.name == SET_UP for item in context):
        containers = (item for item in items if item.name in (NAMES, MAKES))
        for item in islice(containers, 1):
            yield Problem(item.component, "container", f"Line {item.line}: {ELSEWHERE}.")


def unfitting(items: Iterable[Item], context: Sequence[Item]) -> Iterator[Problem]:
    """Yields the problems of listeners that do not fit their containers.

    `items` are those of listeners. `context` are those of other files: an ack-mode that
    leaves commits to the code, and the containers that code creates.
    """
    is_manual = any(item.name == ACK_MODE for item in context)
    for item in items:
        if item.name == SINGLE and is_batch(context, item.text):
            yield Problem(item.component, "container", f"Line {item.line}: {_SINGLE_OF_BATCH}.")
        if item.name == LISTS and not is_batch(context, item.text):
            yield Problem(item.component, "container", f"Line {item.line}: {_UNCLEAR_LIST}.")
        if item.name == ACKNOWLEDGES and is_manual == (item.text == BY_CONTAINER):
            words = _NO_COMMIT if is_manual else _NO_ACKNOWLEDGMENT
            yield Problem(item.component, "Acknowledgment", f"Line {item.line}: {words}")
