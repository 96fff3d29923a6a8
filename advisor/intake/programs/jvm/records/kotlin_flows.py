"""Kotlin flows and sequences that poll, and their operators that buffer or drop records.

What is behind `buffer()`, `flowOn()` or `channelFlow` runs beside what is before it
(kotlinx.coroutines, Flow), so that the next poll and a commit without offsets come before a record
is processed. `conflate()` and `collectLatest()` leave records out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.records.poll_chains import POLL, steps
from advisor.intake.programs.jvm.text import Text

_MOST = 20
_FLOW = re.compile(
    r"(?:\b(?P<name>\w+)\s*(?:\([^(){}]*\)\s*)?(?::\s*[\w<>?, ]{1,80})?=\s*|\breturn\s+|[\s{;}(]|^)"
    r"(?P<verb>flow|channelFlow|callbackFlow|generateSequence|sequence)\s*"
    r"(?:<[\w<>?, ]{0,60}>)?\s*$"
)
_BUFFERS = frozenset({
    "buffer", "flowOn", "conflate", "collectLatest", "mapLatest", "flatMapMerge", "shareIn",
    "stateIn", "produceIn",
})  # fmt: skip
_OFFSETS = re.compile(r"\bOffsetAndMetadata\b")


def buffered(text: Text, consumer: str) -> Iterator[int]:
    """Where flows that poll keep records in a buffer, if no offsets of each are committed."""
    polls = () if _OFFSETS.search(text.plain) else re.finditer(POLL.format(consumer), text.plain)
    for poll in islice(polls, _MOST):
        yield from _buffered(text, poll.start())


def _buffered(text: Text, at: int) -> Iterator[int]:
    for _, end, head in text.around(at):
        flow = _FLOW.search(head)
        if flow is None:
            continue
        if flow["verb"] in ("channelFlow", "callbackFlow"):
            yield at
        begins = [end + 1]
        if flow["name"]:
            uses = re.finditer(rf"\b{flow['name']}\b\s*(?:\([^(){{}}]*\))?", text.plain)
            begins += [use.end() for use in islice(uses, _MOST)]
        yield from (
            step.at for match in begins for step in steps(text, match) if step.name in _BUFFERS
        )
