"""Threads that process the records of one poll in parallel, and for which the code waits.

No record is lost. Their order is, also among records with the same key, unless one thread processes
all records of a key (KafkaConsumer javadoc, Multi-threaded Processing).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.intake.programs.jvm.concurrency import PUT, QUEUE, wait_patterns
from advisor.intake.programs.jvm.text import Block, Text

_PARALLEL = re.compile(
    r"\.\s*(?:parallelStream|parallel)\s*\(\s*\)|\.\s*par\b|\bFuture\s*\.\s*traverse\b"
    r"|\bStreamSupport\s*\.\s*stream\s*\([^;{}]{1,120},\s*true\s*\)"
)
_MOST = 100
_BUSY_WAIT = (
    r"\bwhile\s*\([^{{}};]*\b{0}\b[^{{}};]*\)\s*"
    r"(?:\{{[^{{}}]*\b(?:sleep|onSpinWait|delay)\b[^{{}}]*\}}|;)"
)
_AWAIT_OPENING = re.compile(r"\bAwait\s*\.\s*\w+\s*\(\s*$")
"""Scala's `Await.result(` or `Await.ready(` before a future."""


def parallel_processing(
    text: Text,
    span: Block,
    uses: re.Pattern[str],
    handovers: Iterable[int],
    loop_bodies: Iterable[Block],
) -> Iterator[int]:
    """Places in a span where records are processed in parallel: parallel streams, and handovers of
    single records in a loop that does not wait for each before the next one.

    `uses` matches a use of a record, and `handovers` are the offsets of calls that hand one over.
    """
    for match in _PARALLEL.finditer(text.plain, *span):
        begin = max(span[0], text.chain(match.end() - 1))
        if uses.search(text.plain, min(begin, match.start()), text.closed(match.end())):
            yield match.start()
    bodies, waiting = [*loop_bodies], wait_patterns(text.plain).any
    for at in handovers:
        ends = [end for start, end in bodies if start <= at < end]
        is_waited = _AWAIT_OPENING.search(text.line_to(at))
        if ends and not is_waited and not waiting.search(text.plain, at, min(ends)):
            yield at


def unread_queues(text: Text, span: Block, uses: re.Pattern[str]) -> Iterator[re.Match[str]]:
    """Yields the calls in a span that put a record into a collection which the span then does not
    read. A loop that waits until it is empty reads no record."""
    for match in islice(PUT.finditer(text.plain, *span), _MOST):
        closed = text.closed(match.end())
        rest = re.sub(_BUSY_WAIT.format(match[1]), "", text.plain[closed : span[1]])
        if not re.search(rf"\b{match[1]}\b", rest) and uses.search(text.plain, match.end(), closed):
            yield match


def is_queue(text: Text, name: str) -> bool:
    """Whether a name is that of a queue or of a Kotlin channel."""
    is_kotlin = re.search(r"\bfun\s+\w+\s*\(", text.plain)
    words = ("queue", "channel") if is_kotlin else ("queue",)
    is_declared = re.search(QUEUE.format(name), text.plain)
    return bool(is_declared) or any(word in name.lower() for word in words)
