"""What the operators of a Kafka Streams program do with a record that fails.

A record whose operator returns is processed, and its offset is committed; an error that leaves it
goes to the exception handlers (KIP-1033, KIP-671). Threads of the program's own are not waited for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake import java_handlers
from advisor.intake.java_text import Block, Text

PASSED = (
    "an error of a record is passed over here: Kafka Streams takes the record as processed, and "
    "what failed is lost. Let the error out, so that processing.exception.handler acts"
)
HANDED = (
    "others are given a record here, and Kafka Streams does not wait for them: it commits the "
    "record while they may still fail. Process it where it is"
)
_OPERATOR = re.compile(
    r"\.\s*(?:foreach|peek|mapValues|map|flatMap|flatMapValues|filter|selectKey|process\w*"
    r"|transform\w*|aggregate|reduce)\s*[({]"
)
_PROCESSOR = ("process", "transform")
_ASIDE = re.compile(
    r"\.\s*(?:submit|execute|runAsync|supplyAsync)\s*\(|\bnew\s+Thread\s*\(|\b(?:launch|thread)\s*[({]"
)
_WAITS = re.compile(r"\b(?:get|join|invokeAll|allOf|await|runBlocking|coroutineScope)\b")
_MOST = 100


def faults(text: Text) -> Iterator[tuple[int, str]]:
    """Where an operator loses a record, and why."""
    silent = [*java_handlers.silent(text, in_function=True)]
    for region in _operators(text):
        for handler in silent:
            within = region[0] < handler.attempt[0] < region[1]
            if within and not java_handlers.tries_again(text, handler.attempt, region):
                yield handler.at, PASSED
        body = text.plain[slice(*region)]
        if (aside := _ASIDE.search(body)) and not _WAITS.search(body):
            yield region[0] + aside.start(), HANDED


def _operators(text: Text) -> Iterator[Block]:
    """The bodies of operators, and of the methods that they call."""
    for match in islice(_OPERATOR.finditer(text.plain), _MOST):
        yield from text.reached((match.end() - 1, text.closed(match.end())))
    for name in _PROCESSOR:
        for body in text.bodies(name):
            yield from text.reached(body)
