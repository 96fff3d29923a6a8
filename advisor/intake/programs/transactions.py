"""Transactions of programs: offsets inside and outside of them, aborts, and commits of failed work.

An abort does not move the consumer back, so that the next transaction commits offsets after the
input of the aborted one (Kafka design.md, Using Transactions; KafkaProducer javadoc,
`abortTransaction`, `sendOffsetsToTransaction`; the same for confluent-kafka).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from advisor.catalog import Component
from advisor.intake.reading import Reading

_CONTINUES = (
    "after this abort the consumer continues after the input of the transaction: seek() back to "
    "the committed offsets, or end (application.abort=continues)"
)
_ALWAYS = (
    "a transaction is committed here even if its work failed or is incomplete. Commit it as "
    "the last statement of the block, and abort it in the handler"
)
_OUTSIDE = (
    "offsets are committed here outside of the transaction, too, so that they remain when it is "
    "aborted. Remove this commit, or the offsets of the transaction"
)
_NO_GROUP = (
    "these offsets come without the metadata of the group, so that a member that has left is not "
    "fenced: pass groupMetadata() of the consumer"
)

_SEPARATE = (
    "these offsets are in a transaction of their own, so that a crash between it and the "
    "transaction of the output repeats or loses output. Send them in the transaction of the output"
)
_ITSELF = (
    "the offset of a record itself is committed here, so that this record is read again at each "
    "start: the next offset is offset() + 1"
)


@dataclass(slots=True)
class Transactions:
    """Lines of a program that concern its transactions; 0 for a statement that it does not have."""

    offsets: int = 0
    with_group: bool = False
    """Whether the offsets come with the metadata of the group, which fences members that left."""

    of_itself: int = 0
    separate: int = 0
    """The line of offsets whose transaction has no output, while another transaction has."""

    outside: int = 0
    continues: int = 0
    always: int = 0


def judge(reading: Reading, lines: Transactions) -> None:
    """Sets `commit` and `abort` of the application, and refuses known faults."""
    has_transactional_id = any(
        (item.component, item.name) == (Component.PRODUCER, "transactional.id")
        for item in reading.items
    )
    if lines.always:
        reading.add_problem(Component.APPLICATION, "commit", lines.always, _ALWAYS)
    if not (lines.offsets and has_transactional_id):
        return
    if lines.outside:
        reading.add_problem(Component.APPLICATION, "commit", lines.outside, _OUTSIDE)
    if lines.separate:
        reading.add_problem(Component.APPLICATION, "commit", lines.separate, _SEPARATE)
    if lines.of_itself:
        reading.add_problem(Component.APPLICATION, "commit", lines.of_itself, _ITSELF)
    if not lines.with_group:
        reading.add_problem(Component.APPLICATION, "commit", lines.offsets, _NO_GROUP)
    if any(item.name == "commit" for item in reading.items):
        return  # an earlier commit decides
    reading.add_setting(Component.APPLICATION, "commit", "in-transaction", lines.offsets)
    reading.note(lines.offsets, "offsets go in the transaction (application.commit=in-transaction)")
    if lines.continues:
        reading.add_setting(Component.APPLICATION, "abort", "continues", lines.continues)
        reading.note(lines.continues, _CONTINUES)


class Step(Enum):
    """A call of a transactional producer."""

    BEGIN = auto()
    SEND = auto()
    OFFSETS = auto()
    COMMIT = auto()


def separate_offsets(steps: Sequence[tuple[Step, int]]) -> int:
    """Returns the line of offsets that are committed in a transaction without output, while another
    transaction has output; 0 if there is none.

    `steps` are the calls and their lines, in the order of the source.
    """
    transactions, current = list[list[tuple[Step, int]]](), list[tuple[Step, int]]()
    for step, line in steps:
        if step is Step.BEGIN:
            current = []
        elif step is not Step.COMMIT:
            current.append((step, line))
        elif current:
            transactions.append(current)
            current = []
    if not any(step is Step.SEND for steps in transactions for step, _ in steps):
        return 0
    only_offsets = (
        steps[0][1] for steps in transactions if all(step is Step.OFFSETS for step, _ in steps)
    )
    return next(only_offsets, 0)
