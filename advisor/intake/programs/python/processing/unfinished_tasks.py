"""Waits of a Python program that may end before its tasks do, and are followed by a commit.

`wait` returns the tasks that are done and those that are not. With a timeout, or with
`FIRST_COMPLETED`, the second set may not be empty, and no error is raised (concurrent.futures,
wait; asyncio, wait).
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from advisor.intake.programs.python import syntax

_MODULES = ("", "asyncio", "futures", "concurrent.futures")


def unfinished_waits(tree: ast.Module, consumers: set[str]) -> Iterator[int]:
    """Yields the lines of such waits in loops that poll and commit, where nothing looks at the
    tasks that are not done."""
    for loop in syntax.nodes(tree):
        if not isinstance(loop, ast.While):
            continue
        calls = [*syntax.calls(loop)]
        if any(syntax.polls(call, consumers) for call in calls) and any(
            map(syntax.is_commit, calls)
        ):
            yield from _unfinished(loop)


def waits_until_done(loop: ast.While) -> bool:
    """Whether a loop runs until none of the tasks is left for which it waits."""
    names = syntax.names_in(loop.test)
    return any(
        syntax.method_name(call) == "wait" and names & syntax.names_in(call.args[0])
        for call in syntax.calls(loop) if call.args
    )  # fmt: skip


def _unfinished(loop: ast.While) -> Iterator[int]:
    for node in ast.walk(loop):
        if not isinstance(node, ast.Expr | ast.Assign):
            continue
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(call, ast.Call) and _may_end_early(call):
            target = node.targets[0] if isinstance(node, ast.Assign) else None
            if not (_reads_pending(loop, target) or _waits_for_queue(loop, call)):
                yield call.lineno


def _may_end_early(call: ast.Call) -> bool:
    """Whether a call is a wait for several tasks with a limit."""
    words = {word.arg: ast.unparse(word.value) for word in call.keywords}
    is_wait = syntax.method_name(call) == "wait" and syntax.receiver(call) in _MODULES
    values = [*map(ast.unparse, call.args[1:]), *words.values()]
    return bool(is_wait and call.args) and (
        words.get("timeout", "None") != "None"
        or any(value.endswith("FIRST_COMPLETED") for value in values)
        or ast.unparse([*call.args, ast.Constant(None)][1]) != "None"
    )


def _waits_for_queue(loop: ast.While, call: ast.Call) -> bool:
    """Whether a wait ends with the `join` of a queue, or with an error of a worker, which the loop
    raises."""
    joins = any(syntax.method_name(inner) == "join" for inner in syntax.calls(call.args[0]))
    return joins and any(syntax.method_name(inner) == "result" for inner in syntax.calls(loop))


def _reads_pending(loop: ast.While, target: ast.expr | None) -> bool:
    """Whether a loop uses the tasks that are not done, other than to log or cancel them."""
    match target:
        case ast.Tuple(elts=[_, ast.Name(id=name)]):
            pass
        case ast.Name(id=name):
            return any((isinstance(node, ast.Attribute) and node.attr == "not_done")
                       or (isinstance(node, ast.Subscript) and ast.unparse(node) == f"{name}[1]")
                       for node in ast.walk(loop))  # fmt: skip
        case _:
            return False
    ignored = syntax.log_only_nodes(loop)
    ignored |= {
        id(inner)
        for node in ast.walk(loop) if isinstance(node, ast.For)
        if {syntax.method_name(call) for call in syntax.calls(node)} == {"cancel"}
        for inner in ast.walk(node)
    }  # fmt: skip
    return any(isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
               and id(node) not in ignored for node in ast.walk(loop))  # fmt: skip
