"""Executors that process records, and whose errors are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.intake.programs.jvm.concurrency import HANDOVER
from advisor.intake.programs.jvm.errors.handlers import Handler
from advisor.intake.programs.jvm.text import Block, Text

_SCOPE = re.compile(r"\bnew\s+StructuredTaskScope\b|\bJoiner\s*\.\s*(?:<[^<>;]*>\s*)?awaitAll\s*\(")
_SCOPE_CHECK = re.compile(r"\bthrowIfFailed\s*\(|\.\s*(?:result|get|exception|state)\s*\(\s*\)")
"""Calls that check a scope whose `join()` throws no error of a subtask (JEP 453 and 505)."""
_FUTURE_READ = re.compile(r"\.\s*(?:get|join)\s*\(")


def ignored_errors(text: Text, span: Block, swallowing: Iterable[Handler]) -> Iterator[int]:
    """Yields the offsets in a span where an error of a subtask or a future is ignored. Handlers in
    `swallowing` only log an error."""
    plain, (begin, end) = text.plain, span
    if (scope := _SCOPE.search(plain, begin, end)) and not _SCOPE_CHECK.search(plain, begin, end):
        yield scope.start()
    if HANDOVER.search(plain, begin, end):
        for handler in swallowing:
            start, stop = handler.attempt
            if begin < start < end and _FUTURE_READ.search(plain, start, stop):
                yield handler.at
