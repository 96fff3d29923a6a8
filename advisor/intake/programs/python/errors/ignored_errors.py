"""Statements of a Python program that ignore the error of a message.

Sources: concurrent.futures (`exception` returns the error, and the functions of `add_done_callback`
are called after one, too); The Python Language Reference, 8.4.4 (`return` and `continue` in
`finally` drop the error); confluent-kafka, Consumer.seek.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.records.branch import Branch

_LAZY = frozenset({"map", "filter"})
_OF_ASYNCIO = frozenset({"to_thread", "wait_for", "sleep", "wait"})
"""Coroutines of asyncio."""
_OF_BULK = frozenset({"streaming_bulk", "parallel_bulk"})
"""Generators of Python and of elasticsearch.helpers, which do nothing until something asks them."""
_TOO_FAR = re.compile(r"\.offset\(\) \+ (?!1\b)\d")
_PASSES_BY = re.compile(r"(?i)\A(?!not\b).*(?:retr[iy]|transient|recoverable|temporar)")
"""What an error is asked for that another try may end."""
_NEXT = re.compile(r"\.offset\(\) \+ 1\b")


def commits_past_next(call: ast.Call) -> bool:
    """Whether a call commits the offset behind the next message, too."""
    return syntax.method_name(call) in syntax.COMMITS and bool(_TOO_FAR.search(ast.unparse(call)))


def is_after_message(value: ast.expr, names: set[str]) -> bool:
    """Whether a commit that is given this is behind a message of these names."""
    if isinstance(value, ast.Name) and value.id in names:
        return True
    return bool(syntax.names_in(value) & names) and ".offset() + 1" in ast.unparse(value)


def seeks_past_message(call: ast.Call, handler: ast.ExceptHandler) -> bool:
    """Whether a call of a handler goes on behind a message: it seeks what is behind that, or makes
    room where a producer had none for it, and sends nothing."""
    if syntax.method_name(call) in ("poll", "flush"):
        return "BufferError" in ast.unparse(handler.type or call)
    return syntax.method_name(call) == "seek" and bool(_NEXT.search(ast.unparse(call)))


def _throws_passing(node: ast.stmt) -> bool:
    """Whether a statement throws again only what another try may end."""
    match node:
        case ast.If(test=test, body=[*_, ast.Raise()]):
            return bool(_PASSES_BY.search(ast.unparse(test)))
        case _:
            return False


def handler_for_permanent_errors(body: Iterable[ast.stmt]) -> list[ast.stmt]:
    """What a handler does where an error is none that may pass."""
    return [
        part
        for node in body
        for part in (getattr(node, "orelse", []) if _throws_passing(node) else [node])
    ]


def only_logs_future_error(node: ast.stmt) -> bool:
    """Whether a condition asks a future for its error, only to write of it."""
    asked = syntax.calls(node.test) if isinstance(node, ast.If) else ()
    is_asked = any(map(syntax.asks_future, asked))
    return is_asked and syntax.only_logs_and_continues(
        [node], lambda call: False, in_function=False
    )


def done_callbacks(call: ast.Call) -> list[ast.expr]:
    """Callbacks that run as soon as a future is done."""
    return call.args if syntax.method_name(call) == "add_done_callback" else []


def checks_future(body: ast.AST) -> bool:
    """Whether what is done behind a future asks it for its error."""
    calls = [*syntax.calls(body)]
    return any(syntax.method_name(call) == "result" or syntax.asks_future(call) for call in calls)


def finally_drops_error(body: Iterable[ast.stmt], *, in_function: bool) -> int:
    """The line where `finally` drops an error; 0 if it drops none."""
    dropping = (ast.Continue, ast.Return) if in_function else ast.Continue
    return next((node.lineno for node in body if isinstance(node, dropping)), 0)


def never_run(
    unread: Iterable[ast.AST],
    named: Callable[[ast.Call], Iterable[Function]],
    of_client: Callable[[ast.AST], bool],
) -> set[int]:
    """The coroutines and generators among values that nothing takes: they never run. `named` are
    the functions of the file that a call may be of; `of_client` tells a coroutine of a client."""
    found = set[int]()
    for node in unread:
        own = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        lazy = isinstance(node, ast.GeneratorExp) or (own and syntax.method_name(node) in _LAZY)
        later = isinstance(node, ast.Call) and any(map(_begins_later, named(node)))
        of_asyncio = isinstance(node, ast.Call) and syntax.receiver(node) == "asyncio"
        later = later or of_client(node) or (of_asyncio and syntax.method_name(node) in _OF_ASYNCIO)
        if lazy or later or syntax.method_name(node) in _OF_BULK:
            found.add(id(node))
    return found


def _begins_later(function: Function) -> bool:
    """Whether a call of a function only makes what runs it."""
    yields = (node for part in function.body for node in syntax.own_nodes(part))
    return isinstance(function, ast.AsyncFunctionDef) or any(
        isinstance(node, ast.Yield | ast.YieldFrom) for node in yields
    )


def only_parses(node: ast.Try, branch: Branch) -> bool:
    """Whether an attempt reads a message that was polled before it."""
    calls = (call for one in node.body for call in syntax.calls(one))
    of_message = (call for call in calls if syntax.names_in(call) & branch.names)
    return branch.polled >= 0 and any(syntax.only_parses(call) for call in of_message)
