"""Executors and reactive chains that were given records, and whose errors are ignored."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.intake.programs.jvm.concurrency import HAND
from advisor.intake.programs.jvm.handlers import Handler
from advisor.intake.programs.jvm.log_only import only_writes
from advisor.intake.programs.jvm.text import Block, Text

_MOST = 100
_GOES_ON = re.compile(
    r"\.\s*(?:onErrorContinue|onErrorComplete)\s*\(|\.\s*onErrorResume\s*\([^;]{0,80}\.\s*empty\s*\("
    r"|\.\s*attempt\s*\.\s*unsafeRunSync\s*\(\s*\)\s*(?=[;)}\n])"
)
_INSTEAD = re.compile(
    r"\.\s*(?:exceptionally|handle|recover|handleError)\s*[({]\s*"
    r"(?:\(?\s*\w+(?:\s*,\s*\w+)?\s*\)?\s*(?:->|=>)|case\b[^=]{1,80}=>)"
)
"""Of a future: what is done in place of what failed."""
_CAUGHT = re.compile(r"\.\s*catch\s*\{")
"""Of a flow of Kotlin's."""
_SCOPE = re.compile(r"\bnew\s+StructuredTaskScope\b|\bJoiner\s*\.\s*(?:<[^<>;]*>\s*)?awaitAll\s*\(")
_ASKS_SCOPE = re.compile(r"\bthrowIfFailed\s*\(|\.\s*(?:result|get|exception|state)\s*\(\s*\)")
"""Scopes whose `join()` throws no error of a subtask (StructuredTaskScope, JEP 453 and 505)."""
_READS_FUTURE = re.compile(r"\.\s*(?:get|join)\s*\(")


def passed_over(text: Text, span: Block, go_on: Iterable[Handler]) -> Iterator[int]:
    """Where that is between two places; `go_on` are handlers that only write of an error."""
    plain, (begin, end) = text.plain, span
    if match := _GOES_ON.search(plain, begin, end):
        yield match.start()
    for match in islice(_INSTEAD.finditer(plain, begin, end), _MOST):
        if only_writes(plain[match.end() : text.closed(match.end()) - 1], in_function=True):
            yield match.start()
    for match in islice(_CAUGHT.finditer(plain, begin, end), _MOST):
        if only_writes(plain[match.end() : text.block_of(match.end() - 1)[1]]):
            yield match.start()
    if (scope := _SCOPE.search(plain, begin, end)) and not _ASKS_SCOPE.search(plain, begin, end):
        yield scope.start()
    if HAND.search(plain, begin, end):
        for handler in go_on:
            start, stop = handler.attempt
            if begin < start < end and _READS_FUTURE.search(plain, start, stop):
                yield handler.at
