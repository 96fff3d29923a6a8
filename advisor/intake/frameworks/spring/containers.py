"""What the code of a listener shows, held against the container that runs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from advisor.catalog import Component, Problem
from advisor.intake.frameworks.spring.listeners import Listener
from advisor.intake.frameworks.spring.names import ACK_MODE
from advisor.intake.frameworks.spring.stated_by_code import DEFAULT_CONTAINER, MADE, is_batch
from advisor.intake.reading import Item, Reading

ACKNOWLEDGES, NAMES, MAKES, LISTS, SINGLE = "acknowledges", "names", "makes", "lists", "single"
"""Items that are held against other files: who says what is committed of a listener, a container
that it names, one that code makes, and a list of which a container says what it is."""
BY_CODE, BY_CONTAINER = "code", "container"
_NEVER = (
    "this listener has no Acknowledgment, and ack-mode MANUAL leaves it to the code what is "
    "committed: nothing is. Leave ack-mode away, or acknowledge each record behind its work."
)
_NONE_GIVEN = (
    "this listener takes an Acknowledgment, which Spring gives with ack-mode MANUAL and "
    "MANUAL_IMMEDIATE alone: with another one each record fails (MessagingMessageListenerAdapter). "
    "State spring.kafka.listener.ack-mode."
)


ELSEWHERE = (
    "what sets up the clients or containers of these listeners is not read with them. Give its "
    "class and the file of the application (application.yml) together, and no kind"
)
_ALL_TO_ONE = (
    "this listener takes one record, and its container hands on all of a poll "
    "(setBatchListener, spring.kafka.listener.type=batch). Take a List, or leave that out"
)
_ONE_OR_ALL = (
    "whether this listener is given one record or all of a poll is said by its container, and "
    "that says one. State spring.kafka.listener.type=batch, or give the class that makes the "
    'container, or write batch = "true"'
)


def compared(listener: Listener) -> Iterator[Item]:
    """What is held against other files of a listener."""
    part, line = Component.APPLICATION, listener.line
    yield Item(part, ACKNOWLEDGES, BY_CODE if listener.acknowledges else BY_CONTAINER, line)
    if listener.container:
        yield Item(part, NAMES, listener.container, line)
    if listener.is_single:
        yield Item(part, SINGLE, listener.container or DEFAULT_CONTAINER, line)
    if listener.is_list:
        yield Item(part, LISTS, listener.container or DEFAULT_CONTAINER, line)


def in_transaction(reading: Reading, context: Iterable[Item]) -> None:
    """Takes back what was said of sends, where the container has them in its transaction: one that
    fails fails with it (KafkaTransactionManager; Spring Boot makes one of transaction-id-prefix).

    Threads of the program's own are not in it, nor is a commit of the listener's own.
    """
    commits = {item.text for item in context if item.name == "commit"}
    aside = any(item.name == "processing" for item in reading.items)
    if "in-transaction" in commits and not aside:
        _leave_out(reading, "delivery.errors")


def without_dead_letter(reading: Reading) -> None:
    """States that no dead letter has what the listener passes over: the container never sees it."""
    for item in [item for item in reading.items if item.name == "processing.errors"]:
        reading.state(Component.APPLICATION, "dead.letter", "none", item.line)


def committed_behind(reading: Reading) -> None:
    """Takes back that offsets are committed too early where the container commits them, behind the
    listener's return: what is wrong is what nobody waits for."""
    names = {item.name for item in reading.items}
    if names & {"processing", "delivery.errors"}:
        _leave_out(reading, "commit")


def _leave_out(reading: Reading, name: str) -> None:
    """Takes a fact of the application back, and what was said of it."""
    told = [
        item for item in reading.items
        if item.component is Component.APPLICATION and item.name == name
    ]  # fmt: skip
    reading.items = [item for item in reading.items if item not in told]
    said = [(f"Line {item.line}: ", f"(application.{name}") for item in told]
    reading.notes = [
        note for note in reading.notes
        if not any(note.startswith(line) and fact in note for line, fact in said)
    ]  # fmt: skip


def unread(compared: Iterable[Item], context: Iterable[Item]) -> Iterator[Problem]:
    """What classes set up or name, where nothing says that it is read with the application's
    file."""
    if not any(item.name == MADE for item in context):
        found = (item for item in compared if item.name in (NAMES, MAKES))
        for item in islice(found, 1):
            yield Problem(item.component, "container", f"Line {item.line}: {ELSEWHERE}.")


def unfitting(compared: Iterable[Item], context: Sequence[Item]) -> Iterator[Problem]:
    """What is wrong of each listener among these items; `context` are those of other files, of
    which an ack-mode is stated where it leaves commits to the code, and containers that the code
    makes."""
    is_manual = any(item.name == ACK_MODE for item in context)
    for item in compared:
        if item.name == SINGLE and is_batch(context, item.text):
            yield Problem(item.component, "container", f"Line {item.line}: {_ALL_TO_ONE}.")
        if item.name == LISTS and not is_batch(context, item.text):
            yield Problem(item.component, "container", f"Line {item.line}: {_ONE_OR_ALL}.")
        if item.name == ACKNOWLEDGES and is_manual == (item.text == BY_CONTAINER):
            words = _NEVER if is_manual else _NONE_GIVEN
            yield Problem(item.component, "Acknowledgment", f"Line {item.line}: {words}")
