"""Responses of HTTP clients in a Python program: conditions on their status, and code that only
reads or closes their body."""

from __future__ import annotations

import ast

from advisor.intake.programs.python import syntax

_BODY_ATTRIBUTES = frozenset({"text", "content", "data", "headers"})
_BODY_METHODS = frozenset({"read", "close", "release", "aclose", "aread", "json", "text"})
"""Attributes and methods that read or close a response, apart from its status."""
_MAX_NESTING = 4
_HTTP_METHODS = frozenset({"post", "put", "patch", "delete", "request"})
_HTTP_LIBRARIES = ("requests", "httpx", "urllib3")
_SESSION_CLASSES = frozenset({
    "Session", "Client", "AsyncClient", "ClientSession", "PoolManager", "HTTPConnectionPool",
    "HTTPSConnectionPool", "HTTPConnection", "HTTPSConnection",
})  # fmt: skip


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


def is_status(left: ast.expr, other: ast.expr) -> bool:
    """Whether a comparison is of an HTTP status."""
    codes = other.elts if isinstance(other, ast.Tuple | ast.List | ast.Set) else [other]
    numbers = [code.value for code in codes if isinstance(code, ast.Constant)]
    is_code = any(isinstance(code, int) and 100 <= code < 600 for code in numbers)
    return is_code or status_owner(left) is not left


def holds_for_status(op: ast.cmpop, other: ast.expr, *, is_success: bool) -> bool:
    """Whether a comparison of a status with a code holds if the request succeeds or fails. A
    failure may be a status such as 404, for which `status >= 500` does not hold."""
    is_code = isinstance(other, ast.Constant) and isinstance(other.value, int)
    is_above = isinstance(op, ast.Gt | ast.GtE)
    if not is_success and is_above and is_code and 400 < int(ast.literal_eval(other)) < 600:
        return False
    return is_success is not (is_above or isinstance(op, ast.NotEq | ast.NotIn))


def status_owner(node: ast.expr) -> ast.expr:
    """The response in `r.status_code // 100` or `r.status`; any other expression itself."""
    match node:
        case ast.Attribute(value=inner, attr="status_code" | "status"):
            return inner
        case ast.BinOp(left=ast.Attribute() as inner, op=ast.FloorDiv()):
            return status_owner(inner)
        case _:
            return node


def http_sessions(tree: ast.AST) -> set[str]:
    """Returns the names of the sessions and libraries that make HTTP requests and do not raise for
    an error status by themselves."""
    raising_calls = {
        id(call) for call in syntax.calls(tree)
        if any(keyword.arg in ("raise_for_status", "event_hooks") for keyword in call.keywords)
    }  # fmt: skip
    return {*_HTTP_LIBRARIES, *syntax.names_created_by(tree, _SESSION_CLASSES, raising_calls)}


def is_request(call: ast.Call, sessions: set[str]) -> bool:
    """Whether a call is an HTTP request, which does not raise for an error status (requests,
    Response.raise_for_status; httpx, the same)."""
    return syntax.method_name(call) in _HTTP_METHODS and syntax.receiver(call) in sessions
