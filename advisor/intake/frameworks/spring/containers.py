"""What the code of a listener shows, held against the container that runs it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.catalog import Component, Problem
from advisor.intake.frameworks.spring.names import ACK_MODE
from advisor.intake.reading import Item, Reading

ACKNOWLEDGES = "acknowledges"
"""Who says what is committed, of a listener: an item that is held against other files."""
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


def unacknowledged(compared: Iterable[Item], context: Iterable[Item]) -> Iterator[Problem]:
    """What is wrong of each listener among these items; `context` are those of other files, of
    which an ack-mode is stated where it leaves commits to the code."""
    is_manual = any(item.name == ACK_MODE for item in context)
    for item in compared:
        if item.name == ACKNOWLEDGES and is_manual == (item.text == BY_CONTAINER):
            words = _NEVER if is_manual else _NONE_GIVEN
            yield Problem(item.component, "Acknowledgment", f"Line {item.line}: {words}")
