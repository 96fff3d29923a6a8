"""Errors of processing that a chain of calls collects in a variable that is only logged:
`val errors = rs.mapNotNull { runCatching { process(it) }.exceptionOrNull() }`,
`rs.asScala.foldLeft(List.empty[Throwable]) { … }`, `rs.stream().map(this::attempt).toList()`.

No error is thrown, so the commit after it covers the records that failed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.records.derived_names import TAKES_APART, log_arguments
from advisor.intake.programs.jvm.text import Block, Text, blanked

_MOST, _DEEPEST = 60, 2
_ASSIGNMENT = re.compile(
    r"(?<=[;{}\n>])[ \t]*(?:final\s+)?(?:(?:va[lr]|[\w.]+(?:<[\w<>?, .]{0,60}>)?)\s+)"
    r"(?:(?P<name>\w+)|\(\s*(?P<names>\w+(?:\s*,\s*\w+)*)\s*\))(?:\s*:\s*[\w<>\[\]?., ]{1,60})?\s*"
    r"=(?![=>])\s*(?=\S)"
)
_FILL = re.compile(
    r"(?<=[;{}\n>])[ \t]*(?P<name>\w+)\s*(?:\.\s*(?:add|append|addOne)\s*\(|\+=)\s*(?=\S)"
)
_CHAIN = re.compile(
    r"(?<=[;{}\n])[ \t]*(?=(?:\w+\s*\.\s*){1,3}(?:map|flatMap|zip\w*)\b"
    r"(?:[^;{}\n]|\{[^{};\n]*\}){1,200}"
    r"\.\s*for[Ee]ach\b)"
)
"""A statement that passes results to a function."""
_LEAVES = re.compile(r"\b(?:return|break|continue)\b(?!@)")
_ATTEMPT = re.compile(r"\b(?:Try|runCatching|Either\s*\.\s*catch\w*)\s*(?:\[\w+\]\s*)?[({]")
_TRY = re.compile(r"\btry\s*(?=\{)")
_CATCH = re.compile(r"\s*catch\s*(?:\([^(){}]{0,200}\)\s*)?(?=\{)")
_CALL = re.compile(r"(?<![\w:])(?P<verb>\w+)\s*[({]|(?<=\S)::(?P<reference>\w+)")
_VALUE_CALL = re.compile(
    rf"{TAKES_APART}|fold\w*|reduce\w*|flat[mM]ap\w*|filter\w*|count|size|isEmpty|isPresent"
    r"|nonNull|isNull|exceptionOrNull|isFailure|isSuccess|failed|left|plus|empty\w*|\w*[lL]istOf"
    r"|ofNullable|none|some|failure|error|success|for[Ee]ach|match|if|for|case|zip\w*|toList|asScala|sum\w*"
    r"|async|await\w*|join|supplyAsync|withContext|coroutineScope|runBlocking|Future|sequence|result"
)
"""Calls that compute a value, and do nothing about an error."""
_THROWS = re.compile(r"\b(?:throw|getOrThrow|orElseThrow|raiseError)\b|\.\s*get\b(?!\w|\s*\()")


def logged_errors(text: Text, uses: re.Pattern[str], span: Block) -> Iterator[int]:
    """Yields the offset of the first variable in a span that collects such errors and is only
    logged.

    `uses` matches the names of a record.
    """
    begin = max(0, span[0])
    for pattern in (_ASSIGNMENT, _FILL, _CHAIN):
        for match in islice(pattern.finditer(text.plain, begin, span[1]), _MOST):
            value = match.end(), text.statement(match.end())[1]
            groups = match.groupdict()
            names = re.findall(r"\w+", groups.get("name") or groups.get("names") or "")
            if pattern is _CHAIN and _LEAVES.search(text.plain, *value):
                continue
            scope = (
                value[1],
                text.block(match.end())[1] if pattern is _ASSIGNMENT else span[1],
            )
            if (
                uses.search(text.plain, *value)
                and _keeps_error(text, value, _DEEPEST)
                and all(is_only_logged(text, name, scope, _DEEPEST) for name in names)
            ):
                yield match.start()
                return


def _keeps_error(text: Text, span: Block, depth: int) -> bool:
    """Whether code attempts something, and its value is all that is left of an error."""
    attempts = list[Block]()
    for match in islice(_ATTEMPT.finditer(text.plain, *span), _MOST):
        attempts.append((match.start(), text.closed(match.end())))
    for match in islice(_TRY.finditer(text.plain, *span), _MOST):
        block = text.block_of(match.end())
        attempts.append((match.start(), block[1] + 1))
        if not _CATCH.match(text.plain, block[1] + 1):
            return False
    spans = [*attempts, *log_arguments(text, span)]
    begin, code = span[0], text.plain[slice(*span)]
    rest = blanked(code, [(start - begin, end - begin) for start, end in spans])
    if _THROWS.search(rest):
        return False
    verbs = {match["verb"] or match["reference"] for match in _CALL.finditer(rest)} - {"catch"}
    methods = {verb for verb in verbs if depth and len(text.bodies(verb)) == 1}
    kept = [_keeps_error(text, text.bodies(verb)[0], depth - 1) for verb in sorted(methods)]
    others = [verb for verb in verbs - methods if not _VALUE_CALL.fullmatch(verb)]
    return bool(attempts or kept) and all(kept) and not others


def is_only_logged(
    text: Text, name: str, scope: Block, depth: int, ignored: Sequence[Block] = ()
) -> bool:
    """Whether a variable, and each value computed from it, is only logged. Uses in the spans
    `ignored` do not count."""
    computed = [*ignored]
    for match in islice(_ASSIGNMENT.finditer(text.plain, *scope), _MOST if depth else 0):
        value = match.end(), text.statement(match.end())[1]
        is_value = re.compile(rf"(?<![\w.]){name}\b").match(text.plain, match.end())
        verbs = [call["verb"] or call["reference"] for call in _CALL.finditer(text.plain, *value)]
        if match["name"] and is_value and all(map(_VALUE_CALL.fullmatch, verbs)):
            after = value[1], text.block(match.start("name"))[1]
            if not is_only_logged(text, match["name"], after, depth - 1):
                return False
            computed.append(value)
    return jvm_flags.is_never_checked(text, name, True, scope, ignored_spans=computed)
