"""Blocks of a program that change nothing of what is done in them, without their braces: locks,
traces and contexts of logs, `try` whose handlers throw again and whose `finally` only observes, and
`if` whose `else` throws, but for one that asks for a flag of the program.

What is done in them stands in the block around them. The text keeps its length.
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
    r"|\btry\s*(?P<held>\([^;{}]{0,300};?\s*\))?\s*\{"
    r"|(?<![\w.])(?P<asks>if)\s*\([^(){}]{0,200}(?:\([^(){}]{0,100}\)[^(){}]{0,200}){0,4}\)\s*\{"
)
_NEVER = re.compile(r"\bif\s*\(\s*(?:!\s*true|false)\s*\)\s*\{")
_OF_VALUE = re.compile(r"(?:[=(,?:]|\breturn|\byield|\belse)\s*\Z")
"""What takes the value of a block, as in Kotlin and Scala, or is one of several conditions."""
_HELD = re.compile(rf"\((?:[^=]*=)?[^=]*(?:\w*{OBSERVERS}\w*|\bmakeCurrent)\b[^=]*\)")
_HANDLER = re.compile(r"\s*(?:(?P<throws>catch\s*\([^(){}]{0,200}\)|else)|finally)\s*\{")
_OTHER = re.compile(r"\s*(?:catch|finally|else)\b")
_LEAVES = re.compile(r"\b(?:continue|break|return)\b")
_THROWS = re.compile(r"(?:^|[;{}\n])\s*throw\b[^;{}]{0,400}[;\n]?\s*$")
_FLAG = re.compile(
    r"\(\s*!?\s*(?:this\.)?(?P<name>\w+)\s*(?:\.\s*(?:get|isDefined|isPresent|isEmpty|isNotEmpty|nonEmpty|size|count)\b"
    r"\s*(?:\(\s*\))?)?\s*(?:[=!]=\s*(?:0|true|false|null)\s*)?\)\s*\{\s*$"
)
_KEEPS = (
    r"\b{0}\s*(?:=\s*(?:true|false|null\b|None\b|\w+\s*;)|\+\+|\+=|\.\s*(?:set|add\w*|put\w*|offer|push|incr\w*"
    r"|getAndIncr\w*)\s*\()"
)
_CATCH = re.compile(r"\bcatch\s*\([^(){}]*\)\s*$")
_MOST, _MOST_HANDLERS, _REACH = 300, 6, 40


def without_transparent_blocks(code: str) -> str:
    """The same program without these."""
    text = Text.of(code)
    return blanked(code, (span for spans in _spans(text) for span in spans))


def _spans(text: Text) -> Iterator[list[Block]]:
    """For each such block, what stands around its statements; all of a block that never runs."""
    for match in islice(_NEVER.finditer(text.plain), _MOST):
        end = text.block_of(match.end() - 1)[1]
        if not _OTHER.match(text.plain, end + 1):
            yield [(match.start(), end + 1)]
    for match in islice(_BLOCK.finditer(text.plain), _MOST):
        start, end = text.block_of(match.end() - 1)
        if match["held"] and not _HELD.fullmatch(match["held"]):
            continue
        if _OF_VALUE.search(text.plain, max(0, match.start() - _REACH), match.start()):
            continue
        behind = _behind(text, end + 1)
        if match["asks"] and (behind == end + 1 or _asks_flag(text, match)
                              or _is_in_handler(text, match.start())):  # fmt: skip
            continue
        if start < end < len(text.plain) and behind:
            yield [(match.start(), start + 1), (end, behind)]


def _is_in_handler(text: Text, at: int) -> bool:
    """Whether a handler asks what its error is, or how often something was tried."""
    around = text.around(at)
    return bool(around) and _CATCH.search(around[-1][2]) is not None


def _asks_flag(text: Text, match: re.Match[str]) -> bool:
    """Whether a condition asks for a name in which the program keeps what became of something."""
    asked = _FLAG.search(match[0])
    return asked is not None and bool(re.search(_KEEPS.format(asked["name"]), text.plain))


def _behind(text: Text, at: int) -> int:
    """Behind the handlers, or the `else`, that begin at a place, if none of them changes what
    becomes of an error; 0 otherwise."""
    for _ in range(_MOST_HANDLERS):
        handler = _HANDLER.match(text.plain, at)
        if handler is None:
            return 0 if _OTHER.match(text.plain, at) else at
        start, end = text.block_of(handler.end() - 1)
        body = text.plain[start + 1 : end]
        thrown = _THROWS.search(body) if handler["throws"] else None
        if bool(handler["throws"]) != bool(thrown) or _LEAVES.search(body):
            return 0
        if not only_logs(body[: thrown.start() + 1] if thrown else body):
            return 0
        at = end + 1
    return 0
