"""Functions and case clauses of JVM code that take the error of a value, such as the arguments of
`fold`, and whether they only log it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from advisor.intake.programs.conditions import is_harmless
from advisor.intake.programs.jvm.log_only import ERROR_LOG, only_logs
from advisor.intake.programs.jvm.surroundings import LAMBDA_HEAD
from advisor.intake.programs.jvm.text import arguments

_ERROR_ARGUMENT_NAME = re.compile(
    r"\s*\b(?:onFailure|ifLeft|ifFailure|fa|fe|failed|left)\s*=(?![=>])"
)
"""The name of the argument of `fold` that handles the error."""
_FUNCTION = re.compile(r"^\s*\{|[-=]>|::|_\s*\.")
_SUCCESS_CASE = re.compile(r"\b(?:Success|Some|Right|Valid)\b")
_FAILURE_CASE = re.compile(r"\b(?:Failure|None|Left|Invalid)\b")
_CASE = re.compile(r"\bcase\b([^=]{1,120})=>")
_PLAIN_VALUE = re.compile(r"\s*(?:\w+|\d+|-1|\(\))\s*")
"""A plain value that replaces an error."""


def cases(body: str) -> Iterator[tuple[str, str]]:
    """Yields the pattern and the body of each `case` clause of Scala."""
    clauses = [*_CASE.finditer(body)]
    ends = [case.start() for case in clauses[1:]] + [len(body)]
    for case, end in zip(clauses, ends, strict=False):
        yield case[1], body[case.end() : end]


def error_function(code: str, *, is_last: bool | None) -> str:
    """Returns the argument of `fold` that handles the error; all the code if there are not two
    functions. `is_last` says whether it is the last one. If that is None, it is the function that
    logs an error, or else the one that acts."""
    functions = [
        function for function in arguments(f"{code})", 0, f"{code})", len(code) + 1) if function
    ]
    for function in functions:
        if name := _ERROR_ARGUMENT_NAME.match(function):
            return function[name.end() :]
    if len(functions) != 2 or not all(_FUNCTION.search(function) for function in functions):
        return code
    if is_last is None:
        return min(
            functions,
            key=lambda function: (not ERROR_LOG.search(function), only_logs_error(function)),
        )
    return functions[-1 if is_last else 0]


def only_logs_error(code: str) -> bool:
    """Whether the code for an error, or for some errors, only logs it, or returns an empty
    value."""
    clauses = [case for case in cases(code) if not _SUCCESS_CASE.search(case[0])]
    if any(_FAILURE_CASE.search(pattern) for pattern, _ in clauses):
        clauses = [case for case in clauses if case[0].strip() != "_"]
    body = LAMBDA_HEAD.sub("", re.sub(r"^\s*\{|\}\s*$", "", code))
    return any(
        only_logs(case, in_function=True, others=_PLAIN_VALUE.fullmatch)
        for pattern, case in clauses or [("", body)]
        if not is_harmless(pattern)
    )
