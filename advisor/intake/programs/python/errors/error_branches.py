"""Branches of an error handler in a Python program that depend on the error or on the message.

`if bad(e): log.error(e) else: raise` has two branches, as has `match e`. A condition on the number
of attempts does not count, and a branch for a message that was processed before (its key exists)
skips nothing.
"""

from __future__ import annotations

import ast
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
from advisor.intake.programs.python.normal_form.retry_libraries import DEAD_LETTERS
from advisor.intake.text import IntakeError

_MAX_DEPTH = 4
_JUMPS = ast.Continue | ast.Return | ast.Break | ast.Raise


def branches(handler: ast.ExceptHandler, attempt: ast.Try) -> list[list[ast.stmt]]:
    """The statements of each branch of a handler; its whole body if it has no branches. Raises
    `IntakeError` if there are more than `MAX_BRANCHES`."""
    argument_names = (
        inner.id
        for node in attempt.body
        for call in syntax.calls(node)
        for value in call.args
        for inner in ast.walk(value)
        if isinstance(inner, ast.Name)
    )
    names = {handler.name or "e", *argument_names}
    body = ignored_errors.handler_for_permanent_errors(handler.body)
    bodies = [*islice(_bodies(body, names, handler.name or "e", _MAX_DEPTH), MAX_BRANCHES + 1)]
    if len(bodies) > MAX_BRANCHES:
        raise IntakeError(f"Line {handler.lineno}: {TOO_MANY_BRANCHES}")
    return bodies


def _bodies(
    body: Sequence[ast.stmt], names: set[str], error: str, depth: int
) -> Iterator[list[ast.stmt]]:
    for number, node in enumerate(body):
        alternatives = _alternatives(node, names, error) if depth else []
        if not alternatives:
            continue
        before, after = [*body[:number]], body[number + 1 :]
        for alternative in alternatives:
            for statements in _bodies(alternative, names, error, depth - 1):
                if statements and isinstance(statements[-1], _JUMPS):
                    yield [*before, *statements]
                else:
                    continuations = _bodies(after, names, error, depth - 1)
                    yield from ([*before, *statements, *rest] for rest in continuations)
        return
    yield [*body]


def _alternatives(node: ast.stmt, names: set[str], error: str) -> list[list[ast.stmt]]:
    """The branches of a statement that depends on the error or on the message; empty for any other
    statement."""
    if isinstance(node, ast.Match):
        condition = f"{ast.unparse(node.subject)} "
        cases = [(condition + ast.unparse(case.pattern), case.body) for case in node.cases]
        depends = _depends_on_error(node.subject, names, error)
        return [body for condition, body in cases if not is_harmless(condition)] if depends else []
    if isinstance(node, ast.If) and _checks_target(node, names):
        return [node.body, node.orelse]
    if not isinstance(node, ast.If) or not _depends_on_error(node.test, names, error):
        return []
    condition = ast.unparse(node.test)
    if not is_harmless(condition):
        return [node.body, node.orelse]
    is_negated = condition.startswith("not ") or "!=" in condition or " not in " in condition
    return [node.body if is_negated else node.orelse]


def _checks_target(node: ast.If, names: set[str]) -> bool:
    """Whether a condition checks that the target of a message exists, as in `if dlq: dlq.send(m)`:
    without a target, the message is dropped."""
    match node.test:
        case ast.Compare(
            left=target, ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(None)]
        ):
            pass
        case ast.UnaryOp(op=ast.Not(), operand=target):
            pass
        case target:
            pass
    if not isinstance(target, ast.Name | ast.Attribute) or syntax.names_in(target) & names:
        return False
    source = ast.unparse(target)
    return bool(DEAD_LETTERS.search(source)) or any(
        ast.unparse(inner.value) == source
        for statement in [*node.body, *node.orelse]
        for inner in ast.walk(statement)
        if isinstance(inner, ast.Attribute)
    )


def _depends_on_error(test: ast.expr, names: set[str], error: str) -> bool:
    """Whether a condition depends on the error, or on the message that failed."""
    tested_names = {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}
    compares = [node for node in ast.walk(test) if isinstance(node, ast.Compare)]
    is_number = any(
        isinstance(operand, ast.Constant) and isinstance(operand.value, int)
        for node in compares
        for operand in node.comparators
    )
    if uses_result_of_call(ast.unparse(test), names - {error}):
        return False
    counts_attempts = checks_attempts(ast.unparse(test)) or (
        is_number and error not in tested_names
    )
    return bool(tested_names & names) and not counts_attempts
