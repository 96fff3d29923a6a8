"""Commits on another thread, in code that runs after a future completes and that nothing waits for:
`CompletableFuture.allOf(fs).thenRun(() -> c.commitSync());`.

A commit without offsets covers all records polled up to then, so also those of later polls, which
are not processed yet. A consumer is not safe for use by several threads (KafkaConsumer javadoc,
commitSync and Multi-threaded Processing).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm import concurrency
from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.text import CALLEE, Block, Text

_MOST, _LONGEST_HEAD, _DEEPEST = 60, 160, 2
CONTINUATION = re.compile(
    r"(?:then(?:Run|Accept|Apply|Compose)|whenComplete|handle)(?:Async)?|onComplete"
)
"""Methods that call a function after a future completes."""
_CONTINUATION = re.compile(
    rf"\.\s*(?P<verb>{CONTINUATION.pattern}"
    r"|map|flatMap|foreach|andThen|transform|invokeOnCompletion)\s*[({]"
    r"|(?:\b\w+\s*\.\s*)?\b(?P<launch>launch|async)\s*(?:\([^(){}]{0,80}\)\s*)?\{"
)
_SCALA_VERBS = frozenset({"map", "flatMap", "foreach", "andThen", "transform", "onComplete"})
"""Methods of Scala's Future. Collections have methods of the same names."""
_SCHEDULE = re.compile(
    r"\b(?:schedule(?:AtFixedRate|WithFixedDelay)?|fixedRateTimer|setPeriodic|scheduleWithFixedDelay)"
    r"\s*(?:\((?:[^(){}]|\([^(){}]*\))*+\)\s*(?=\{))?[({]"
)
_SET_FLAG = re.compile(r"\b(\w+)\s*(?:\.\s*(?:set|lazySet|compareAndSet)\s*\(|=\s*true\b)")
_FLAG_CHECK = r"\bif\s*\((?=[^{{}};]*\b(?:{0})\b)"
_FLAG_WAIT = r"\bwhile\s*\(\s*!\s*(?:{0})\b"
_PAUSE = re.compile(r"\.\s*pause\s*\(")
_COMPLETION_CHECK = re.compile(
    r"\bif\s*(?P<opened>\()\s*(?P<name>\w+)\s*\.\s*(?:isDone|isCompleted|isComplete|getCount)\b"
)
"""A condition on whether a future, or all that a latch counts, is complete."""
_FUTURE = re.compile(r"Future\b")
_FUTURE_NAME = r"\b{0}\s*(?::\s*(?:\w+\.)*Future\b|=\s*Future\b)"
_FUTURE_IMPORT = re.compile(r"\bimport\s+scala\.concurrent\b")
_SERVICE_CALL = re.compile(
    r"(?!(?:Try|Option|Some|Right|Left|Using)\b)\w+(?:\s*\.\s*\w+){0,3}\s*\("
)
"""A call that may return a future in a program that imports them."""
_NAME = re.compile(r"\w+")
_DEFINITION_END = re.compile(r"\s*(?:throws\s[\w, .]+|:\s*[\w<>\[\]?, ]+)?\s*=?\s*\{")
_COMMIT = r"|\b{0}\s*(?:\.|::)\s*commit(?:Sync|Async)\b"
_WAIT_STEP = re.compile(r"join|get\w*|await\w*|block\w*|unsafeRun\w*|indefinitely|asDeferred")
_ASSIGNED = re.compile(r"\b(\w+)\s*(?::[^=;{}\n]{1,80})?(?<![=!<>])\+?=\s*$")
_RETURN = re.compile(r"\breturn\s*$")


def unawaited_commits(
    text: Text, consumer: str, commits: re.Pattern[str], span: Block
) -> Iterator[int]:
    """Yields the offsets of commits in a span that run after a future completes, or in a
    coroutine, and that nothing in the span waits for.

    `commits` matches a commit of all polled records.
    """
    any_commit = re.compile(commits.pattern + _COMMIT.format(consumer))
    if not any_commit.search(text.plain, *span):
        return
    for match in islice(_CONTINUATION.finditer(text.plain, *span), _MOST):
        opened = match.end() - 1
        is_block = text.plain[opened] == "{"
        end = text.block_of(opened)[1] + 1 if is_block else text.closed(opened + 1)
        commit = any_commit.search(text.plain, opened, end) or _commit_by_flag(
            text, commits, (opened, end), span
        )
        if commit is None:
            continue
        begin = match.start() if match["launch"] else text.chain(opened)
        if match["verb"] in _SCALA_VERBS and not is_future(text, begin):
            continue
        if not _is_awaited(text, begin, end, span):
            yield commit.start()
    for match in islice(_COMPLETION_CHECK.finditer(text.plain, *span), _MOST):
        end = text.closed(match.end("opened"))
        commit = commits.search(text.plain, *text.controlled_block(end))
        waits = rf"\b{match['name']}\s*\.\s*(?!getCount)(?:{_WAIT_STEP.pattern})|{_PAUSE.pattern}"
        if commit and not (re.search(waits, text.plain) or _is_awaited(text, end, end, span)):
            yield commit.start()


