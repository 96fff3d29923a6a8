"""Values of a Python program that are what a poll returned, or a part of it."""

from __future__ import annotations

import ast
from collections.abc import Callable

from advisor.intake.programs.python import syntax

_GATHERS = frozenset({"list", "tuple", "set", "filter", "reversed", "sorted"})


def takes_next_message(call: ast.Call, names: set[str]) -> bool:
    """Whether a call takes the next one out of messages of these names; a dict's `pop` does not."""
    is_key = (
        syntax.method_name(call) == "pop"
        and call.args
        and ast.unparse(call.args[0]) not in ("0", "-1")
    )
    return (
        syntax.method_name(call) in ("pop", "popleft", "next")
        and not is_key
        and bool(syntax.names_in(call) & names)
    )


def returns_message(function: ast.AST, consumers: set[str]) -> bool:
    """Whether a function polls, and returns or yields the message."""
    polled = [call for call in syntax.calls(function) if syntax.polls(call, consumers)]
    values = {id(call) for call in polled}
    names = {ast.unparse(target) for node in ast.walk(function) if isinstance(node, ast.Assign)
             and id(node.value) in values for target in node.targets}  # fmt: skip
    out = [node.value for node in ast.walk(function)
           if isinstance(node, ast.Return | ast.Yield) and node.value]  # fmt: skip
    return any(id(value) in values or ast.unparse(value) in names for value in out)


def poll_of(value: ast.expr, is_poll: Callable[[ast.Call], bool]) -> ast.Call | None:
    """The poll whose messages, or some of them, a value is."""
    if isinstance(value, ast.Await):
        return poll_of(value.value, is_poll)
    if isinstance(value, ast.ListComp | ast.GeneratorExp | ast.SetComp):
        return poll_of(value.generators[0].iter, is_poll)
    if not isinstance(value, ast.Call):
        return None
    if is_poll(value):
        return value
    gathers = isinstance(value.func, ast.Name) and value.func.id in _GATHERS
    return poll_of(value.args[-1], is_poll) if gathers and value.args else None
