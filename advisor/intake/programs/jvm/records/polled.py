"""What JVM code calls the records of a poll: all of them, each, and collections that it makes."""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.intake.programs.jvm.records import buffers, derived_names, record_loops
from advisor.intake.programs.jvm.records.derived_names import Derived
from advisor.intake.programs.jvm.records.polls import TYPED, Call
from advisor.intake.programs.jvm.text import Block, Text

_ROUNDS, _MOST_NAMES = 2, 30
_DERIVED = r"\b(\w+){1}(?:{0})\s*\.\s*(?:records|iterator|stream|asScala|toList|spliterator)\b"


@dataclass(frozen=True, slots=True)
class Names:
    """The names of records, `whole` those of all that was polled; what is made of records; and the
    loops that take one after the other."""

    all: set[str]
    whole: set[str]
    made: list[Derived]
    loops: list[Block]


def record_names(text: Text, poll: Call, span: Block) -> Names:
    """Those of a poll, between it and the end of its block."""
    if (poll, span) not in text.names:
        text.names[poll, span] = _names(text, poll, span)
    known = text.names[poll, span]
    return Names({*known.all}, {*known.whole}, [*known.made], [*known.loops])


def _names(text: Text, poll: Call, span: Block) -> Names:
    every, each = {poll.name}, list[tuple[str, Block]]()
    whole = set[str]() if poll.in_loop else {poll.name}
    for _ in range(_ROUNDS):
        derived = re.findall(_DERIVED.format(_any_of(every), TYPED), text.plain[slice(*span)])
        whole |= {*derived} if whole else set()
        every |= {*derived}
        each = [*record_loops.record_loops(text, every, span)]
        every |= {name for name, _ in each if name}
        made = derived_names.derived_from(text, every, span)
        records = every | {part.name for part in made if part.is_apart}
        every |= {*buffers.per_poll_collections(text, _any_of(records), span)}
    loops = [body for _, body in each]
    if poll.in_loop:
        head = poll.head or poll.start
        loops.append(record_loops.loop_body(text, head, text.plain[head : poll.end]))
    return Names(every, whole, derived_names.derived_from(text, every, span), loops)


def _any_of(names: set[str]) -> str:
    return "|".join(sorted(names)[:_MOST_NAMES])
