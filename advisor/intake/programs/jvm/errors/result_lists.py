"""Lists of results that may hold errors, and whether the code acts on those errors:
`val results = rs.map { runCatching { save(it) } }`.

Kotlin's `Result` and Scala's `Try` hold an error until something reads it (kotlin.Result,
`getOrThrow`; scala.util.Try, `get`).
"""

from __future__ import annotations

import re
from itertools import islice

from advisor.intake.programs.jvm.errors import flags as jvm_flags
from advisor.intake.programs.jvm.errors.error_functions import error_function, only_logs_error
from advisor.intake.programs.jvm.log_only import only_logs
from advisor.intake.programs.jvm.records.derived_names import is_logged, log_arguments
from advisor.intake.programs.jvm.records.poll_chains import steps
from advisor.intake.programs.jvm.surroundings import CONDITION_START, STATEMENT_START
from advisor.intake.programs.jvm.text import CALLEE, Block, Text

_MAX_USES, _MAX_DEPTH, _MAX_DISTANCE, _MAX_HEAD = 40, 3, 2_000, 120
_MAP_CALL = re.compile(r"(?:map\w*|flatMap|partitionMap|associate\w*|traverse)")
_TO_EITHER = re.compile(r"\s*\.\s*toEither\b")
_LAMBDA_VALUE_CALLS = frozenset({
    "async", "Future", "withContext", "coroutineScope", "supervisorScope", "runBlocking",
})  # fmt: skip
"""Calls whose value is that of the lambda passed to them."""
_WAITING_CALLS = frozenset({"sequence", "result"})
"""Scala's calls that combine futures, or wait for one."""
_RETHROW = re.compile(r"\b(?:getOrThrow|orElseThrow|throwOnFailure|throw)\b|\.\s*get\b(?!\w|\()")
_ERROR_CHECK = re.compile(
    r"\b(?:isFailure|isSuccess|isLeft|isRight|exceptionOrNull|onFailure|fold|failed|Failure|Left)\b"
)
_FAILURE_CASE = re.compile(r"\bcase\s+(?:Failure|Left|Invalid)\b")
_FOLD = re.compile(r"\bfold\s*\((?P<code>[\s\S]*)\)")
_FOR_EACH = frozenset({"forEach", "foreach", "onEach"})
_FAILURE_PREDICATE = re.compile(
    r"isFailure|isLeft|exceptionOrNull\(\)\s*!=\s*null|!\s*\w+\.isSuccess"
)
_SELECTING_CALLS = frozenset({"filter", "filterNot", "withFilter", "takeIf"})
_TESTING_CALLS = frozenset({"any", "exists", "anyMatch", "none", "noneMatch", "count"})
_PREDICATE = re.compile(r"\s*\.\s*(?P<property>isFailure|isSuccess)\b(?:\(\s*\))?")
_NEGATING_CALLS = frozenset({"none", "noneMatch", "filterNot"})
_LAMBDA_HEAD = re.compile(r"\A\s*\{?\s*\(?\w+\)?\s*[-=]>")
_ASSIGNED = re.compile(r"\bva[lr]\s+(\w+)\s*(?::[^=;{}\n]{1,80})?=\s*$")
_DESTRUCTURED = re.compile(r"\bva[lr]\s+\(\s*(\w+)\s*,\s*(\w+)\s*\)\s*=\s*$")
_LOOP_HEAD = re.compile(r"\bfor\s*\(\s*(?:va[lr]\s+)?\w+\s*(?:\bin\b|<-)\s*$")
_CLOSING_PARENTHESIS = re.compile(r"\s*\)")
_CLOSING_BRACKET = re.compile(r"\s*[})]")


def are_errors_checked(text: Text, begin: int, end: int) -> bool:
    """Whether the value between two offsets, which may be an error, is collected in a list whose
    errors the code checks and acts on later."""
    if conversion := _TO_EITHER.match(text.plain, end):
        end = conversion.end()
    if predicate := _PREDICATE.match(text.plain, end):
        return _is_selection_checked(text, begin, predicate)
    for _ in range(_MAX_DEPTH):
        if not _CLOSING_BRACKET.match(text.plain, end):
            return False
        opened = enclosing_bracket(text, begin)
        callee = CALLEE.search(text.plain, max(0, opened - 80), opened) if opened >= 0 else None
        if callee is None:
            return False
        is_block = text.plain[opened] == "{"
        end = text.block_of(opened)[1] + 1 if is_block else text.closed(opened + 1)
        if _MAP_CALL.fullmatch(callee[1]):
            return _is_chain_checked(text, text.chain(opened), end, _MAX_DEPTH)
        if callee[1] not in _LAMBDA_VALUE_CALLS:
            return False
        begin = callee.start()
    return False


