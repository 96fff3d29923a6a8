"""Statements of a Python program that are one: a value and the condition that asks for it at once,
a request of http.client and its response. What a future calls back to write a line is nothing.

Sources: http.client (`request` sends, `getresponse` has the status); concurrent.futures
(`add_done_callback` waits for nothing).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from advisor.intake.programs.python import syntax

_CONNECTIONS = frozenset({"HTTPConnection", "HTTPSConnection"})
_OF_STATUS = frozenset({"status_code", "status", "ok", "is_success", "is_error"})
_NEAR = 8
_BLOCKS = ("body", "orelse", "finalbody")


class Joined:
    """The names of a program of which its statements are joined."""

    def __init__(self, tree: ast.AST) -> None:
        nodes = [*ast.walk(tree)]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        self._set = Counter(node.id for node in names if not isinstance(node.ctx, ast.Load))
        connects = any(syntax.method_name(node) in _CONNECTIONS for node in nodes)
        self._connections = syntax.names_created_by(tree, _CONNECTIONS) if connects else set[str]()
        functions = {node.name: node for node in nodes if isinstance(node, syntax.APART)}
        self._write = {
            name for name, function in functions.items()
            if syntax.only_logs_and_continues(function.body, lambda call: False, in_function=True)
        }  # fmt: skip

    def join(self, node: ast.AST) -> None:
        """Joins the statements of each block of a node."""
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                setattr(node, name, self._one(block))

    def _one(self, block: list[ast.stmt]) -> list[ast.stmt]:
        rest = list[ast.stmt]()
        for number, node in enumerate(block):
            behind = block[number + 1 : number + 1 + _NEAR]
            if not (self._is_asked(node, behind[:1]) or self._is_answered(node, behind)):
                rest.append(self._without_callback(node))
        return rest

    def _is_asked(self, node: ast.stmt, behind: Sequence[ast.stmt]) -> bool:
        """Whether the next statement asks for what this one keeps; its condition has it then."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self._set[name] == 1:
                is_test = isinstance(value, ast.Compare | ast.UnaryOp | ast.BoolOp)
                of_status = isinstance(value, ast.Attribute) and value.attr in _OF_STATUS
                condition = next(iter(behind), None)
                if not (is_test or of_status) or not isinstance(condition, ast.If):
                    return False
                asked = _With(name, value)
                condition.test = asked.visit(condition.test)
                return asked.is_found
            case _:
                return False

    def _is_answered(self, node: ast.stmt, behind: Sequence[ast.stmt]) -> bool:
        """Whether a statement sends a request whose response is taken behind it."""
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="request")) as call):
                whose = syntax.receiver(call)
                answer = _Answer(whose, call)
                for statement in behind if whose in self._connections else ():
                    answer.visit(statement)
                return answer.is_found
            case _:
                return False

    def _without_callback(self, node: ast.stmt) -> ast.stmt:
        """A statement without a function that only writes of what a future came to."""
        match node:
            case ast.Expr(value=ast.Call(
                func=ast.Attribute(attr="add_done_callback") as asked, args=[function]
            )) if self._writes(function):  # fmt: skip
                return ast.copy_location(ast.Expr(asked.value), node)
            case _:
                return node

    def _writes(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Lambda):
            body = ast.copy_location(ast.Expr(function.body), function)
            return syntax.only_logs_and_continues([body], lambda call: False, in_function=True)
        return isinstance(function, ast.Name) and function.id in self._write


class _With(ast.NodeTransformer):
    """Puts a value in the place of its name."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self._name, self._value, self.is_found = name, value, False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self._name or self.is_found:
            return node
        self.is_found = True
        return self._value


class _Answer(ast.NodeTransformer):
    """Puts a request in the place of what takes its response."""

    def __init__(self, whose: str, request: ast.Call) -> None:
        self._whose, self._request, self.is_found = whose, request, False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        is_own = syntax.method_name(node) == "getresponse" and syntax.receiver(node) == self._whose
        if not is_own or self.is_found:
            return node
        self.is_found = True
        return self._request
