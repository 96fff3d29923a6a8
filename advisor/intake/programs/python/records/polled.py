"""Values of a Python program that are the result of a poll, or a part of it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from advisor.intake.programs.python import syntax

_COLLECTIONS = frozenset({"list", "tuple", "set", "filter", "reversed", "sorted"})


def takes_next_message(call: ast.Call, names: set[str]) -> bool:
    """Whether a call takes the next message out of messages with these names. A `pop` of a dict's
    key does not."""
    removes_key = (
        syntax.method_name(call) == "pop"
        and call.args
        and ast.unparse(call.args[0]) not in ("0", "-1")
    )
    return (
        syntax.method_name(call) in ("pop", "popleft", "next")
        and not removes_key
        and bool(syntax.names_in(call) & names)
    )


def returns_message(function: ast.AST, consumers: set[str]) -> bool:
    """Whether a function polls, and returns or yields the message."""
    polls = [call for call in syntax.calls(function) if syntax.polls(call, consumers)]
    poll_ids = {id(call) for call in polls}
    names = {ast.unparse(target) for node in ast.walk(function) if isinstance(node, ast.Assign)
             and id(node.value) in poll_ids for target in node.targets}  # fmt: skip
    results = [node.value for node in ast.walk(function)
           if isinstance(node, ast.Return | ast.Yield) and node.value]  # fmt: skip
    return any(id(value) in poll_ids or ast.unparse(value) in names for value in results)


def poll_of(value: ast.expr, is_poll: Callable[[ast.Call], bool]) -> ast.Call | None:
    """Returns the poll whose messages, or some of them, are the value; None if it is no result of a
    poll."""
    if isinstance(value, ast.Await):
        return poll_of(value.value, is_poll)
    if isinstance(value, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return poll_of(value.generators[0].iter, is_poll)
    if not isinstance(value, ast.Call):
        return None
    if is_poll(value):
        return value
    collects = isinstance(value.func, ast.Name) and value.func.id in _COLLECTIONS
    return poll_of(value.args[-1], is_poll) if collects and value.args else None
