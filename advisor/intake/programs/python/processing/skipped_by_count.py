"""Messages that a Python program skips by their number alone.

Examples are `if n > 5: continue` and `if i % 10 == 0: save(m)`.

A commit of the whole poll commits these messages, too (confluent-kafka, Consumer.commit).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.intake.programs.python import syntax

_JUMPS = ast.Continue | ast.Break
_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def skipped_by_count(
    nodes: Sequence[ast.AST], message_names: set[str], consumers: set[str]
) -> Iterator[int]:
    """Yields the lines where a loop skips a message because of the number of messages before it.
    `message_names` are the names of polls with several messages."""
    for node in nodes:
        match node:
            case ast.For(target=target, iter=source) if syntax.names_in(source) & message_names:
                names, counters = syntax.names_in(target), set[str]()
                if syntax.method_name(source) == "enumerate" and isinstance(target, ast.Tuple):
                    counters = syntax.names_in(target.elts[0])
            case ast.While():
                names, counters = _polled_names(node, consumers), set[str]()
            case _:
                continue
        counters |= {*_counters(node.body)}
        if names - counters and counters:
            yield from _skipping_conditions(node.body, names - counters, counters)


def _polled_names(loop: ast.While, consumers: set[str]) -> set[str]:
    """The names to which a loop assigns the message of its poll."""
    return {
        name for node in loop.body if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call) and syntax.polls(node.value, consumers)
        and not syntax.polls_many(node.value)
        for target in node.targets for name in syntax.names_in(target)
    }  # fmt: skip


def _counters(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that each iteration increments by one and assigns nowhere else."""
    assigned_names = [
        inner.id for node in body for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    ]  # fmt: skip
    for node in body:
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Constant(1)) if (
                assigned_names.count(name) == 1
            ):
                yield name
            case _:
                pass


def _skipping_conditions(
    body: Sequence[ast.stmt], names: set[str], counters: set[str]
) -> Iterator[int]:
    """The lines of conditions on a counter under which a message is not processed."""
    for index, node in enumerate(body):
        is_above = _is_above(node.test, counters) if isinstance(node, ast.If) else None
        if not isinstance(node, ast.If) or is_above is None or _processes(body[:index], names):
            continue
        following = body[index + 1 :]
        if node.body and isinstance(node.body[-1], _JUMPS):
            is_idle = not _processes(node.body, names) and not node.orelse
            skips = is_above and is_idle and _processes(following, names)
        else:
            skips = not is_above and _processes(node.body, names) and not (
                node.orelse or _processes(following, names)
            )  # fmt: skip
        if skips:
            yield node.lineno


def _is_above(test: ast.expr, counters: set[str]) -> bool | None:
    """Whether a condition on a counter holds above a number, or for most messages; None for any
    other condition."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[_]) if name in counters:
            if isinstance(op, ast.Gt | ast.GtE | ast.Lt | ast.LtE):
                return isinstance(op, ast.Gt | ast.GtE)
        case ast.BinOp(left=ast.Name(id=name), op=ast.Mod()) if name in counters:
            return True
        case ast.Compare(
            left=ast.BinOp(left=ast.Name(id=name), op=ast.Mod()), ops=[op], comparators=[_]
        ) if name in counters and isinstance(op, ast.Eq | ast.NotEq):
            return isinstance(op, ast.NotEq)
        case _:
            pass
    return None


def _processes(body: Sequence[ast.stmt], names: set[str]) -> bool:
    """Whether statements do more with a message than log it, commit it or read its fields."""
    return any(
        syntax.names_in(call) & names and not syntax.is_log(call) and not syntax.is_commit(call)
        and syntax.method_name(call)
        not in ("error", "value", "key", "offset", "partition", "topic")
        for node in body if not isinstance(node, _SCOPES) for call in syntax.calls(node)
    )  # fmt: skip
