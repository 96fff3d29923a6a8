"""Braces around the single statement of a loop or condition: `for (r in rs) save(r)`.

The readers only look for statements between braces. Line numbers do not change.
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.text import Text, spliced

_MOST_MATCHES, _DEEPEST_NESTING = 200, 6
_LOOP_HEAD = re.compile(r"(?<!\})\s(?:for|while)\s*\(|(?<=[;{)])(?:for|while)\s*\(")
"""The head of a loop, but not the `while` condition after a `do` block."""
_NO_BARE_STATEMENT = re.compile(r"[{;]|yield\b|\Z")
_IF = re.compile(r"(?<=[;{}\n])\s*+if\s*\(")
_ELSE = re.compile(r"\s*else\b\s*(?:if\s*\()?")
_IF_OR_ELSE = re.compile(r"\s*\b(?:if|(?P<else>else))\b")
_BRACKETS = (("(", ")"), ("{", "}"), ("[", "]"))
_HEAD = re.compile(r"(?:if|for|while)\s*\(")
_BLOCK_STATEMENT = re.compile(r"(?:try|synchronized)\s*(?:\([^{}]{0,200}\)\s*)?\{")
_NEXT_CLAUSE = re.compile(r"\s*(?:else|catch\s*(?:\([^(){}]{0,200}\)\s*)?(?=\{)|finally)\s*")


def without_bare_statements(code: str) -> str:
    """Returns the program with braces around the bare bodies of loops and conditions."""
    return _without_bare_conditions(_without_bare_loops(code))


def _without_bare_loops(code: str) -> str:
    """Returns the program with braces around the single statement of each loop."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_LOOP_HEAD.finditer(text.plain), _MOST_MATCHES):
        start = text.after_whitespace(text.closed(match.end()))
        if _NO_BARE_STATEMENT.match(text.plain, start):
            continue
        if end := _statement_end(text, start):
            changes += [(start, start, "{ "), (end, end, " }")]
    return spliced(code, sorted(changes))


def _without_bare_conditions(code: str) -> str:
    """Returns the program with braces around the single statement of each `if` and `else`."""
    text, changes = Text.of(code), list[tuple[int, int, str]]()
    for match in islice(_IF.finditer(text.plain), _MOST_MATCHES):
        at: int | None = match.end()
        while at is not None:
            start = text.after_whitespace(text.closed(at) if text.plain[at - 1] == "(" else at)
            end = _statement_end(text, start)
            if not end:
                break
            if text.plain[start : start + 1] not in "{;":
                changes += [(start, start, "{ "), (end, end, " }")]
            else_branch = _ELSE.match(text.plain, end)
            at = else_branch.end() if else_branch else None
    return spliced(code, sorted(changes))


def _statement_end(text: Text, start: int, depth: int = _DEEPEST_NESTING) -> int:
    """Returns the end of the statement that begins at `start`, or 0 if it is unknown."""
    if text.plain[start : start + 1] == "{":
        return text.block_of(start)[1] + 1
    if head := _HEAD.match(text.plain, start):
        inner_start = text.after_whitespace(text.closed(head.end()))
        end = _statement_end(text, inner_start, depth - 1) if depth else 0
    elif block := _BLOCK_STATEMENT.match(text.plain, start):
        end = text.block_of(block.end() - 1)[1] + 1
    else:
        end = _end_before_else(text, *text.statement(start))
        return end + (text.plain[end : end + 1] == ";")
    while depth and end and (clause := _NEXT_CLAUSE.match(text.plain, end)):
        end = _statement_end(text, clause.end(), depth - 1)
    return end


def _end_before_else(text: Text, start: int, end: int) -> int:
    """Returns the end of a statement, which is before the `else` of an enclosing `if`."""
    keyword = _IF_OR_ELSE.search(text.plain, start, end)
    before = text.plain[start : keyword.start()] if keyword else ""
    is_balanced = all(
        before.count(opening) == before.count(closing) for opening, closing in _BRACKETS
    )
    return keyword.start() if keyword and keyword["else"] and is_balanced else end
