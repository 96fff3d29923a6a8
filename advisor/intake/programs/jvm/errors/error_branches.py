"""Branches of an error handler that depend on the type of the error or on the record.

`if (bad(e)) { log.error(e); continue; } throw e;` has two branches. Kotlin's `when`, Scala's
`match` and Java's `switch` have one for each case. A condition on the number of attempts makes no
branches in a loop of attempts; elsewhere, one branch is for the last attempt. A branch for a record
that was processed before (its key exists) skips nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from itertools import islice

from advisor.intake.programs.conditions import (
    MAX_BRANCHES,
    TOO_MANY_BRANCHES,
    checks_attempts,
    is_harmless,
    uses_result_of_call,
    without_harmless,
)
from advisor.intake.programs.jvm.surroundings import ELSE, LAST_JUMP, WHEN_ARM
from advisor.intake.programs.jvm.text import METHOD, Block, Text
from advisor.intake.text import IntakeError, line_of

_MAX_CONDITIONS, _MAX_DEPTH = 20, 4
_BRANCHING = re.compile(
    r"\bif\s*\((?P<if>)|\bwhen\s*(?:\((?P<when>[^(){}]{0,80})\)\s*)?\{"
    r"|\bswitch\s*\((?P<switch>[^(){}]{0,80}(?:\(\s*\)[^(){}]{0,40})?)\)\s*\{"
    r"|\b(?P<match>\w[\w.]{0,80})\s+match\s*\{"
)
_CASE = re.compile(r"\b(?P<condition>case\b(?:(?!->)[^;{}:]){1,160}|default\s*)(?:->|:)")
_SCALA_CASE = re.compile(r"\b(?P<condition>case\b(?:(?!=>)[^;{}]){1,160})=>")
_NUMBER_COMPARISON = re.compile(r"[!=]=\s*\d")
_NEGATION = re.compile(r"\s*!(?!=)|!=")
_ERROR_PARAMETER = re.compile(r"\bcatch\s*\(\s*(?:(?P<first>\w+)\s*:|[^(){}]*?(?P<last>\w+)\s*\))")
_COUNT = "<count>"
"""The name that stands for the number of attempts."""
_FOR_EACH = re.compile(r"\bfor\s*\([^;]*(?::|\bin\b|<-)[^;]*\)\s*$|\bfor[Ee]ach\b[^;{}]*$")
_ATTEMPT_LOOP = re.compile(r"\b(?:while|for|repeat)\s*\([^{}]*\)\s*$|\bdo\s*$")
_ARGUMENT_NAME = re.compile(r"[(,]\s*([a-z]\w*)\b(?!\s*[({])")


def branches(text: Text, at: int, body: Block, attempt: Block) -> list[str]:
    """Returns the code of each branch of the handler at an offset; an empty list if it has none.

    Raises `IntakeError` for more than `MAX_BRANCHES` branches.
    """
    head = _ERROR_PARAMETER.match(text.plain, at)
    error = (head["first"] or head["last"]) if head else "it"
    names = {error, *_ARGUMENT_NAME.findall(text.plain, *attempt)}
    names |= set() if _is_repeated(text, attempt) else {_COUNT}
    bodies = [*islice(_block_branches(text, body, error, names, _MAX_DEPTH), MAX_BRANCHES + 1)]
    if len(bodies) > MAX_BRANCHES:
        raise IntakeError(f"Line {line_of(text.plain, at)}: {TOO_MANY_BRANCHES}")
    return bodies


def _block_branches(
    text: Text, body: Block, error: str, names: Set[str], depth: int
) -> Iterator[str]:
    """Yields the branches of a block; nothing if no condition in it depends on `names`."""
    plain, (start, stop) = text.plain, body
    for match in islice(
        _BRANCHING.finditer(plain, start + 1, stop), _MAX_CONDITIONS if depth else 0
    ):
        if text.block(match.start()) != text.block(start + 1):
            continue
        end, sides = _sides(text, match, stop)
        is_count = _COUNT in names and match["if"] is not None and checks_attempts(sides[0][0])
        has_other = sides[1][1][1] - sides[1][1][0] > 1 if is_count else False
        is_count = is_count and (has_other or bool(LAST_JUMP.search(plain, *sides[0][1])))
        if not is_count and not any(_depends_on(condition, error, names) for condition, _ in sides):
            continue
        before, following = plain[start + 1 : match.start()], plain[end:stop]
        later_branches = _block_branches(text, (end - 1, stop), error, names, depth - 1)
        later = [*islice(later_branches, MAX_BRANCHES + 1)] or [following]
        for condition, side in sides:
            if condition and is_harmless(condition):
                continue
            inner = [*_block_branches(text, side, error, names, depth - 1)] or [
                plain[side[0] + 1 : side[1]]
            ]
            for statements in inner:
                if LAST_JUMP.search(statements):
                    yield f"{before}{statements}"
                else:
                    yield from (f"{before}{statements}\n{rest}" for rest in later)
        return


def _is_repeated(text: Text, attempt: Block) -> bool:
    """Whether an attempt is in a loop of attempts, inside its method or its loop over records."""
    for _, _, head in reversed(text.around(attempt[0])):
        if METHOD.search(head) or _FOR_EACH.search(head):
            return False
        if _ATTEMPT_LOOP.search(head):
            return True
    return False


def _depends_on(condition: str, error: str, names: Set[str]) -> bool:
    """Whether a condition depends on the error, or on the record that failed."""
    words = set(re.findall(r"\w+", condition))
    compares_number = _NUMBER_COMPARISON.search(condition) and error not in words
    is_other = (
        checks_attempts(condition)
        or compares_number
        or uses_result_of_call(condition, names - {error})
    )
    return not names.isdisjoint(words) and not is_other


def _sides(text: Text, match: re.Match[str], stop: int) -> tuple[int, list[tuple[str, Block]]]:
    """Returns the end of a branching statement, and its sides with their conditions. The condition
    of an `else` side is empty."""
    plain = text.plain
    if match["if"] is None:
        block = text.block_of(match.end() - 1)
        return block[1] + 1, [*_arms(text, match, block)]
    closed = text.closed(match.end())
    condition = plain[match.end() : closed - 1]
    begin, end = _guarded_span(text, closed)
    other = ELSE.match(plain, end, stop)
    if other is None:
        sides = [(begin, end - 1), (end - 1, end)]
    elif plain.startswith("if", other.end()):
        inner = re.compile(r"if\s*\(").match(plain, other.end())
        last = _else_if_end(text, inner, stop) if inner else other.end()
        sides, end = [(begin, end - 1), (other.end() - 1, last)], last
    else:
        second = _guarded_span(text, other.end())
        sides, end = [(begin, end - 1), (second[0], second[1] - 1)], second[1]
    conditional_sides = [(condition, sides[0]), ("", sides[1])]
    if is_harmless(condition) and _NEGATION.match(condition):
        conditional_sides = [(without_harmless(condition), sides[0]), (condition, sides[1])]
    return end, conditional_sides


def _else_if_end(text: Text, head: re.Match[str], stop: int) -> int:
    """Returns the end of an `if` after an `else`."""
    end = _guarded_span(text, text.closed(head.end()))[1]
    while other := ELSE.match(text.plain, end, stop):
        inner = re.compile(r"if\s*\(").match(text.plain, other.end())
        end = _guarded_span(text, text.closed(inner.end()) if inner else other.end())[1]
    return end


def _guarded_span(text: Text, at: int) -> Block:
    """The span of the block after a condition, or of the statement and the character before it."""
    start, end = text.controlled_block(at)
    is_block = text.plain[start : start + 1] == "{"
    return (start, end + 1) if is_block else (start - 1, end + 1)


def _arms(text: Text, match: re.Match[str], block: Block) -> Iterator[tuple[str, Block]]:
    """Yields the condition and the span of each arm."""
    subject = match["when"] or match["switch"] or match["match"] or ""
    if not match[0].startswith("when"):
        cases = _SCALA_CASE if match["match"] else _CASE
        arms = [case for case in cases.finditer(text.plain, *block)
                 if text.block(case.start()) == block]  # fmt: skip
        ends = [case.start() for case in arms[1:]] + [block[1]]
        for case, end in zip(arms, ends, strict=False):
            yield f"{subject} {case['condition']}", (case.end() - 1, end)
        return
    at = block[0] + 1
    while arm := WHEN_ARM.match(text.plain, at, block[1]):
        start, end = text.controlled_block(arm.end())
        is_block = text.plain[start : start + 1] == "{"
        yield f"{subject} {arm['condition']}", (start if is_block else start - 1, end)
        at = end + (text.plain[end : end + 1] in ("}", ";") and end < block[1])
