"""Transactions of programs: whether the offsets are in them, what an abort leaves behind, and
commits that come whatever became of the work.

After an abort the consumer does not go back by itself, so that the next transaction commits behind
the input of the aborted one (Kafka design.md, Using Transactions; KafkaProducer javadoc,
`abortTransaction`, `sendOffsetsToTransaction`; the same of confluent-kafka).
"""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component
from advisor.intake.reading import Reading

_CONTINUES = (
    "after this abort the consumer goes on behind the input of the transaction: seek() back to the "
    "committed offsets, or end (application.abort=continues)"
)
_ALWAYS = (
    "a transaction is committed here whatever became of its work, half of it, too. Commit it as "
    "the last statement of the block, and abort it in the handler"
)
_OUTSIDE = (
    "offsets are committed here beside those of the transaction, so that they stay when it is "
    "aborted. Leave this out, or the offsets of the transaction"
)
_NO_GROUP = (
    "these offsets come without the group's metadata, so that a member that is gone is not shut "
    "out: hand groupMetadata() of the consumer on"
)

_ITSELF = (
    "the offset of a record itself is committed here, so that this record is read again at each "
    "start: the offset behind it is offset() + 1"
)


@dataclass(slots=True)
class Transactions:
    """Lines of a program that say what it does with its transactions; 0 for what is not there."""

    offsets: int = 0
    with_group: bool = False
    """Whether the offsets come with the group's metadata, which shuts out members that are gone."""

    of_itself: int = 0
    outside: int = 0
    continues: int = 0
    always: int = 0


def judge(reading: Reading, found: Transactions) -> None:
    """States what follows for the application, and refuses what is known to be wrong."""
    named = any(
        (item.component, item.name) == (Component.PRODUCER, "transactional.id")
        for item in reading.items
    )
    if found.always:
        reading.wrong(Component.APPLICATION, "commit", found.always, _ALWAYS)
    if not (found.offsets and named):
        return
    if found.outside:
        reading.wrong(Component.APPLICATION, "commit", found.outside, _OUTSIDE)
    if found.of_itself:
        reading.wrong(Component.APPLICATION, "commit", found.of_itself, _ITSELF)
    if not found.with_group:
        reading.wrong(Component.APPLICATION, "commit", found.offsets, _NO_GROUP)
    if any(item.name == "commit" for item in reading.items):
        return  # offsets are committed before that
    reading.state(Component.APPLICATION, "commit", "in-transaction", found.offsets)
    reading.note(found.offsets, "offsets go in the transaction (application.commit=in-transaction)")
    if found.continues:
        reading.state(Component.APPLICATION, "abort", "continues", found.continues)
        reading.note(found.continues, _CONTINUES)
