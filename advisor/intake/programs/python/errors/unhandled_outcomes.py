"""Calls of a Python program that return an outcome about which nothing is done:
`save(m).unwrap_or(None)`, `for m, r in zip(ms, save(ms)): if not r.ok: log.error(m)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors.flags import Flags

_DEFAULTING_METHODS = frozenset({"unwrap_or", "unwrap_or_default", "value_or", "get_or_else"})
_ERROR_METHODS = frozenset({"map_err", "inspect_err", "or_else", "unwrap_or_else", "if_failed"})
"""Methods of a result, as in the package `result`, that replace its error or act on it."""


def unhandled_outcomes(scope: ast.AST, flags: Flags) -> Iterator[ast.Call]:
    """Yields the calls that return outcomes, where nothing is done about a failure."""
    yield from _defaulted_outcomes(scope)
    yield from _ignored_outcomes(scope, flags)


def _defaulted_outcomes(scope: ast.AST) -> Iterator[ast.Call]:
    """Yields the calls whose error a statement replaces with a value, or only logs:
    `save(m).unwrap_or(None)`, `save(m).map_err(log.error)`."""
    for node in syntax.nodes(scope):
        match node:
            case ast.Expr(value=ast.Call(
                func=ast.Attribute(value=ast.Call() as call, attr=name), args=arguments
            )):  # fmt: skip
                logs = [value for value in arguments if _only_logs(value)]
                if name in _DEFAULTING_METHODS or (name in _ERROR_METHODS and logs):
                    yield call
            case _:
                pass


def _only_logs(function: ast.expr) -> bool:
    """Whether a function that is passed on only logs."""
    call = function.body if isinstance(function, ast.Lambda) else ast.Call(function, [], [])
    return isinstance(call, ast.Call) and syntax.is_log(call)


def _ignored_outcomes(scope: ast.AST, flags: Flags) -> Iterator[ast.Call]:
    """Yields the calls that return an outcome for each message, where a loop over the outcomes does
    nothing about a failure: `for m, r in zip(ms, save(ms)): if not r.ok: log.error(m)`."""
    values = dict[str, list[ast.expr]]()
    for node in syntax.nodes(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values.setdefault(name, []).append(value)
            case _:
                pass
    for loop in (node for node in syntax.nodes(scope) if isinstance(node, ast.For)):
        outcomes = [name for name in syntax.names_in(loop.target) if flags.asks_outcome(name)]
        if not outcomes or not all(flags.is_idle(name, False) for name in outcomes):
            continue
        iterated = [loop.iter, *getattr(loop.iter, "args", [])]
        sources = [
            value for source in iterated
            for value in ([source] if isinstance(source, ast.Call)
                          else values.get(getattr(source, "id", ""), []))
        ]  # fmt: skip
        calls = (getattr(value, "value", value) for value in sources)
        yield from (call for call in calls if isinstance(call, ast.Call) and call.args)
