"""Responses of HTTP clients in a Python program: code that only reads or closes their body."""

from __future__ import annotations

import ast

from advisor.intake.programs.python import syntax

_BODY_ATTRIBUTES = frozenset({"text", "content", "data", "headers"})
_BODY_METHODS = frozenset({"read", "close", "release", "aclose", "aread", "json", "text"})
"""Attributes and methods that read or close a response, apart from its status."""
_MAX_NESTING = 4


def reads_body(value: ast.expr) -> bool:
    """Whether an expression only reads a response to its end, or closes it."""
    expression = value.value if isinstance(value, ast.Await) else value
    match expression:
        case ast.Attribute(value=ast.Name(), attr=attr):
            return attr in _BODY_ATTRIBUTES
        case ast.Call(args=[]):
            return syntax.method_name(expression) in _BODY_METHODS
        case _:
            return False


def awaited_value(value: ast.expr | None) -> ast.expr | None:
    """The expression that a value awaits, or whose body it is; any other value itself."""
    for _ in range(_MAX_NESTING):
        match value:
            case ast.Await(value=inner):
                value = inner
            case ast.Attribute(value=ast.Call() as inner, attr=attr) if attr in _BODY_ATTRIBUTES:
                value = inner
            case ast.Call(func=ast.Attribute(value=ast.Call() as inner, attr=attr), args=[]) if (
                attr in _BODY_METHODS
            ):
                value = inner
            case _:
                return value
    return value
