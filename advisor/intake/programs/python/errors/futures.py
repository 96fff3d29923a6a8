"""Futures that AIOProducer gives, and whether a Python program reads them.

Source: confluent-kafka, AIOProducer.produce (awaited, it gives a future; that one is done when the
message is delivered, and has the error of one that is not).
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.intake.programs.python import syntax

_READS = frozenset({"result", "exception", "add_done_callback"})
_LATER = frozenset({"create_task", "ensure_future", "run_coroutine_threadsafe"})
_SAYS_NOTHING = frozenset({"len", "append", "extend", "add", "done", "clear", "bool", "list"})


def unread_futures(tree: ast.AST, sends: Iterable[ast.Call]) -> Iterator[int]:
    """The lines of sends whose future nothing reads, or whose error is only written down."""
    parents = {
        id(inner): node for node in syntax.nodes(tree) for inner in ast.iter_child_nodes(node)
    }
    for send in sends:
        if _is_lost(tree, parents, send):
            yield send.lineno


def _is_lost(tree: ast.AST, parents: dict[int, ast.AST], send: ast.Call) -> bool:
    node: ast.AST = send
    awaited = 0
    while (parent := parents.get(id(node))) is not None:
        if isinstance(parent, ast.Expr):
            return awaited < 2 or _is_only_written(parents, parent)
        if isinstance(parent, ast.Await):
            awaited += 1
        elif isinstance(parent, ast.Call):
            verb = syntax.method_name(parent)
            if verb == "append" and isinstance(parent.func, ast.Attribute):
                return not _is_read(tree, parents, ast.unparse(parent.func.value))
            if verb in ("gather", "wait"):
                return _is_let_go(parents, parent)
            if verb not in _LATER:
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
    """Whether something looks at the future, or the futures, that a name has."""
    found = [
        node for node in syntax.nodes(tree)
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) == name
        and not isinstance(node.ctx, ast.Store)
    ]  # fmt: skip
    return any(_use_reads(tree, parents, node) for node in found)


def _use_reads(tree: ast.AST, parents: dict[int, ast.AST], use: ast.AST) -> bool:
    parent = parents.get(id(use))
    if isinstance(parent, ast.Starred):
        return _use_reads(tree, parents, parent)
    if isinstance(parent, ast.Await):
        return not _is_only_written(parents, parent)
    if isinstance(parent, ast.Attribute):
        return parent.attr in _READS
    if isinstance(parent, ast.For | ast.AsyncFor | ast.comprehension):
        return _is_read(tree, parents, ast.unparse(parent.target))
    if isinstance(parent, ast.Call):
        if syntax.method_name(parent) in ("gather", "wait"):
            return not _is_let_go(parents, parent)
        return not (syntax.is_log(parent) or syntax.method_name(parent) in _SAYS_NOTHING)
    return isinstance(parent, ast.Return | ast.Yield | ast.Subscript)


def _is_let_go(parents: dict[int, ast.AST], call: ast.Call) -> bool:
    """Whether a `gather` that keeps errors as values, or a `wait`, is a statement of its own."""
    keeps = syntax.gather_returns_errors(call) or syntax.method_name(call) == "wait"
    awaited = parents.get(id(call))
    alone = isinstance(parents.get(id(awaited)), ast.Expr) if awaited else False
    return (keeps and alone) or _is_only_written(parents, call)


def _is_only_written(parents: dict[int, ast.AST], node: ast.AST) -> bool:
    """Whether an error that is raised there is only written down."""
    inner: ast.AST = node
    while (parent := parents.get(id(inner))) is not None:
        if isinstance(parent, ast.Try) and any(inner is one for one in parent.body):
            return any(
                (syntax.catches_all(handler) or "Kafka" in ast.unparse(handler.type or handler))
                and syntax.only_logs_and_continues(
                    handler.body, lambda call: False, in_function=True
                )
                for handler in parent.handlers
            )
        inner = parent
    return False
