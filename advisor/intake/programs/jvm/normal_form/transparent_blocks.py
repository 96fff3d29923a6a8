"""Removal of blocks that do not change the effect of their statements.

These are locks, traces, log contexts, a `try` whose handlers rethrow and whose `finally` only
observes, and an `if` whose `else` throws, unless its condition checks a flag of the program.

Their statements become part of the enclosing block. The text keeps its length.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm.log_only import OBSERVERS, only_logs
from advisor.intake.programs.jvm.text import Block, Text, blanked

_BLOCK = re.compile(
    r"\bsynchronized\s*\([^(){}]{0,200}(?:\([^(){}]{0,200}\)[^(){}]{0,200})?\)\s*\{"
    r"|(?<![\w.])\w+\s*\.\s*synchronized\s*\{"
    r"|\btry\s*(?P<resources>\([^;{}]{0,300};?\s*\))?\s*\{"
    r"|(?<![\w.])(?P<condition>if)\s*\([^(){}]{0,200}(?:\([^(){}]{0,100}\)[^(){}]{0,200}){0,4}\)\s*\{"
)
_NEVER_TRUE = re.compile(r"\bif\s*\(\s*(?:!\s*true|false)\s*\)\s*\{")
_VALUE_USE = re.compile(r"(?:[=(,?:]|\breturn|\byield|\belse)\s*\Z")
"""Code before a block whose value is used, as in Kotlin and Scala, or before an `else if`."""
_OBSERVING_RESOURCE = re.compile(rf"\((?:[^=]*=)?[^=]*(?:\w*{OBSERVERS}\w*|\bmakeCurrent)\b[^=]*\)")
_HANDLER = re.compile(r"\s*(?:(?P<branch>catch\s*\([^(){}]{0,200}\)|else)|finally)\s*\{")
_NEXT_CLAUSE = re.compile(r"\s*(?:catch|finally|else)\b")
_JUMP = re.compile(r"\b(?:continue|break|return)\b")
_FINAL_THROW = re.compile(r"(?:^|[;{}\n])\s*throw\b[^;{}]{0,400}[;\n]?\s*$")
_FLAG = re.compile(
    r"\(\s*!?\s*(?:this\.)?(?P<name>\w+)\s*(?:\.\s*(?:get|isDefined|isPresent|isEmpty|isNotEmpty|nonEmpty|size|count)\b"
    r"\s*(?:\(\s*\))?)?\s*(?:[=!]=\s*(?:0|true|false|null)\s*)?\)\s*\{\s*$"
)
_STORES_OUTCOME = (
    r"\b{0}\s*(?:=\s*(?:true|false|null\b|None\b|\w+\s*;)|\+\+|\+=|\.\s*(?:set|add\w*|put\w*|offer|push|incr\w*"
    r"|getAndIncr\w*)\s*\()"
)
_STATEMENT = re.compile(r"[ \t]*\w")
_CATCH = re.compile(r"\bcatch\s*\([^(){}]*\)\s*$")
_MOST_BLOCKS, _MOST_HANDLERS, _REACH = 300, 6, 40


def without_transparent_blocks(code: str) -> str:
    """Returns the program without the braces of such blocks."""
    text = Text.of(code)
    spans = [span for spans in _spans(text) for span in spans]
    blank = [*blanked(code, spans)]
    for start, end in spans:
        # What follows on the line is another statement, also where no `;` ends the last one.
        if code[start] == "}" and _STATEMENT.match(code, end):
            blank[start] = ";"
    return "".join(blank)


def _spans(text: Text) -> Iterator[list[Block]]:
    """Yields the spans to blank for each such block; all of it if it never runs."""
    for match in islice(_NEVER_TRUE.finditer(text.plain), _MOST_BLOCKS):
        end = text.block_of(match.end() - 1)[1]
        if not _NEXT_CLAUSE.match(text.plain, end + 1):
            yield [(match.start(), end + 1)]
    for match in islice(_BLOCK.finditer(text.plain), _MOST_BLOCKS):
        start, end = text.block_of(match.end() - 1)
        if match["resources"] and not _OBSERVING_RESOURCE.fullmatch(match["resources"]):
            continue
        if _VALUE_USE.search(text.plain, max(0, match.start() - _REACH), match.start()):
            continue
        after = _end_of_handlers(text, end + 1)
        if match["condition"] and (after == end + 1 or _checks_flag(text, match)
                              or _is_in_handler(text, match.start())):  # fmt: skip
            continue
        if start < end < len(text.plain) and after:
            yield [(match.start(), start + 1), (end, after)]


def _is_in_handler(text: Text, at: int) -> bool:
    """Whether a condition is directly in a handler: it may check the error or count attempts."""
    enclosing = text.around(at)
    return bool(enclosing) and _CATCH.search(enclosing[-1][2]) is not None


def _checks_flag(text: Text, match: re.Match[str]) -> bool:
    """Whether a condition checks a variable in which the program stores an outcome."""
    flag = _FLAG.search(match[0])
    return flag is not None and bool(re.search(_STORES_OUTCOME.format(flag["name"]), text.plain))


def _end_of_handlers(text: Text, at: int) -> int:
    """Returns the end of the handlers, or of the `else`, at `at`. Returns 0 if one of them changes
    how an error is handled."""
    for _ in range(_MOST_HANDLERS):
        handler = _HANDLER.match(text.plain, at)
        if handler is None:
            return 0 if _NEXT_CLAUSE.match(text.plain, at) else at
        start, end = text.block_of(handler.end() - 1)
        body = text.plain[start + 1 : end]
        throw = _FINAL_THROW.search(body) if handler["branch"] else None
        if bool(handler["branch"]) != bool(throw) or _JUMP.search(body):
            return 0
        if not only_logs(body[: throw.start() + 1] if throw else body):
            return 0
        at = end + 1
    return 0
