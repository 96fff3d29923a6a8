"""Acknowledgments of listeners of Spring for Apache Kafka, rewritten as commits.

`acknowledge()` commits the offset after its record. `nack()` seeks back to the record, so that it
is passed again, and works on the thread of the consumer alone (Acknowledgment javadoc).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from advisor.intake.programs.jvm import text as jvm_text
from advisor.intake.programs.jvm.text import METHOD, braces
from advisor.intake.text import line_of

_LAMBDA = re.compile(r"->\s*$")
_STATEMENT_START = re.compile(r"(?:[{};)]|\belse|[\w\]\"] *\n)\s*$")
"""The end of the code before a call that is a statement."""
_CALLS_FUNCTION = (
    r"(?:then(?:Run|Accept|Apply|Compose)?(?:Async)?|whenComplete(?:Async)?|handle(?:Async)?|onComplete"
    r"|subscribe|doOn(?:Success|Complete|Next|Terminate)|doFinally|map|flatMap|addCallback"
    r"|submit|execute|runAsync|supplyAsync|launch|async|startVirtualThread"
    r"|executeWithoutResult|executeInTransaction)"
)
"""Methods that call a function at once, after a future, or in another thread."""
_FUNCTION_START = re.compile(rf"\b{_CALLS_FUNCTION}\s*\(\s*(?:\([\w\s,]{{0,80}}\)|\w+)\s*->\s*$")
_BLOCK_START = re.compile(
    rf"\b(?:{_CALLS_FUNCTION}|let|also|run|apply|with|use|for[Ee]ach|repeat|runBlocking|runCatching"
    r"|\w*[sS]cope|with[A-Z]\w*|onSuccess|fold)\s*(?:\([^{}]*\))?\s*$"
    r"|\b(?:if|else|try|catch|finally|switch|synchronized|when|for|while|do)\b[^{}]*$|->\s*$"
)
"""The code before a block of Kotlin that runs at once, after a future, or in another thread."""
_LATE_BLOCK = re.compile(rf"\b{_CALLS_FUNCTION}\s*(?:\([^{{}}]*\))?\s*$")
_REFERENCE_START = re.compile(rf"\b{_CALLS_FUNCTION}\s*\(\s*$")
_CALL = r"\b{0}\s*!?!?\s*\??\.\s*(?P<verb>acknowledge|nack)\s*\("
_REFERENCE = r"\b{0}\s*::\s*acknowledge\b"
_REACH, _LOOK_BACK, _MOST = 4_000, 200, 30
_NOT_FOLLOWED = "who acknowledges this record, and when, is not followed"

Blocks = list[tuple[int, int, str]]


class Unread(Exception):
    """An acknowledgment that is not read, with its offset and the reason."""

    def __init__(self, at: int, words: str) -> None:
        super().__init__(words)
        self.at, self.words = at, words


def enclosing_heads(blocks: Blocks, at: int) -> list[str]:
    """The heads of the blocks around an offset of a body."""
    return [head for start, end, head in blocks if start < at < end]


def is_function_head(head: str) -> bool:
    """Whether a block is the body of a lambda or of another method."""
    return bool(_LAMBDA.search(head) or METHOD.search(head))


def changes(
    plain: str, body: tuple[int, int], blocks: Blocks, name: str, commits: str, *, is_kotlin: bool
) -> Iterator[tuple[int, int, str]]:
    """Yields the changes of acknowledgments: each becomes the code in `commits`, or throws an error
    if it is negative. Raises `Unread` for one that is passed to other code, or never called."""
    uses = [*re.compile(rf"\b{name}\b").finditer(plain, *body)]
    for number, match in enumerate(uses):
        at = match.start()
        if number == _MOST:
            raise Unread(at, f"more than {_MOST} acknowledgments")
        before = plain[max(0, at - _LOOK_BACK) : at]
        if reference := re.compile(_REFERENCE.format(name)).match(plain, at):
            if not _REFERENCE_START.search(before):
                raise Unread(at, _NOT_FOLLOWED)
            yield at, reference.end(), f"() -> {commits}"
            continue
        call = re.compile(_CALL.format(name)).match(plain, at)
        functions = [*filter(is_function_head, enclosing_heads(blocks, at))]
        is_statement = _STATEMENT_START.search(before) or _FUNCTION_START.search(before)
        blocks_around = enclosing_heads(blocks, at) if is_kotlin else []
        if not all(map(_BLOCK_START.search, blocks_around)):
            raise Unread(at, _NOT_FOLLOWED)
        if call is None or is_statement is None or not all(map(_FUNCTION_START.search, functions)):
            raise Unread(at, _NOT_FOLLOWED)
        end = jvm_text.closing_bracket(plain, call.end(), _REACH)
        if call["verb"] == "acknowledge":
            yield at, end, commits
        elif functions or _FUNCTION_START.search(before):
            raise Unread(at, "nack() works on the thread of the consumer alone")
        else:
            yield at, end, "throw new NegativeAcknowledgment()"
    if not uses:
        raise Unread(body[0], "nothing acknowledges this record")


def lines_in_functions(plain: str, body: tuple[int, int], name: str) -> frozenset[int]:
    """Returns the lines where a function that other code calls acknowledges a record."""
    if not name:
        return frozenset()
    blocks = [block for block in braces(plain[: body[1] + 1]) if body[0] < block[0] < body[1]]
    lines = set[int]()
    uses = re.compile(rf"\b{name}\s*(?:!!)?\s*(?:\??\.|::)\s*acknowledge\b")
    for match in islice(uses.finditer(plain, *body), _MOST):
        before = plain[max(0, match.start() - _LOOK_BACK) : match.start()]
        heads = enclosing_heads(blocks, match.start())
        is_late = any(is_function_head(head) or _LATE_BLOCK.search(head) for head in heads)
        if is_late or _LAMBDA.search(before) or "::" in match[0]:
            lines.add(line_of(plain, match.start()))
    return frozenset(lines)
