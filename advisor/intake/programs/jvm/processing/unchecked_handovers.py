"""Handovers of records to other threads that JVM code waits for without checking for errors.

`CountDownLatch.await`, `Thread.join` and `ExecutorService.awaitTermination` return when the work
has ended, whether or not it threw an error; `Future.get` rethrows it (java.util.concurrent).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from advisor.intake.programs.jvm import concurrency
from advisor.intake.programs.jvm.text import Block, Text


def unchecked_handovers(
    text: Text, span: Block, uses: re.Pattern[str], handovers: Iterable[int]
) -> Iterator[int]:
    """The offsets of handovers in a span that the code waits for, without checking for errors.

    `uses` matches a use of a record; `handovers` are the offsets of calls that hand one over.
    """
    plain, (begin, end) = text.plain, span
    asks = concurrency.wait_patterns(plain).asks
    counted = concurrency.COUNTED.search(plain, begin, end)
    if not (counted or concurrency.ONLY_WAITS.search(plain, begin, end)):
        waits = [match[0] for match in asks.finditer(plain, begin, end)]
        only_polls = concurrency.IS_DONE.search(plain, begin, end)
        unchecked = ("join", "pause") if only_polls else ("join", *concurrency.SCOPES)
        joins = any(wait.startswith(("join", "pause")) for wait in waits)
        if not joins or not all(wait.startswith(unchecked) for wait in waits):
            return
        only = re.compile("") if only_polls else concurrency.THREAD
    else:
        code = concurrency.ONLY_WAITS.sub("", plain[begin:end])
        code = concurrency.AWAIT.sub("", code) if counted else code
        if "supervisorScope" in plain[begin:end]:
            code = code.replace("runBlocking", "").replace("coroutineScope", "")
        if asks.search(code):
            return
        only = re.compile("")
    for call in concurrency.EVERY.finditer(plain, begin, end):
        if uses.search(plain, begin, text.closed(call.end())):
            yield call.end() - 1
    yield from (at for at in handovers if _is_unchecked(text, at, only))


def _is_unchecked(text: Text, at: int, only: re.Pattern[str]) -> bool:
    """Whether the code of a handover matches `only`, and catches no errors itself."""
    plain = text.plain
    closed = text.closed(plain.index("(", at) + 1)
    bodies = text.reached((at, max(closed, text.block_of(closed)[1])))
    handles = any(re.search(r"\bcatch\b", plain[slice(*body)]) for body in bodies)
    in_scope = (
        only is concurrency.THREAD
        and concurrency.OF_SCOPE.match(plain, at)
        and plain[at - 1] == "."
    )
    return bool(in_scope or only.search(plain, at, closed)) and not handles
