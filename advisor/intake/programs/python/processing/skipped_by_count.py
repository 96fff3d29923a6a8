"""Messages that a Python program counts and, by their number alone, leaves undone:
`if n > 5: continue`, `if i % 10 == 0: save(m)`.

A commit of all that was polled is behind these, too (confluent-kafka, Consumer.commit).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.intake.programs.python import syntax

_JUMPS = ast.Continue | ast.Break
_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def skipped_by_count(
    own: Sequence[ast.AST], polled: set[str], consumers: set[str]
) -> Iterator[int]:
    """The lines where a loop does nothing with a message because so many came before it; `polled`
    are the names of several that were polled."""
    for node in own:
        match node:
            case ast.For(target=target, iter=over) if syntax.names_in(over) & polled:
                names, numbers = syntax.names_in(target), set[str]()
                if syntax.method_name(over) == "enumerate" and isinstance(target, ast.Tuple):
                    numbers = syntax.names_in(target.elts[0])
            case ast.While():
                names, numbers = _polled_in(node, consumers), set[str]()
            case _:
                continue
        numbers |= {*_counted(node.body)}
        if names - numbers and numbers:
            yield from _left(node.body, names - numbers, numbers)


def _polled_in(loop: ast.While, consumers: set[str]) -> set[str]:
    """The names that a loop gives the message of its poll."""
    return {
        name for node in loop.body if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call) and syntax.polls(node.value, consumers)
        and not syntax.polls_many(node.value)
        for target in node.targets for name in syntax.names_in(target)
    }  # fmt: skip


def _counted(body: Sequence[ast.stmt]) -> Iterator[str]:
    """The names that each round makes one more, and that nothing of it gives another value."""
    given = [
        inner.id for node in body for inner in ast.walk(node)
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store)
    ]  # fmt: skip
    for node in body:
        match node:
            case ast.AugAssign(target=ast.Name(id=name), op=ast.Add(), value=ast.Constant(1)) if (
                given.count(name) == 1
            ):
                yield name
            case _:
                pass


def _left(body: Sequence[ast.stmt], names: set[str], numbers: set[str]) -> Iterator[int]:
    for number, node in enumerate(body):
        is_above = _asks(node.test, numbers) if isinstance(node, ast.If) else None
        if not isinstance(node, ast.If) or is_above is None or _uses(body[:number], names):
            continue
        behind = body[number + 1 :]
        if node.body and isinstance(node.body[-1], _JUMPS):
            is_idle = not _uses(node.body, names) and not node.orelse
            left = is_above and is_idle and _uses(behind, names)
        else:
            left = not is_above and _uses(node.body, names) and not (
                node.orelse or _uses(behind, names)
            )  # fmt: skip
        if left:
            yield node.lineno


def _asks(test: ast.expr, numbers: set[str]) -> bool | None:
    """Whether a condition holds above a number, or for most of them; None for another one."""
    match test:
        case ast.Compare(left=ast.Name(id=name), ops=[op], comparators=[_]) if name in numbers:
            if isinstance(op, ast.Gt | ast.GtE | ast.Lt | ast.LtE):
                return isinstance(op, ast.Gt | ast.GtE)
        case ast.BinOp(left=ast.Name(id=name), op=ast.Mod()) if name in numbers:
            return True
        case ast.Compare(
            left=ast.BinOp(left=ast.Name(id=name), op=ast.Mod()), ops=[op], comparators=[_]
        ) if name in numbers and isinstance(op, ast.Eq | ast.NotEq):
            return isinstance(op, ast.NotEq)
        case _:
            pass
    return None


def _uses(body: Sequence[ast.stmt], names: set[str]) -> bool:
    """Whether something is done with a message but to write of it, or to commit it."""
    return any(
        syntax.names_in(call) & names and not syntax.is_log(call) and not syntax.is_commit(call)
        and syntax.method_name(call)
        not in ("error", "value", "key", "offset", "partition", "topic")
        for node in body if not isinstance(node, _SCOPES) for call in syntax.calls(node)
    )  # fmt: skip
