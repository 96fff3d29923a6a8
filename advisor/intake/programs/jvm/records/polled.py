"""The names for the records of a poll: all of them, single ones, and collections of them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.intake.programs.jvm.records import buffers, copies, derived_names, record_loops
from advisor.intake.programs.jvm.records.derived_names import Derived
from advisor.intake.programs.jvm.records.polls import TYPED, Call
from advisor.intake.programs.jvm.text import Block, Text

_ROUNDS, _MOST_NAMES = 2, 30
_BATCH_DERIVATION = (
    r"\b(\w+){1}(?:{0})\s*\.\s*(?:records|iterator|stream|asScala|toList|spliterator)\b"
)


@dataclass(frozen=True, slots=True)
class Names:
    """The names of records, with those of all polled records in `whole`; names derived from
    records; and the bodies of loops over records."""

    all: set[str]
    whole: set[str]
    made: list[Derived]
    loops: list[Block]


def record_names(text: Text, poll: Call, span: Block) -> Names:
    """Returns the names for the records of a poll in a span that starts after it."""
    if (poll, span) not in text.names:
        text.names[poll, span] = _names(text, poll, span)
    names = text.names[poll, span]
    return Names({*names.all}, {*names.whole}, [*names.made], [*names.loops])


def _names(text: Text, poll: Call, span: Block) -> Names:
    all_names, loops = {poll.name}, list[tuple[str, Block]]()
    whole = set[str]() if poll.in_loop else {poll.name}
    for _ in range(_ROUNDS):
        batch_names = re.findall(
            _BATCH_DERIVATION.format(_alternation(all_names), TYPED), text.plain[slice(*span)]
        )
        batch_names += [name for name, _ in copies.copies(text, whole, span)]
        whole |= {*batch_names} if whole else set()
        all_names |= {*batch_names}
        loops = [*record_loops.record_loops(text, all_names, span)]
        all_names |= {name for name, _ in loops if name}
        derived = derived_names.derived_from(text, all_names, span)
        records = all_names | {name.name for name in derived if name.is_extracted}
        all_names |= {*buffers.per_poll_collections(text, _alternation(records), span)}
    bodies = [body for _, body in loops]
    if poll.in_loop:
        head = poll.head or poll.start
        bodies.append(record_loops.loop_body(text, head, text.plain[head : poll.end]))
    return Names(all_names, whole, derived_names.derived_from(text, all_names, span), bodies)


def _alternation(names: set[str]) -> str:
    return "|".join(sorted(names)[:_MOST_NAMES])
