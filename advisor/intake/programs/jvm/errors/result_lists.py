"""Lists of results, of which some may be errors, and whether something is done about these:
`val results = rs.map { runCatching { save(it) } }`.

Kotlin's `Result` and Scala's `Try` keep an error until something asks for it (kotlin.Result,
`getOrThrow`; scala.util.Try, `get`).
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import log_arguments
from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.text import CALLEE, Block, Text

_MOST, _DEEPEST, _REACH, _LONGEST_HEAD = 40, 3, 2_000, 120
_MAPS = re.compile(r"(?:map\w*|flatMap|associate\w*|traverse)")
_HANDS_ON = frozenset({
    "async", "Future", "withContext", "coroutineScope", "supervisorScope", "runBlocking",
})  # fmt: skip
"""Calls inside the function of a list whose value is that of their own function."""
_THROWS = re.compile(r"\b(?:getOrThrow|orElseThrow|throwOnFailure|throw)\b|\.\s*get\b(?!\w|\()")
_ASKS = re.compile(
    r"\b(?:isFailure|isSuccess|isLeft|isRight|exceptionOrNull|onFailure|fold|failed|Failure|Left)\b"
)
_EACH = frozenset({"forEach", "foreach", "onEach"})
_OF_FAILED = re.compile(r"isFailure|isLeft|exceptionOrNull\(\)\s*!=\s*null|!\s*\w+\.isSuccess")
_TURNS = frozenset({"none", "noneMatch", "filterNot"})
_LAMBDA = re.compile(r"\s*\{?\s*\(?\w+\)?\s*[-=]>")
_GIVEN_TO = re.compile(r"\bva[lr]\s+(\w+)\s*(?::[^=;{}\n]{1,80})?=\s*$")
_PARTED = re.compile(r"\bva[lr]\s+\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*=\s*$")
_IF = re.compile(r"\bif\s*\(\s*(?P<not>!\s*)?$")
_ALONE = re.compile(r"(?:[;{}\n>]|^)\s*$")
_LOOP = re.compile(r"\bfor\s*\(\s*(?:va[lr]\s+)?\w+\s*(?:\bin\b|<-)\s*$")
_CLOSES = re.compile(r"\s*\)")
_ENDS = re.compile(r"\s*[})]")


def are_errors_checked(text: Text, begin: int, end: int) -> bool:
    """Whether a value with an error, between two places, is one of a list of which something asks
    for errors later, and does something about them."""
    for _ in range(_DEEPEST):
        if not _ENDS.match(text.plain, end):
            return False
        opened = _opened(text, begin)
        callee = CALLEE.search(text.plain, max(0, opened - 80), opened) if opened >= 0 else None
        if callee is None:
            return False
        is_braces = text.plain[opened] == "{"
        end = text.block_of(opened)[1] + 1 if is_braces else text.closed(opened + 1)
        if _MAPS.fullmatch(callee[1]):
            return _is_asked(text, text.chain(opened), end, _DEEPEST)
        if callee[1] not in _HANDS_ON:
            return False
        begin = callee.start()
    return False


def _opened(text: Text, at: int) -> int:
    """The bracket or brace that a place is within; -1 for none."""
    depth = 0
    for here in range(at - 1, max(-1, at - _REACH), -1):
        depth += (text.plain[here] in ")]}") - (text.plain[here] in "([{")
        if depth < 0:
            return here
    return -1


def _is_asked(text: Text, begin: int, end: int, depth: int) -> bool:
    """Whether something is done about the errors in a list, which a chain gives that ends at a
    place."""
    of_failed = True
    for step in steps(text, end):
        given = text.plain[step.begin : max(step.begin, step.end)]
        if _THROWS.search(given) or _THROWS.fullmatch(step.name):
            return True
        if step.name in _EACH:
            return _acts(given)
        if _ASKS.search(given):
            of_failed = bool(_OF_FAILED.search(given)) != (step.name in _TURNS)
        end = max(step.end + 1, step.begin)
    return _is_taken(text, begin, end, of_failed=of_failed, depth=depth)


def _is_taken(text: Text, begin: int, end: int, *, of_failed: bool, depth: int) -> bool:
    """The same by what takes what such a chain gives; `of_failed` says that it is there, or true,
    where something failed."""
    before, closed = (
        text.plain[max(0, begin - _LONGEST_HEAD) : begin],
        _CLOSES.match(text.plain, end),
    )
    if asked := _IF.search(before):
        if closed is None:
            return True
        does, other = jvm_flags.branches(text, closed.end())
        failed = does if of_failed is not bool(asked["not"]) else other
        return not jvm_flags.ignores_failure(text, closed.end(), failed)
    if _LOOP.search(before):
        return closed is not None and _acts(text.plain[slice(*text.guarded(closed.end()))])
    if names := _PARTED.search(before) or _GIVEN_TO.search(before):
        behind = end, text.block(end)[1]
        return depth > 0 and any(_is_used(text, name, behind, depth - 1) for name in names.groups())
    opened = _opened(text, begin)
    callee = CALLEE.search(text.plain, max(0, opened - 80), opened) if opened >= 0 else None
    if depth and callee and callee[1] in _HANDS_ON and _ENDS.match(text.plain, end):
        return _is_asked(text, callee.start(), text.block_of(opened)[1] + 1, depth - 1)
    return not _ALONE.search(before)


def _is_used(text: Text, name: str, behind: Block, depth: int) -> bool:
    """Whether something is done about the errors in what has a name."""
    told = [*log_arguments(text, behind)]
    if jvm_flags.is_never_checked(text, name, True, behind):
        return False
    uses = re.compile(rf"(?<![.\w]){name}\b").finditer(text.plain, *behind)
    return any(
        _is_asked(text, use.start(), use.end(), depth)
        for use in islice(uses, _MOST)
        if not any(start <= use.start() < stop for start, stop in told)
    )


def _acts(given: str) -> bool:
    """Whether a function that is given each result does something where it has an error."""
    body = _LAMBDA.sub("", given).strip().removeprefix("{")
    if _THROWS.search(body):
        return True
    asked = re.search(r"\bonFailure\s*\{(?P<body>[^{}]*)\}", body)
    return bool(_ASKS.search(body)) and not only_logs(asked["body"] if asked else body)
