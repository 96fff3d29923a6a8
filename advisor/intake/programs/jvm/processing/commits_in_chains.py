"""Commits within a chain of calls over the polled records: `rs.onEach { … }.run {
c.commitSync(); … }`, `stream.peek(r -> c.commitSync()).forEach(r -> save(r))`.

A commit without offsets covers all polled records (KafkaConsumer javadoc). Java streams and Kotlin
sequences pass one record through all steps before they take the next one (java.util.stream, package
summary); Kotlin and Scala collections run each step for all records before the next step.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.processing.continuation_commits import (
    CONTINUATION,
    is_future,
)
from advisor.intake.programs.jvm.records.derived_names import TAKES_APART
from advisor.intake.programs.jvm.records.observations import observation_spans
from advisor.intake.programs.jvm.records.poll_chains import Step, steps
from advisor.intake.programs.jvm.text import CALLEE, HEAD, Block, Text, blanked

_MOST, _MOST_LEVELS = 60, 4
_SCOPE_FUNCTIONS = frozenset({"also", "apply", "let", "run", "use", "with", "pipe", "tap"})
"""Functions that call their argument once."""
_LAZY_CHAIN = re.compile(
    r"\b(?:[sS]tream\w*|asSequence|asFlow|view|iterator|Iterator|spliterator)\b"
)
_CALL = re.compile(r"\b(\w+)\s*[({]|::\s*(\w+)")
_FUNCTION_NAME = re.compile(r"\s*(?:\w+\s*\.\s*)*(\w+)(?:\s+_)?\s*")
"""A Scala function that is passed by its name."""
_LAST_RECORD_CHECK = re.compile(
    r"\bif\s*\([^{}]*(?:==[^{}]*\b(?:count|size|length|lastIndex)\b|!\s*\w+\s*\.\s*hasNext\b)"
    r"[^{}]*\)\s*$"
)
"""A condition that only the last record meets."""
_NO_EFFECT = re.compile(
    rf"{TAKES_APART}|commit(?:Sync|Async)|for[Ee]ach\w*|map\w*|flatMap|onEach\w*|peek|filter\w*|if|for"
    r"|while|when|also|let|run|apply|use|count|size|isEmpty|[A-Z]\w*|it|\d+"
)
_ASSIGNMENT = re.compile(r"\b(\w+)\s*(?::[^=;{}]{1,60})?=\s*$")
_ARGUMENT_END = re.compile(r"\s*[,)]")


def early_commits(
    text: Text, names: Collection[str], commits: re.Pattern[str], span: Block
) -> Iterator[int]:
    """Commits in a step of a chain over records of these names that come before the records are
    processed, in the same step or in a later one."""
    uses = re.compile(rf"(?<![.\w])(?:{'|'.join(sorted(names)) or '(?!)'})\b")
    if not commits.search(text.plain, *span):
        return
    seen = set[int]()
    for use in islice(uses.finditer(text.plain, *span), _MOST):
        for begin, chain in _chains(text, use.end(), use.start()):
            for number, step in enumerate(chain):
                commit = commits.search(text.plain, step.begin, max(step.begin, step.end))
                if commit is None or commit.start() in seen:
                    continue
                seen.add(commit.start())
                if is_future(text, begin) or CONTINUATION.fullmatch(step.name):
                    continue  # `continuation_commits` decides
                if is_after_last_record(text, commit.start(), (step.begin, step.end)):
                    continue
                before = text.plain[begin : step.at]
                is_early = _is_early(text, chain, number, commit, before)
                if is_early or _is_result_used(text, begin, chain[-1].end + 1, span[1]):
                    yield commit.start()


def _chains(text: Text, at: int, begin: int) -> Iterator[tuple[int, Sequence[Step]]]:
    """The chains that use a value: the calls on it, and those on calls to which it is passed."""
    for _ in range(_MOST_LEVELS):
        chain = [*steps(text, at)]
        if chain:
            yield begin, chain
            at = chain[-1].end + 1
        if not _ARGUMENT_END.match(text.plain, at):
            return
        bracket = _enclosing_bracket(text, at)
        callee = CALLEE.search(text.plain, max(0, bracket - 80), bracket) if bracket > 0 else None
        if callee is None or HEAD.search(text.plain, max(0, bracket - 80), bracket + 1):
            return
        begin, at = text.chain(bracket), text.closed(bracket + 1)


def _enclosing_bracket(text: Text, at: int) -> int:
    """The opening bracket of the arguments around a place; -1 if a brace opens after it."""
    depth = 0
    for here in range(at - 1, max(-1, at - 600), -1):
        char = text.plain[here]
        depth += (char in ")]}") - (char in "([{")
        if depth < 0:
            return here if char == "(" else -1
    return -1


def _is_early(
    text: Text, chain: Sequence[Step], number: int, commit: re.Match[str], before: str
) -> bool:
    """Whether records are processed after a commit in a step of a chain."""
    step, steps_before = chain[number], chain[:number]
    later_spans = [(later.begin, later.end) for later in chain[number + 1 :]]
    is_lazy = bool(_LAZY_CHAIN.search(before))
    if step.name in _SCOPE_FUNCTIONS or (step.is_outer and not is_lazy):
        spans = [(commit.end(), step.end)]
    elif is_lazy:
        spans = [(step.begin, step.end), *((later.begin, later.end) for later in steps_before)]
    else:
        spans = [(step.begin, step.end)]
    return any(_has_effect(text, span) for span in [*spans, *later_spans])


def _is_result_used(text: Text, begin: int, end: int, stop: int) -> bool:
    """Whether the result of a chain is used: by name, in a loop over it, or by the call to which
    it is passed."""
    bracket = _enclosing_bracket(text, begin)
    before = text.plain[max(0, (bracket if bracket >= 0 else begin) - 80) : max(bracket, begin)]
    if assignment := _ASSIGNMENT.search(text.plain[max(0, begin - 120) : begin]):
        uses = re.compile(rf"(?<![.\w]){assignment[1]}\b(?!\s*\.\s*(?:size|count|isEmpty)\b)")
        spans = [*observation_spans(text, (), (end, stop))]
        return uses.search(blanked(text.plain, spans), end, stop) is not None
    if bracket < 0:
        return False
    if HEAD.search(f"{before[: before.rfind('(') + 1]})"):
        return True
    callee = CALLEE.search(text.plain[max(0, bracket - 80) : bracket])
    return callee is not None and not _NO_EFFECT.fullmatch(callee[1])


def _has_effect(text: Text, span: Block) -> bool:
    """Whether the code in a span has an effect, other than to log or to observe."""
    if span[1] <= span[0]:
        return False
    plain = blanked(text.plain[: span[1]], observation_spans(text, (), span))
    function = _FUNCTION_NAME.fullmatch(plain, *span)
    verbs = [match[1] or match[2] for match in _CALL.finditer(plain, *span)]
    return any(not _NO_EFFECT.fullmatch(verb) for verb in ([function[1]] if function else verbs))


def is_after_last_record(text: Text, at: int, body: Block) -> bool:
    """Whether a place in the body of a loop is reached for the last record alone, with no code
    after it."""
    start, end, head = next(reversed(text.around(at)), (0, 0, ""))
    is_checked = body[0] < start and _LAST_RECORD_CHECK.search(head)
    return bool(is_checked) and not text.plain[end + 1 : body[1]].strip(" \n;})")
