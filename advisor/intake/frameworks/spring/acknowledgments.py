"""Whether the code of a listener and its container agree on who says what is committed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.catalog import Problem
from advisor.intake.frameworks.spring.names import ACK_MODE
from advisor.intake.reading import Item

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


def unacknowledged(compared: Iterable[Item], context: Iterable[Item]) -> Iterator[Problem]:
    """What is wrong of each listener among these items; `context` are those of other files, of
    which an ack-mode is stated where it leaves commits to the code."""
    is_manual = any(item.name == ACK_MODE for item in context)
    for item in compared:
        if item.name == ACKNOWLEDGES and is_manual == (item.text == BY_CONTAINER):
            words = _NEVER if is_manual else _NONE_GIVEN
            yield Problem(item.component, ACKNOWLEDGES, f"Line {item.line}: {words}")
