"""Statements of a Python program that become one: a value and the condition that checks it, a
request of http.client and its response. A callback that only logs the result of a future is
dropped.

Sources: http.client (`request` sends, `getresponse` has the status); concurrent.futures
(`add_done_callback` waits for nothing).
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Sequence

from advisor.intake.programs.python import syntax

_CONNECTIONS = frozenset({"HTTPConnection", "HTTPSConnection"})
_STATUS_ATTRIBUTES = frozenset({"status_code", "status", "ok", "is_success", "is_error"})
_MAX_DISTANCE = 8
_BLOCKS = ("body", "orelse", "finalbody")


class Joined:
    """Joins the statements of a program. It knows the connections, the logging functions and the
    number of assignments to each name."""

    def __init__(self, tree: ast.AST) -> None:
        nodes = [*ast.walk(tree)]
        names = [node for node in nodes if isinstance(node, ast.Name)]
        self._assignments = Counter(node.id for node in names if not isinstance(node.ctx, ast.Load))
        connects = any(syntax.method_name(node) in _CONNECTIONS for node in nodes)
        self._connections = syntax.names_created_by(tree, _CONNECTIONS) if connects else set[str]()
        functions = {node.name: node for node in nodes if isinstance(node, syntax.APART)}
        self._logging_functions = {
            name for name, function in functions.items()
            if syntax.only_logs_and_continues(function.body, lambda call: False, in_function=True)
        }  # fmt: skip

    def join(self, node: ast.AST) -> None:
        """Joins the statements in each block of a node."""
        for name in _BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block:
                setattr(node, name, self._joined_block(block))

    def _joined_block(self, block: list[ast.stmt]) -> list[ast.stmt]:
        rest = list[ast.stmt]()
        for index, node in enumerate(block):
            following = block[index + 1 : index + 1 + _MAX_DISTANCE]
            if not (
                self._joins_condition(node, following[:1]) or self._joins_response(node, following)
            ):
                rest.append(self._without_callback(node))
        return rest

    def _joins_condition(self, node: ast.stmt, following: Sequence[ast.stmt]) -> bool:
        """Whether the next statement checks the value that this one assigns. Its condition then
        contains the value."""
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if (
                self._assignments[name] == 1
            ):
                is_test = isinstance(value, ast.Compare | ast.UnaryOp | ast.BoolOp)
                is_status = isinstance(value, ast.Attribute) and value.attr in _STATUS_ATTRIBUTES
                condition = next(iter(following), None)
                if not (is_test or is_status) or not isinstance(condition, ast.If):
                    return False
                substitution = _Substitution(name, value)
                condition.test = substitution.visit(condition.test)
                return substitution.is_replaced
            case _:
                return False

    def _joins_response(self, node: ast.stmt, following: Sequence[ast.stmt]) -> bool:
        """Whether a statement sends a request and one that follows takes the response."""
        match node:
            case ast.Expr(value=ast.Call(func=ast.Attribute(attr="request")) as call):
                connection = syntax.receiver(call)
                replacement = _RequestForResponse(connection, call)
                for statement in following if connection in self._connections else ():
                    replacement.visit(statement)
                return replacement.is_replaced
            case _:
                return False

    def _without_callback(self, node: ast.stmt) -> ast.stmt:
        """A statement without a callback that only logs the result of a future."""
        match node:
            case ast.Expr(value=ast.Call(
                func=ast.Attribute(attr="add_done_callback") as method, args=[function]
            )) if self._only_logs(function):  # fmt: skip
                return ast.copy_location(ast.Expr(method.value), node)
            case _:
                return node

    def _only_logs(self, function: ast.expr) -> bool:
        if isinstance(function, ast.Lambda):
            body = ast.copy_location(ast.Expr(function.body), function)
            return syntax.only_logs_and_continues([body], lambda call: False, in_function=True)
        return isinstance(function, ast.Name) and function.id in self._logging_functions


class _Substitution(ast.NodeTransformer):
    """Replaces the first use of a name with its value."""

    def __init__(self, name: str, value: ast.expr) -> None:
        self._name, self._value, self.is_replaced = name, value, False

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id != self._name or self.is_replaced:
            return node
        self.is_replaced = True
        return self._value


class _RequestForResponse(ast.NodeTransformer):
    """Replaces the call that takes a response with its request."""

    def __init__(self, connection: str, request: ast.Call) -> None:
        self._connection, self._request, self.is_replaced = connection, request, False

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        takes_response = (
            syntax.method_name(node) == "getresponse" and syntax.receiver(node) == self._connection
        )
        if not takes_response or self.is_replaced:
            return node
        self.is_replaced = True
        return self._request