def _is_selection_checked(text: Text, begin: int, predicate: re.Match[str]) -> bool:
    """Whether the code acts on the failures among the elements that a function selects, or counts,
    by whether an attempt failed."""
    opened = enclosing_bracket(text, begin)
    callee = CALLEE.search(text.plain, max(0, opened - 80), opened) if opened >= 0 else None
    if callee is None or not _CLOSING_BRACKET.match(text.plain, predicate.end()):
        return False
    of_failures = predicate["property"] == "isFailure"
    chain, end = text.chain(opened), text.closed(opened + 1)
    if callee[1] == "partition":
        names = _DESTRUCTURED.search(text.plain, max(0, chain - _MAX_HEAD), chain)
        name, scope = names[1 if of_failures else 2] if names else "", (end, text.block(end)[1])
        return bool(name) and _is_variable_checked(text, name, scope, _MAX_DEPTH, selected=True)
    if callee[1] in ("all", "forall", "allMatch"):
        return not of_failures and _is_value_checked(
            text, chain, end, of_failures=False, depth=_MAX_DEPTH, selected=False
        )
    of_failures = of_failures is not (callee[1] in _NEGATING_CALLS)
    if callee[1] in _SELECTING_CALLS and of_failures:
        return _is_chain_checked(text, chain, end, _MAX_DEPTH, selected=True)
    is_test = callee[1] in _TESTING_CALLS and of_failures is not (callee[1] in _NEGATING_CALLS)
    return is_test and _is_value_checked(
        text, chain, end, of_failures=of_failures, depth=_MAX_DEPTH, selected=False
    )


def enclosing_bracket(text: Text, at: int) -> int:
    """Returns the offset of the bracket or brace around an offset; -1 if there is none."""
    depth = 0
    for here in range(at - 1, max(-1, at - _MAX_DISTANCE), -1):
        depth += (text.plain[here] in ")]}") - (text.plain[here] in "([{")
        if depth < 0:
            return here
    return -1


def _is_chain_checked(
    text: Text, begin: int, end: int, depth: int, *, selected: bool = False
) -> bool:
    """Whether the code acts on the errors in a list, the value of the chain between two offsets.
    `selected` says that the list holds only failures."""
    of_failures = True
    for step in steps(text, end):
        code = text.plain[step.begin : max(step.begin, step.end)]
        if _RETHROW.search(code) or _RETHROW.fullmatch(step.name):
            return True
        if step.name in _FOR_EACH:
            return _acts(code) if selected else _acts_on_error(code)
        if _ERROR_CHECK.search(code):
            selected = step.name in _SELECTING_CALLS
            of_failures = bool(_FAILURE_PREDICATE.search(code)) != (step.name in _NEGATING_CALLS)
            selected = selected and of_failures
        end = max(step.end + 1, step.begin)
    return _is_value_checked(
        text, begin, end, of_failures=of_failures, depth=depth, selected=selected
    )


def _is_value_checked(
    text: Text, begin: int, end: int, *, of_failures: bool, depth: int, selected: bool
) -> bool:
    """Whether the code that uses the value of such a chain acts on its errors. `of_failures` says
    that the value is true, or not empty, where something failed."""
    before, closing = (
        text.plain[max(0, begin - _MAX_HEAD) : begin],
        _CLOSING_PARENTHESIS.match(text.plain, end),
    )
    if condition := CONDITION_START.search(before):
        if closing is None:
            return True
        first, second = jvm_flags.branches(text, closing.end())
        on_failure = first if of_failures is not bool(condition["not"]) else second
        return not jvm_flags.ignores_failure(text, closing.end(), on_failure)
    if _LOOP_HEAD.search(before):
        acts = _acts if selected else _acts_on_error
        return closing is not None and acts(
            text.plain[slice(*text.controlled_block(closing.end()))]
        )
    if names := _DESTRUCTURED.search(before) or _ASSIGNED.search(before):
        scope = end, text.block(end)[1]
        return depth > 0 and any(
            _is_variable_checked(text, name, scope, depth - 1, selected=selected)
            for name in names.groups()
        )
    opened = enclosing_bracket(text, begin)
    callee = CALLEE.search(text.plain, max(0, opened - 80), opened) if opened >= 0 else None
    if (
        depth
        and callee
        and callee[1] in _LAMBDA_VALUE_CALLS
        and _CLOSING_BRACKET.match(text.plain, end)
    ):
        return _is_chain_checked(text, callee.start(), text.block_of(opened)[1] + 1, depth - 1)
    if depth and callee and callee[1] in _WAITING_CALLS:
        call = text.chain(opened), text.closed(opened + 1)
        return _is_chain_checked(text, *call, depth - 1, selected=selected)
    return not (STATEMENT_START.search(before) or is_logged(text, begin))


def _is_variable_checked(
    text: Text, name: str, scope: Block, depth: int, *, selected: bool
) -> bool:
    """Whether the code acts on the errors in a variable."""
    logged = [*log_arguments(text, scope)]
    if jvm_flags.is_never_checked(text, name, True, scope):
        return False
    uses = re.compile(rf"(?<![.\w]){name}\b").finditer(text.plain, *scope)
    return any(
        _is_chain_checked(text, use.start(), use.end(), depth, selected=selected)
        for use in islice(uses, _MAX_USES)
        if not any(start <= use.start() < stop for start, stop in logged)
    )


def _acts(function: str) -> bool:
    """Whether a function that is called with each failure does more than log it."""
    return not only_logs(_LAMBDA_HEAD.sub("", function).strip().removeprefix("{"))


def _acts_on_error(function: str) -> bool:
    """Whether a function that is called with each result acts on its error."""
    body = _LAMBDA_HEAD.sub("", function).strip().removeprefix("{")
    if _RETHROW.search(body):
        return True
    if not _ERROR_CHECK.search(body):
        return False
    if _FAILURE_CASE.search(body):
        return not only_logs_error(body)
    if fold := _FOLD.search(body):
        return not only_logs_error(error_function(fold["code"], is_last=None))
    on_failure = re.search(
        r"\b(?:onFailure|failed\s*\.\s*foreach)\s*[({](?P<body>[^{}]*)[)}]", body
    )
    return not only_logs(_LAMBDA_HEAD.sub("", on_failure["body"]) if on_failure else body)
