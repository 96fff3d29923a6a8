"""Threads that process records of one poll at the same time, and are waited for.

Nothing is lost by that, and no order is kept, also not of a key, unless one thread has all records
of it (KafkaConsumer javadoc, Multi-threaded Processing).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.intake.programs.jvm.concurrency import QUEUE, wait_patterns
from advisor.intake.programs.jvm.text import Block, Text

_PARALLEL = re.compile(
    r"\.\s*(?:parallelStream|parallel)\s*\(\s*\)|\.\s*par\b|\bFuture\s*\.\s*traverse\b"
    r"|\bStreamSupport\s*\.\s*stream\s*\([^;{}]{1,120},\s*true\s*\)"
)
_AWAIT = re.compile(r"\bAwait\s*\.\s*\w+\s*\(\s*$")
"""Of Scala: what a future stands in that is waited for."""


def parallel_processing(
    text: Text, span: Block, uses: re.Pattern[str], hands: Iterable[int], each: Iterable[Block]
) -> Iterator[int]:
    """Where records that are used between two places are processed at the same time: where they are
    gone through in parallel, or handed on, one by one, and not waited for before the next one."""
    for match in _PARALLEL.finditer(text.plain, *span):
        begin = max(span[0], text.chain(match.end() - 1))
        if uses.search(text.plain, min(begin, match.start()), text.closed(match.end())):
            yield match.start()
    bodies, waiting = [*each], wait_patterns(text.plain).any
    for at in hands:
        own = [end for start, end in bodies if start <= at < end]
        is_waited = _AWAIT.search(text.line_to(at))
        if own and not is_waited and not waiting.search(text.plain, at, min(own)):
            yield at


def is_queue(text: Text, name: str) -> bool:
    """Whether a name is that of a queue, or of a channel of Kotlin's."""
    of_kotlin = re.search(r"\bfun\s+\w+\s*\(", text.plain)
    words = ("queue", "channel") if of_kotlin else ("queue",)
    declared = re.search(QUEUE.format(name), text.plain)
    return bool(declared) or any(word in name.lower() for word in words)
