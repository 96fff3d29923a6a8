"""Kotlin flows and sequences that poll, and their operators that buffer or drop records.

The steps after `buffer()`, `flowOn()` or `channelFlow` run concurrently with the steps before
(kotlinx.coroutines, Flow), so that the next poll and a commit without offsets come before a record
is processed. `conflate()` and `collectLatest()` skip records.
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
_BUFFERING_OPERATORS = frozenset({
    "buffer", "flowOn", "conflate", "collectLatest", "mapLatest", "flatMapMerge", "shareIn",
    "stateIn", "produceIn",
})  # fmt: skip
_EXPLICIT_OFFSETS = re.compile(r"\bOffsetAndMetadata\b")


def buffering_operators(text: Text, consumer: str) -> Iterator[int]:
    """Yields the operators that buffer records in flows that poll, unless the program commits
    explicit offsets."""
    polls = (
        ()
        if _EXPLICIT_OFFSETS.search(text.plain)
        else re.finditer(POLL.format(consumer), text.plain)
    )
    for poll in islice(polls, _MOST):
        yield from _operators_after_poll(text, poll.start())


def _operators_after_poll(text: Text, at: int) -> Iterator[int]:
    for _, end, head in text.around(at):
        flow = _FLOW.search(head)
        if flow is None:
            continue
        if flow["verb"] in ("channelFlow", "callbackFlow"):
            yield at
        starts = [end + 1]
        if flow["name"]:
            uses = re.finditer(rf"\b{flow['name']}\b\s*(?:\([^(){{}}]*\))?", text.plain)
            starts += [use.end() for use in islice(uses, _MOST)]
        yield from (
            step.at
            for start in starts
            for step in steps(text, start)
            if step.name in _BUFFERING_OPERATORS
        )
