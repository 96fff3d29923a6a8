"""Braces around the one statement of a loop or a condition: `for (r in rs) save(r)`.

What looks for a statement knows it between braces alone. Lines stay as they are.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import Text, spliced

_MOST, _DEEPEST = 200, 6
_LOOP_HEAD = re.compile(r"(?<!\})\s(?:for|while)\s*\(|(?<=[;{)])(?:for|while)\s*\(")
"""The head of a loop, but not the condition behind the braces of `do`."""
_HAS_NO_STATEMENT = re.compile(r"[{;]|yield\b|\Z")
_IF = re.compile(r"(?<=[;{}\n])\s*+if\s*\(")
_ELSE = re.compile(r"\s*else\b\s*(?:if\s*\()?")
_OF_IF = re.compile(r"\s*\b(?:if|(?P<else>else))\b")
_PAIRS = (("(", ")"), ("{", "}"), ("[", "]"))
_CONDITION = re.compile(r"(?:if|for|while)\s*\(")
_BLOCK = re.compile(r"(?:try|synchronized)\s*(?:\([^{}]{0,200}\)\s*)?\{")
_OTHER = re.compile(r"\s*(?:else|catch\s*(?:\([^(){}]{0,200}\)\s*)?(?=\{)|finally)\s*")


def without_bare_statements(code: str) -> str:
    """The same program with these."""
    return _without_bare_conditions(_without_bare_loops(code))


def _without_bare_loops(code: str) -> str:
    """Braces around the one statement of a loop."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_LOOP_HEAD.finditer(text.plain), _MOST):
        start = text.behind_blanks(text.closed(match.end()))
        if _HAS_NO_STATEMENT.match(text.plain, start):
            continue
        if end := _end(text, start):
            changes += [(start, start, "{ "), (end, end, " }")]
    return spliced(code, sorted(changes))


def _without_bare_conditions(code: str) -> str:
    """Braces around the one statement of an `if`, and of its `else`."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_IF.finditer(text.plain), _MOST):
        at: int | None = match.end()
        while at is not None:
            start = text.behind_blanks(text.closed(at) if text.plain[at - 1] == "(" else at)
            end = _end(text, start)
            if not end:
                break
            if text.plain[start : start + 1] not in "{;":
                changes += [(start, start, "{ "), (end, end, " }")]
            other = _ELSE.match(text.plain, end)
            at = other.end() if other else None
    return spliced(code, sorted(changes))


def _end(text: Text, start: int, deepest: int = _DEEPEST) -> int:
    """Behind the statement that begins at a place; 0 where that is not known."""
    if text.plain[start : start + 1] == "{":
        return text.block_of(start)[1] + 1
    if head := _CONDITION.match(text.plain, start):
        inner = text.behind_blanks(text.closed(head.end()))
        end = _end(text, inner, deepest - 1) if deepest else 0
    elif block := _BLOCK.match(text.plain, start):
        end = text.block_of(block.end() - 1)[1] + 1
    else:
        end = _before_else(text, *text.statement(start))
        return end + (text.plain[end : end + 1] == ";")
    while deepest and end and (other := _OTHER.match(text.plain, end)):
        end = _end(text, other.end(), deepest - 1)
    return end


def _before_else(text: Text, start: int, end: int) -> int:
    """Where a statement ends: before an `else` in its line, which is that of the `if` before it."""
    other = _OF_IF.search(text.plain, start, end)
    before = text.plain[start : other.start()] if other else ""
    is_whole = all(before.count(a) == before.count(b) for a, b in _PAIRS)
    return other.start() if other and other["else"] and is_whole else end
