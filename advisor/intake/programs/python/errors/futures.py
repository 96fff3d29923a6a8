"""Futures of AIOProducer in a Python program, and whether the program checks them.

Source: confluent-kafka, AIOProducer.produce (awaiting it returns a future, which completes when the
message is delivered and holds the error if it is not).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.intake.programs.python import syntax

_READING_METHODS = frozenset({"result", "exception", "add_done_callback"})
_SCHEDULERS = frozenset({"create_task", "ensure_future", "run_coroutine_threadsafe"})
_IGNORING_FUNCTIONS = frozenset({"len", "append", "extend", "add", "done", "clear", "bool", "list"})


def unread_futures(tree: ast.AST, sends: Iterable[ast.Call]) -> Iterator[int]:
    """Yields the lines of sends whose future is not read, or whose error is only logged."""
    parents = {
        id(inner): node for node in syntax.nodes(tree) for inner in ast.iter_child_nodes(node)
    }
    for send in sends:
        if _is_unchecked(tree, parents, send):
            yield send.lineno


def _is_unchecked(tree: ast.AST, parents: dict[int, ast.AST], send: ast.Call) -> bool:
    node: ast.AST = send
    awaited = 0
    while (parent := parents.get(id(node))) is not None:
        if isinstance(parent, ast.Expr):
            return awaited < 2 or _is_only_logged(parents, parent)
        if isinstance(parent, ast.Await):
            awaited += 1
        elif isinstance(parent, ast.Call):
            verb = syntax.method_name(parent)
            if verb == "append" and isinstance(parent.func, ast.Attribute):
                return not _is_read(tree, parents, ast.unparse(parent.func.value))
            if verb in ("gather", "wait"):
                return _ignores_gathered_errors(parents, parent)
            if verb not in _SCHEDULERS:
                return False
        elif isinstance(parent, ast.Assign | ast.AnnAssign):
            targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
            return awaited < 2 and not any(
                _is_read(tree, parents, ast.unparse(target)) for target in targets
            )
        elif not isinstance(parent, ast.ListComp | ast.Starred | ast.List | ast.Tuple):
            return False
        node = parent
    return False


def _is_read(tree: ast.AST, parents: dict[int, ast.AST], name: str) -> bool:
    """Whether the program reads the future, or the futures, that a name holds."""
    uses = [
        use for use in syntax.nodes(tree)
        if isinstance(use, ast.Name | ast.Attribute) and ast.unparse(use) == name
        and not isinstance(use.ctx, ast.Store)
    ]  # fmt: skip
    return any(_use_reads(tree, parents, use) for use in uses)


def _use_reads(tree: ast.AST, parents: dict[int, ast.AST], use: ast.AST) -> bool:
    parent = parents.get(id(use))
    if isinstance(parent, ast.Starred):
        return _use_reads(tree, parents, parent)
    if isinstance(parent, ast.Await):
        return not _is_only_logged(parents, parent)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _READING_METHODS
    if isinstance(parent, ast.For | ast.AsyncFor | ast.comprehension):
        return _is_read(tree, parents, ast.unparse(parent.target))
    if isinstance(parent, ast.Call):
        if syntax.method_name(parent) in ("gather", "wait"):
            return not _ignores_gathered_errors(parents, parent)
        return not (syntax.is_log(parent) or syntax.method_name(parent) in _IGNORING_FUNCTIONS)
    return isinstance(parent, ast.Return | ast.Yield | ast.Subscript)


def _ignores_gathered_errors(parents: dict[int, ast.AST], call: ast.Call) -> bool:
    """Whether the errors of a `gather` that returns them, or of a `wait`, are ignored or logged."""
    returns_errors = syntax.gather_returns_errors(call) or syntax.method_name(call) == "wait"
    awaited = parents.get(id(call))
    is_statement = isinstance(parents.get(id(awaited)), ast.Expr) if awaited else False
    return (returns_errors and is_statement) or _is_only_logged(parents, call)


def _is_only_logged(parents: dict[int, ast.AST], node: ast.AST) -> bool:
    """Whether an error that is raised in a node is only logged."""
    inner: ast.AST = node
    while (parent := parents.get(id(inner))) is not None:
        if isinstance(parent, ast.Try) and any(inner is statement for statement in parent.body):
            return any(
                (syntax.catches_all(handler) or "Kafka" in ast.unparse(handler.type or handler))
                and syntax.only_logs_and_continues(
                    handler.body, lambda call: False, in_function=True
                )
                for handler in parent.handlers
            )
        inner = parent
    return False
