"""Statements of a Python program that ignore the error of a message.

Sources: concurrent.futures (`exception` returns the error, and the callbacks of `add_done_callback`
also run after an error); The Python Language Reference, 8.4.4 (`return` and `continue` in `finally`
discard the error); confluent-kafka, Consumer.seek.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.records.branch import Branch

_LAZY_FUNCTIONS = frozenset({"map", "filter"})
_ASYNCIO_COROUTINES = frozenset({"to_thread", "wait_for", "sleep", "wait"})
_BULK_GENERATORS = frozenset({"streaming_bulk", "parallel_bulk"})
"""Generators of elasticsearch.helpers. Like `map`, they do nothing until they are iterated."""
_OFFSET_PAST_NEXT = re.compile(r"\.offset\(\) \+ (?!1\b)\d")
_TRANSIENT_ERROR = re.compile(r"(?i)\A(?!not\b).*(?:retr[iy]|transient|recoverable|temporar)")
"""A condition on an error that a retry may resolve."""
_NEXT_OFFSET = re.compile(r"\.offset\(\) \+ 1\b")


def commits_past_next(call: ast.Call) -> bool:
    """Whether a call commits an offset after that of the next message."""
    return syntax.method_name(call) in syntax.COMMITS and bool(
        _OFFSET_PAST_NEXT.search(ast.unparse(call))
    )


def is_after_message(value: ast.expr, names: set[str]) -> bool:
    """Whether a commit with this argument commits the offset after a message of these names."""
    if isinstance(value, ast.Name) and value.id in names:
        return True
    return bool(syntax.names_in(value) & names) and ".offset() + 1" in ast.unparse(value)


def seeks_past_message(call: ast.Call, handler: ast.ExceptHandler) -> bool:
    """Whether a call in a handler continues after the message: it seeks the next offset, or it
    makes room in a full producer queue without sending the message again."""
    if syntax.method_name(call) in ("poll", "flush"):
        return "BufferError" in ast.unparse(handler.type or call)
    return syntax.method_name(call) == "seek" and bool(_NEXT_OFFSET.search(ast.unparse(call)))


def _reraises_transient_errors(node: ast.stmt) -> bool:
    """Whether a statement reraises only errors that a retry may resolve."""
    match node:
        case ast.If(test=test, body=[*_, ast.Raise()]):
            return bool(_TRANSIENT_ERROR.search(ast.unparse(test)))
        case _:
            return False


def handler_for_permanent_errors(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """The statements of a handler that run if a retry cannot resolve the error."""
    return [
        statement
        for node in body
        for statement in (
            getattr(node, "orelse", []) if _reraises_transient_errors(node) else [node]
        )
    ]


def done_callbacks(call: ast.Call) -> list[ast.expr]:
    """The callbacks that run when a future is done."""
    return call.args if syntax.method_name(call) == "add_done_callback" else []


def checks_future(body: ast.AST) -> bool:
    """Whether a callback that runs after a future checks its error."""
    calls = [*syntax.calls(body)]
    return any(syntax.method_name(call) == "result" or syntax.asks_future(call) for call in calls)


def finally_drops_error(body: Iterable[ast.stmt], *, in_function: bool) -> int:
    """The line where `finally` discards an error; 0 if it discards none."""
    dropping = (ast.Continue, ast.Return) if in_function else ast.Continue
    return next((node.lineno for node in body if isinstance(node, dropping)), 0)


def never_run(
    unused: Iterable[ast.AST],
    callees: Callable[[ast.Call], Iterable[Function]],
    is_client_coroutine: Callable[[ast.AST], bool],
) -> set[int]:
    """The `id`s of the coroutines and generators among unused values: they never run. `callees`
    returns the functions of the file that a call may run; `is_client_coroutine` is true for the
    coroutines of clients."""
    ids = set[int]()
    for node in unused:
        is_plain_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        is_lazy = isinstance(node, ast.GeneratorExp) or (
            is_plain_call and syntax.method_name(node) in _LAZY_FUNCTIONS
        )
        is_deferred = isinstance(node, ast.Call) and any(map(_is_deferred, callees(node)))
        is_asyncio = isinstance(node, ast.Call) and syntax.receiver(node) == "asyncio"
        is_deferred = (
            is_deferred
            or is_client_coroutine(node)
            or (is_asyncio and syntax.method_name(node) in _ASYNCIO_COROUTINES)
        )
        if is_lazy or is_deferred or syntax.method_name(node) in _BULK_GENERATORS:
            ids.add(id(node))
    return ids


def _is_deferred(function: Function) -> bool:
    """Whether a call to a function only creates a coroutine or a generator."""
    yields = (node for statement in function.body for node in syntax.own_nodes(statement))
    return isinstance(function, ast.AsyncFunctionDef) or any(
        isinstance(node, ast.Yield | ast.YieldFrom) for node in yields
    )


def only_parses(node: ast.Try, branch: Branch) -> bool:
    """Whether an attempt parses a message that was polled before it."""
    calls = (call for statement in node.body for call in syntax.calls(statement))
    message_calls = (call for call in calls if syntax.names_in(call) & branch.names)
    return branch.polled >= 0 and any(syntax.only_parses(call) for call in message_calls)