def scheduled_commits(text: Text, consumer: str) -> Iterator[int]:
    """Yields the commits without offsets that run at fixed times, whatever was processed by then.

    They run on another thread, or between two records of a poll.
    """
    commit = re.compile(
        rf"\b{consumer}\s*(?:\.|::)\s*commit(?:Sync|Async)\s*(?:\(\s*\)|(?=\s*[,)]))"
    )
    for match in islice(_SCHEDULE.finditer(text.plain), _MOST):
        opened = match.end() - 1
        is_block = text.plain[opened] == "{"
        end = text.block_of(opened)[1] if is_block else text.closed(opened + 1)
        if at := commit.search(text.plain, opened, end):
            yield at.start()


def _commit_by_flag(
    text: Text, commits: re.Pattern[str], function: Block, span: Block
) -> re.Match[str] | None:
    """Returns the commit in a span that depends on a flag which a function sets; None if the code
    waits in a loop for the flag, or pauses the consumer until then."""
    names = "|".join({*_SET_FLAG.findall(text.plain, *function)}) or "(?!)"
    if re.search(_FLAG_WAIT.format(names), text.plain) or _PAUSE.search(text.plain):
        return None
    for condition in islice(re.finditer(_FLAG_CHECK.format(names), text.plain), _MOST):
        block = text.controlled_block(text.closed(condition.end()))
        if span[0] <= condition.start() < span[1] and (
            commit := commits.search(text.plain, *block)
        ):
            return commit
    return None


def has_commit(text: Text, commits: re.Pattern[str], span: Block) -> bool:
    """Whether the continuation of a future in a span commits."""
    continuations = islice(concurrency.THEN.finditer(text.plain, *span), _MOST)
    return any(
        commits.search(text.plain, match.end(), text.closed(match.end())) for match in continuations
    )


def runs_after(text: Text, handover: int, commit: int) -> bool:
    """Whether a commit is in a function that runs after a future completes."""
    if any(commit < text.closed(match.end())
           for match in concurrency.THEN.finditer(text.plain, handover, commit)):  # fmt: skip
        return True
    continuations = islice(_CONTINUATION.finditer(text.plain, handover, commit), _MOST)
    return any(
        commit < text.closed(match.end()) and is_future(text, text.chain(match.end() - 1))
        for match in continuations if match["verb"] in _SCALA_VERBS
    )  # fmt: skip


def is_future(text: Text, begin: int) -> bool:
    """Whether the chain at an offset starts with a Future of Scala."""
    name = _NAME.match(text.plain, begin)
    if name is None:
        return False
    if _FUTURE.match(text.plain, begin) or re.search(_FUTURE_NAME.format(name[0]), text.plain):
        return True
    is_call = _SERVICE_CALL.match(text.plain, begin)
    return bool(is_call) and bool(_FUTURE_IMPORT.search(text.plain))


def _is_awaited(text: Text, begin: int, end: int, span: Block, depth: int = _DEEPEST) -> bool:
    """Whether code in a span waits for the future between two offsets, or passes it on."""
    if concurrency.wait_patterns(text.plain).any.search(text.plain, end, span[1]):
        return True
    if any(_WAIT_STEP.fullmatch(step.name) for step in steps(text, end)):
        return True
    scopes = (head for start, _, head in text.around(begin) if span[0] < start)
    if any(concurrency.SCOPE.search(head) for head in scopes):
        return True
    before = text.plain[max(0, begin - _LONGEST_HEAD) : begin]
    if name := _ASSIGNED.search(before):
        return re.compile(rf"\b{name[1]}\b").search(text.plain, end, span[1]) is not None
    if _RETURN.search(before):
        return depth == 0 or _do_callers_wait(text, begin, depth)
    return before.rstrip().endswith(("(", ",")) and bool(CALLEE.search(before.rstrip("( \n")))


def _do_callers_wait(text: Text, at: int, depth: int) -> bool:
    """Whether each caller of the method around an offset waits for the future that it returns."""
    names = [name for start, end, _ in text.around(at) for name in text.named((start, end))]
    for call in islice(re.finditer(rf"\b{names[-1]}\s*\(", text.plain), _MOST if names else 0):
        begin, end = text.chain(call.end() - 1), text.closed(call.end())
        is_definition = _DEFINITION_END.match(text.plain, end)
        if not is_definition and not _is_awaited(
            text, begin, end, (begin, text.block(begin)[1]), depth - 1
        ):
            return False
    return True
