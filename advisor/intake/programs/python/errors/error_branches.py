"""What a handler of a Python program does in each way that its error, or its message, decides.

`if bad(e): log.error(e) else: raise` takes two ways, as does `match e`. One that asks how often
something was tried is none of these, and a way for what was done before (a key that exists) passes
over nothing.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import islice

from advisor.intake.programs.conditions import (
    MAX_BRANCHES,
    TOO_MANY_BRANCHES,
    checks_attempts,
    is_harmless,
    uses_result_of_call,
)
from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors import ignored_errors
from advisor.intake.text import IntakeError

_DEEPEST = 4
_PLACE = re.compile(r"(?i)dead|letter|dlq|dlt|quarantine|poison|park")
"""How a place for messages that failed is called."""
_JUMPS = ast.Continue | ast.Return | ast.Break | ast.Raise


def branches(handler: ast.ExceptHandler, attempt: ast.Try) -> list[list[ast.stmt]]:
    """What a handler does in each way; all of it where it has but one. Raises `IntakeError` for
    more of them than are followed."""
    given = (
        inner.id
        for node in attempt.body
        for call in syntax.calls(node)
        for value in call.args
        for inner in ast.walk(value)
        if isinstance(inner, ast.Name)
    )
    names = {handler.name or "e", *given}
    body = ignored_errors.handler_for_permanent_errors(handler.body)
    found = [*islice(_ways(body, names, handler.name or "e", _DEEPEST), MAX_BRANCHES + 1)]
    if len(found) > MAX_BRANCHES:
        raise IntakeError(f"Line {handler.lineno}: {TOO_MANY_BRANCHES}")
    return found


def _ways(
    body: Sequence[ast.stmt], names: set[str], error: str, depth: int
) -> Iterator[list[ast.stmt]]:
    for number, node in enumerate(body):
        sides = _sides(node, names, error) if depth else []
        if not sides:
            continue
        before, behind = [*body[:number]], body[number + 1 :]
        for side in sides:
            for own in _ways(side, names, error, depth - 1):
                if own and isinstance(own[-1], _JUMPS):
                    yield [*before, *own]
                else:
                    later = _ways(behind, names, error, depth - 1)
                    yield from ([*before, *own, *rest] for rest in later)
        return
    yield [*body]


def _sides(node: ast.stmt, names: set[str], error: str) -> list[list[ast.stmt]]:
    """What a decision about an error, or a message, may do; nothing for any other statement."""
    if isinstance(node, ast.Match):
        asked = f"{ast.unparse(node.subject)} "
        cases = [(asked + ast.unparse(case.pattern), case.body) for case in node.cases]
        is_one = _decides(node.subject, names, error)
        return [body for asked, body in cases if not is_harmless(asked)] if is_one else []
    if isinstance(node, ast.If) and _may_be_missing(node, names):
        return [node.body, node.orelse]
    if not isinstance(node, ast.If) or not _decides(node.test, names, error):
        return []
    asked = ast.unparse(node.test)
    if not is_harmless(asked):
        return [node.body, node.orelse]
    is_not = asked.startswith("not ") or "!=" in asked or " not in " in asked
    return [node.body if is_not else node.orelse]


def _may_be_missing(node: ast.If, names: set[str]) -> bool:
    """Whether a condition asks for what a message is handed to, as in `if dlq: dlq.send(m)`: where
    there is none, the message is dropped."""
    match node.test:
        case ast.Compare(
            left=place, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]
        ):
            pass
        case ast.UnaryOp(op=ast.Not(), operand=place):
            pass
        case place:
            pass
    if not isinstance(place, ast.Name | ast.Attribute) or syntax.names_in(place) & names:
        return False
    written = ast.unparse(place)
    return bool(_PLACE.search(written)) or any(
        ast.unparse(inner.value) == written
        for part in [*node.body, *node.orelse]
        for inner in ast.walk(part)
        if isinstance(inner, ast.Attribute)
    )


def _decides(test: ast.expr, names: set[str], error: str) -> bool:
    """Whether a condition asks for the error, or for the message that it is of."""
    asked = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    compares = [node for node in ast.walk(test) if isinstance(node, ast.Compare)]
    is_number = any(
        isinstance(part, ast.Constant) and isinstance(part.value, int)
        for node in compares
        for part in node.comparators
    )
    if uses_result_of_call(ast.unparse(test), names - {error}):
        return False
    is_count = checks_attempts(ast.unparse(test)) or (is_number and error not in asked)
    return bool(asked & names) and not is_count
