"""Executors that were given records, and whose errors are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.intake.programs.jvm.concurrency import HAND
from advisor.intake.programs.jvm.errors.handlers import Handler
from advisor.intake.programs.jvm.text import Block, Text

_SCOPE = re.compile(r"\bnew\s+StructuredTaskScope\b|\bJoiner\s*\.\s*(?:<[^<>;]*>\s*)?awaitAll\s*\(")
_ASKS_SCOPE = re.compile(r"\bthrowIfFailed\s*\(|\.\s*(?:result|get|exception|state)\s*\(\s*\)")
"""Scopes whose `join()` throws no error of a subtask (StructuredTaskScope, JEP 453 and 505)."""
_READS_FUTURE = re.compile(r"\.\s*(?:get|join)\s*\(")


def ignored_errors(text: Text, span: Block, go_on: Iterable[Handler]) -> Iterator[int]:
    """Where that is between two places; `go_on` are handlers that only write of an error."""
    plain, (begin, end) = text.plain, span
    if (scope := _SCOPE.search(plain, begin, end)) and not _ASKS_SCOPE.search(plain, begin, end):
        yield scope.start()
    if HAND.search(plain, begin, end):
        for handler in go_on:
            start, stop = handler.attempt
            if begin < start < end and _READS_FUTURE.search(plain, start, stop):
                yield handler.at
