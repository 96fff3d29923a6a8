"""What a handler does in each way that its error, or its record, decides.

`if (bad(e)) { log.error(e); continue; } throw e;` takes two ways, as does Kotlin's `when`, Scala's
`match` and Java's `switch`. One that asks how often something was tried is none of these, and a way
for what was done before (a key that exists) passes over nothing.
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
from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.text import IntakeError, line_of

_MOST, _DEEPEST = 20, 4
_DECIDES = re.compile(
    r"\bif\s*\((?P<if>)|\bwhen\s*(?:\((?P<when>[^(){}]{0,80})\)\s*)?\{"
    r"|\bswitch\s*\((?P<switch>[^(){}]{0,80}(?:\(\s*\)[^(){}]{0,40})?)\)\s*\{"
    r"|\b(?P<match>\w[\w.]{0,80})\s+match\s*\{"
)
_ELSE = re.compile(r"[\s;]*\belse\b\s*")
_ARM = re.compile(r"[\s;]*(?P<asked>[^{};\n]{1,200}?)\s*->\s*")
_CASE = re.compile(r"\b(?P<asked>case\b(?:(?!->)[^;{}:]){1,160}|default\s*)(?:->|:)")
_CASE_OF_SCALA = re.compile(r"\b(?P<asked>case\b(?:(?!=>)[^;{}]){1,160})=>")
_NUMBER = re.compile(r"[!=]=\s*\d")
_NOT = re.compile(r"\s*!(?!=)|!=")
_JUMPS = re.compile(r"\b(?:throw|continue|return|break)\b[^;{}\n]*[;}\s]*$")
_ERROR = re.compile(r"\bcatch\s*\(\s*(?:(?P<first>\w+)\s*:|[^(){}]*?(?P<last>\w+)\s*\))")
_GIVEN = re.compile(r"[(,]\s*([a-z]\w*)\b(?!\s*[({])")


def branches(text: Text, at: int, body: Block, attempt: Block) -> list[str]:
    """What a handler that stands at a place does in each way, if it has several. Raises
    `IntakeError` for more of them than are followed."""
    head = _ERROR.match(text.plain, at)
    error = (head["first"] or head["last"]) if head else "it"
    given = _GIVEN.findall(text.plain, *attempt)
    found = [*islice(_ways(text, body, error, {error, *given}, _DEEPEST), MAX_BRANCHES + 1)]
    if len(found) > MAX_BRANCHES:
        raise IntakeError(f"Line {line_of(text.plain, at)}: {TOO_MANY_BRANCHES}")
    return found


def _ways(text: Text, body: Block, error: str, names: Set[str], depth: int) -> Iterator[str]:
    plain, (start, stop) = text.plain, body
    for match in islice(_DECIDES.finditer(plain, start + 1, stop), _MOST if depth else 0):
        if text.block(match.start()) != text.block(start + 1):
            continue
        end, sides = _sides(text, match, stop)
        if not any(_decides(asked, error, names) for asked, _ in sides):
            continue
        before, behind = plain[start + 1 : match.start()], plain[end:stop]
        rest_of = _ways(text, (end - 1, stop), error, names, depth - 1)
        later = [*islice(rest_of, MAX_BRANCHES + 1)] or [behind]
        for asked, side in sides:
            if asked and is_harmless(asked):
                continue
            own = [*_ways(text, side, error, names, depth - 1)] or [plain[side[0] + 1 : side[1]]]
            for does in own:
                if _JUMPS.search(does):
                    yield f"{before}{does}"
                else:
                    yield from (f"{before}{does}\n{rest}" for rest in later)
        return


def _decides(asked: str, error: str, names: Set[str]) -> bool:
    """Whether a condition asks for the error, or for the record that it is of."""
    words = set(re.findall(r"\w+", asked))
    is_number = _NUMBER.search(asked) and error not in words
    is_open = checks_attempts(asked) or is_number or uses_result_of_call(asked, names - {error})
    return not names.isdisjoint(words) and not is_open


def _sides(text: Text, match: re.Match[str], stop: int) -> tuple[int, list[tuple[str, Block]]]:
    """Where a decision ends, and what it asks for each of its sides: nothing where that does not
    hold of which the other side asks."""
    plain = text.plain
    if match["if"] is None:
        block = text.block_of(match.end() - 1)
        return block[1] + 1, [*_arms(text, match, block)]
    closed = text.closed(match.end())
    asked = plain[match.end() : closed - 1]
    begin, end = _guarded(text, closed)
    other = _ELSE.match(plain, end, stop)
    if other is None:
        sides = [(begin, end - 1), (end - 1, end)]
    elif plain.startswith("if", other.end()):
        inner = re.compile(r"if\s*\(").match(plain, other.end())
        last = _sides_end(text, inner, stop) if inner else other.end()
        sides, end = [(begin, end - 1), (other.end() - 1, last)], last
    else:
        second = _guarded(text, other.end())
        sides, end = [(begin, end - 1), (second[0], second[1] - 1)], second[1]
    own = [(asked, sides[0]), ("", sides[1])]
    if is_harmless(asked) and _NOT.match(asked):
        own = [(without_harmless(asked), sides[0]), (asked, sides[1])]
    return end, own


def _sides_end(text: Text, head: re.Match[str], stop: int) -> int:
    """Where an `if` behind an `else` ends."""
    end = _guarded(text, text.closed(head.end()))[1]
    while other := _ELSE.match(text.plain, end, stop):
        inner = re.compile(r"if\s*\(").match(text.plain, other.end())
        end = _guarded(text, text.closed(inner.end()) if inner else other.end())[1]
    return end


def _guarded(text: Text, at: int) -> Block:
    """What stands behind a condition: before its first letter, and behind its last one."""
    start, end = text.guarded(at)
    is_block = text.plain[start : start + 1] == "{"
    return (start, end + 1) if is_block else (start - 1, end + 1)


def _arms(text: Text, match: re.Match[str], block: Block) -> Iterator[tuple[str, Block]]:
    """What each arm asks for, and does."""
    subject = match["when"] or match["switch"] or match["match"] or ""
    if not match[0].startswith("when"):
        cases = _CASE_OF_SCALA if match["match"] else _CASE
        found = [case for case in cases.finditer(text.plain, *block)
                 if text.block(case.start()) == block]  # fmt: skip
        ends = [case.start() for case in found[1:]] + [block[1]]
        for case, end in zip(found, ends, strict=False):
            yield f"{subject} {case['asked']}", (case.end() - 1, end)
        return
    at = block[0] + 1
    while arm := _ARM.match(text.plain, at, block[1]):
        start, end = text.guarded(arm.end())
        is_block = text.plain[start : start + 1] == "{"
        yield f"{subject} {arm['asked']}", (start if is_block else start - 1, end)
        at = end + (text.plain[end : end + 1] in ("}", ";") and end < block[1])
