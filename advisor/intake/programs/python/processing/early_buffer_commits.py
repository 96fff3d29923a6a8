"""Commits of a Python program while messages are still in a buffer.

A commit without arguments commits the position of the consumer, which is after the messages in the
buffer, too (confluent-kafka, Consumer.commit). So does one in a callback for revoked partitions.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function

_CALLBACKS = ("on_revoke", "on_lost")


def early_buffer_commits(tree: ast.Module, consumers: set[str]) -> Iterator[int]:
    """Yields the lines of commits of all polled messages before which nothing uses the buffer."""
    functions = {node.name: node for node in syntax.nodes(tree) if isinstance(node, Function)}
    callbacks = {
        ast.unparse(keyword.value).rpartition(".")[2]
        for call in syntax.calls(tree) for keyword in call.keywords if keyword.arg in _CALLBACKS
    }  # fmt: skip
    for loop in syntax.nodes(tree):
        if not isinstance(loop, ast.While):
            continue
        for buffer in _buffers(loop, consumers):
            users = {name for name, function in functions.items() if _names(function, buffer)}
            search = _Search(buffer, users, consumers)
            yield from search.commits(loop.body)
            for name in callbacks & functions.keys():
                yield from search.commits(functions[name].body)


def _buffers(loop: ast.While, consumers: set[str]) -> set[str]:
    """The lists to which a loop appends each message that it polls, and which it does not replace
    in each iteration."""
    polled = {
        target.id for node in loop.body if isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Call) and syntax.polls(node.value, consumers)
        and not syntax.polls_many(node.value)
        for target in node.targets if isinstance(target, ast.Name)
    }  # fmt: skip
    replaced = {ast.unparse(target) for node in loop.body if isinstance(node, ast.Assign)
                for target in node.targets}  # fmt: skip
    appends = [call for call in syntax.calls(loop) if syntax.method_name(call) == "append"]
    return {
        syntax.receiver(call) for call in appends
        if any(isinstance(value, ast.Name) and value.id in polled for value in call.args)
    } - replaced  # fmt: skip


def _names(node: ast.AST, buffer: str) -> bool:
    return any(isinstance(inner, ast.Name | ast.Attribute) and ast.unparse(inner) == buffer
               for inner in ast.walk(node))  # fmt: skip


class _Search:
    """Searches blocks for commits before which nothing names the buffer or calls one of its
    `users`."""

    def __init__(self, buffer: str, users: set[str], consumers: set[str]) -> None:
        self._buffer, self._users, self._consumers = buffer, users, consumers

    def _uses(self, node: ast.AST) -> bool:
        return _names(node, self._buffer) or any(
            syntax.method_name(call) in self._users for call in syntax.calls(node)
        )

    def _commits_all(self, call: ast.Call) -> bool:
        is_own = syntax.receiver(call) in self._consumers or syntax.receiver(call) == "consumer"
        return syntax.method_name(call) == "commit" and is_own and not syntax.commit_argument(call)

    def commits(self, body: Sequence[ast.stmt]) -> Iterator[int]:
        """Yields the lines of such commits in the statements of a block."""
        for node in body:
            if isinstance(node, ast.If) and not self._uses(node.test):
                yield from self.commits(node.body)
                yield from self.commits(node.orelse)
            if self._uses(node):
                return
            if isinstance(node, ast.Expr):
                yield from (call.lineno for call in syntax.calls(node) if self._commits_all(call))
