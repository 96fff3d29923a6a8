"""Buffers of a Python program that keep their messages if writing them fails: another attempt
follows with the next messages."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors.error_handling import statements_after


def keeps_buffer(
    tree: ast.AST, scope: ast.AST, attempt: ast.Try, handler: ast.ExceptHandler
) -> bool:
    """Whether a program clears a buffer only where an attempt succeeds, and commits only there, so
    that a handler which only logs the error skips nothing."""
    following = statements_after(scope, attempt) or []
    jumps = isinstance(handler.body[-1], ast.Return | ast.Continue)
    succeeds = [*attempt.body, *attempt.orelse, *(following if jumps else [])]
    otherwise = [*handler.body, *attempt.finalbody, *([] if jumps else following)]
    used = {name for node in succeeds for call in syntax.calls(node)
            for value in call.args for name in syntax.names_in(value)}  # fmt: skip
    commits = {id(call) for node in succeeds for call in syntax.calls(node)}
    if _returns_false(handler):
        commits |= {*_commits_if_true(tree, getattr(scope, "name", ""))}
    if any(syntax.is_commit(call) and id(call) not in commits for call in syntax.calls(tree)):
        return False
    buffers = {*_cleared(succeeds)} & used - {*_cleared(otherwise)}
    return any(_accumulates(tree, attempt, name) for name in buffers)


def keeps_its_buffer(tree: ast.AST, function: ast.AST) -> bool:
    """Whether a function keeps its messages for another attempt if it cannot write them."""
    attempts = [node for node in ast.walk(function) if isinstance(node, ast.Try)]
    handlers = [(attempt, handler) for attempt in attempts for handler in attempt.handlers]
    return bool(handlers) and all(keeps_buffer(tree, function, *pair) for pair in handlers)


def _returns_false(handler: ast.ExceptHandler) -> bool:
    """Whether a function returns a false value after an error."""
    last = handler.body[-1]
    is_constant = isinstance(last, ast.Return) and isinstance(last.value, ast.Constant | None)
    return is_constant and not getattr(getattr(last, "value", None), "value", None)


def _commits_if_true(tree: ast.AST, name: str) -> Iterator[int]:
    """Yields the `id`s of the commits that run only if a function returns a true value."""
    for node in syntax.nodes(tree):
        if isinstance(node, ast.If):
            tests = [node.test]
            if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.And):
                tests = node.test.values
            if any(syntax.method_name(test) == name for test in tests):
                yield from (id(call) for part in node.body for call in syntax.calls(part))


def _cleared(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The names of the lists that statements clear."""
    for node in (inner for statement in body for inner in ast.walk(statement)):
        match node:
            case ast.Call(func=ast.Attribute(value=value, attr="clear")):
                yield ast.unparse(value)
            case ast.Assign(targets=[target], value=ast.List(elts=[])):
                yield ast.unparse(target)
            case ast.Delete(targets=[ast.Subscript(value=value)]):
                yield ast.unparse(value)
            case _:
                pass


def _accumulates(tree: ast.AST, attempt: ast.Try, name: str) -> bool:
    """Whether a list gets messages one by one, and no loop replaces it elsewhere."""
    inside = {id(node) for node in ast.walk(attempt)}
    loops = [node for node in syntax.nodes(tree) if isinstance(node, syntax.LOOPS)]
    for loop in loops:
        for node in ast.walk(loop):
            targets = node.targets if isinstance(node, ast.Assign) else []
            if id(node) not in inside and name in map(ast.unparse, targets):
                return False
    field = name.rpartition(".")[2]
    return any(
        syntax.method_name(call) in ("append", "extend")
        and syntax.last_name_of_receiver(call) == field
        for call in syntax.calls(tree)
    )
