"""Loops of a Python program that try again, and what the program does after the last attempt."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.errors.error_handling import statements_after
from advisor.intake.programs.python.errors.flags import branch_for, breaks_of_loop, flag_assignment

_AT_LEAST = ast.Eq | ast.GtE | ast.Gt
_Harmless = Callable[[ast.Call], bool]
"""Whether a call only logs an error, or commits."""


def is_bounded_retry(loop: ast.stmt, scope: ast.AST, harmless: _Harmless) -> bool:
    """Whether a loop ends after a number of attempts, and the program continues after it as if one
    had succeeded."""
    if isinstance(loop, ast.For | ast.AsyncFor) and not syntax.leaves_loop(loop):
        return True
    is_bounded = isinstance(loop, ast.For) and syntax.method_name(loop.iter) == "range"
    if isinstance(loop, ast.While):
        operators = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        comparisons = [node for node in ast.walk(loop.test) if isinstance(node, ast.Compare)]
        is_bounded = any(isinstance(op, operators) for node in comparisons for op in node.ops)
    return is_bounded and not _handles_last_attempt(loop, scope, harmless)


def _handles_last_attempt(loop: ast.stmt, scope: ast.AST, harmless: _Harmless) -> bool:
    """Whether the program does something about a message that failed in the last attempt."""
    following = statements_after(scope, loop) or []
    otherwise = getattr(loop, "orelse", [])
    if any(isinstance(node, ast.Raise) for statement in [*following, *otherwise]
           for node in ast.walk(statement)):  # fmt: skip
        return True
    certain = [*otherwise, *_if_attempts_are_used_up(loop, following)]
    if isinstance(scope, Function) and _returns_on_success(loop):
        certain += following
    return not syntax.only_logs_and_continues(certain, harmless, in_function=True)


def _returns_on_success(loop: ast.stmt) -> bool:
    """Whether the statements after a loop run only if no attempt succeeds: success returns."""
    handled = {id(inner) for node in ast.walk(loop) if isinstance(node, ast.ExceptHandler)
               for inner in ast.walk(node)}  # fmt: skip
    breaks = [node for node in breaks_of_loop(getattr(loop, "body", [])) if id(node) not in handled]
    return not breaks and any(
        isinstance(node, ast.Return) and id(node) not in handled for node in ast.walk(loop)
    )


def _if_attempts_are_used_up(loop: ast.stmt, following: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements after a loop that a condition on its counter selects: `if n == 3: park(m)`."""
    counters = {ast.unparse(node.target) for node in ast.walk(loop)
                if isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add)}  # fmt: skip
    counters |= {ast.unparse(loop.target)} if isinstance(loop, ast.For) else set()
    for statement in following:
        match statement:
            case ast.If(test=ast.Compare(left=ast.Name(id=name), ops=[op]), body=body) if (
                name in counters and isinstance(op, _AT_LEAST)
            ):
                yield from body
            case _:
                pass


class RetryLoops:
    """The retry loops that a reader is in, the innermost last. None stands for a loop that is
    no retry of a message."""

    def __init__(self) -> None:
        self._loops = list[ast.While | ast.For | ast.AsyncFor | None]()

    def enter(self, loop: ast.While | ast.For | ast.AsyncFor, *, is_retry: bool) -> None:
        """Enters a loop."""
        self._loops.append(loop if is_retry else None)

    def leave(self) -> None:
        """Leaves the innermost loop."""
        self._loops.pop()

    def leaves(self, handler: ast.ExceptHandler) -> set[int] | None:
        """The ids of the `break` statements with which a handler leaves the innermost loop; None
        if it tries again after every error."""
        loop = self._loops[-1] if self._loops else None
        if loop is None:
            return None
        breaks = {id(node) for node in breaks_of_loop(handler.body)}
        returns = any(isinstance(node, ast.Return) for node in ast.walk(handler))
        return breaks if breaks or returns or _ends(loop, handler) else None


def _ends(loop: ast.While | ast.For | ast.AsyncFor, handler: ast.ExceptHandler) -> bool:
    """Whether a handler sets a flag that ends the loop: `done = True` in `while not done`."""
    if not isinstance(loop, ast.While):
        return False
    other: list[ast.stmt] = [ast.Pass()]
    test = ast.If(loop.test, [ast.Expr(loop.test)], other)
    assignments = (
        flag_assignment(node) for node in ast.walk(handler) if isinstance(node, ast.Assign)
    )
    return any(
        branch_for(test, name, value) is other for name, value in filter(None, assignments) if name
    )
