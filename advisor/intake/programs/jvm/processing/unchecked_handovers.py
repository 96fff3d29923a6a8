"""Handovers of records to other threads that JVM code waits for without checking for errors.

`CountDownLatch.await`, `Thread.join` and `ExecutorService.awaitTermination` return when the work
has ended, whether or not it threw an error; `Future.get` rethrows it (java.util.concurrent).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.intake.programs.jvm import concurrency
from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.text import Block, Text

_MOST_WAITS = 20
_COUNT_WAIT = re.compile(
    r"(?P<check>\b(?:check|require|assert\w*)\s*\(\s*)?(?P<condition>\bif\s*\(\s*(?P<not>!\s*)?)?"
    r"(?:(?:\bva[lr]|[\w>])\s+(?P<name>\w+)\s*(?::\s*\w+\s*)?=\s*)?\b(?:\w+\s*\.\s*)?\w*\s*\.\s*(?:await|tryAcquire|(?P<untimed>acquire\w*))\s*\("
)
"""A wait for a count, and the code that uses its result."""
_CONDITION_END, _COMMIT = re.compile(r"\s*\)"), re.compile(r"\bcommit(?:Sync|Async)\s*\(")
_WAITS_OF_SCOPE = re.compile(r"\b(?:runBlocking|coroutineScope|join(?:All)?\s*(?=\())")
"""Waits for coroutines that do not throw their errors in a supervisor scope (kotlinx.coroutines,
`SupervisorJob`, `Job.join`)."""


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
            code = _WAITS_OF_SCOPE.sub("", code)
        if asks.search(code):
            return
        only = re.compile("")
    for call in concurrency.EVERY.finditer(plain, begin, end):
        if uses.search(plain, begin, text.closed(call.end())):
            yield call.end() - 1
    waits_for_success = counted is not None and _is_wait_checked(text, span)
    for at in handovers:
        if _is_unchecked(text, at, only) and not (
            waits_for_success and _counts_successes(text, at, uses)
        ):
            yield at


def _is_wait_checked(text: Text, span: Block) -> bool:
    """Whether the code of a span waits for a count without a time limit, or acts after it."""
    waits = [*islice(_COUNT_WAIT.finditer(text.plain, *span), _MOST_WAITS)]
    return bool(waits) and all(_acts_after(text, wait) for wait in waits)


def _acts_after(text: Text, wait: re.Match[str]) -> bool:
    closed = text.closed(wait.end())
    if wait["untimed"] or not text.plain[wait.end() : closed - 1].strip() or wait["check"]:
        return True
    if wait["name"]:
        scope = closed, text.block(closed)[1]
        return not jvm_flags.is_never_checked(text, wait["name"], False, scope)
    condition = _CONDITION_END.match(text.plain, closed)
    if not wait["condition"] or condition is None:
        return False
    then, other = jvm_flags.branches(text, condition.end())
    late, code = (then, other) if wait["not"] else (other, then)
    ends = _COMMIT.search(code) and not _COMMIT.search(late)
    return not jvm_flags.ignores_failure(text, condition.end(), late) and not ends


def _counts_successes(text: Text, at: int, uses: re.Pattern[str]) -> bool:
    """Whether the code of a handover counts down only after it has processed its record."""
    code = text.plain[at : concurrency.handover_end(text, at)]
    count = concurrency.COUNTED.search(code)
    is_last = count is not None and not uses.search(code, count.end())
    return is_last and not re.search(r"\b(?:finally|catch)\b", code)


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
