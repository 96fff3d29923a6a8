"""Clients of a Python program whose methods are coroutines: without `await` they never run.

Sources: asyncio (Coroutines); aiohttp, httpx (AsyncClient), motor, PyMongo (AsyncMongoClient),
asyncpg, redis-py (redis.asyncio), SQLAlchemy (AsyncSession), elasticsearch (AsyncElasticsearch).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.records.branch import Branch

_MAX_PASSES = 3
_CLIENT_MODULE = re.compile(
    r"(?:redis\.asyncio|motor|motor\.\w+|asyncpg|aiohttp|aio\w+|asyncmy|databases|nats)(?:\.\w+)*"
)
_CLIENT_CLASS = re.compile(r"Async[A-Z]\w*|AIO[A-Z]\w*|async_sessionmaker|create_async_engine")
_EXCLUDED_CLASS = re.compile(r"AIO\w*(?:Producer|Consumer)|AsyncIO\w*Scheduler")
_SYNCHRONOUS_METHOD = re.compile(
    r"(?:pipeline|begin|transaction|add|add_all|append|expunge|with_options)"
)
"""Methods that are not coroutines: they create or store an object immediately."""
_RUNNERS, _CONNECTING_METHODS = ("run", "run_until_complete"), ("acquire", "connect", "cursor")
_COMPLETING_METHODS = frozenset({"commit", "flush", "execute"})
"""Methods that complete the work on a message that was passed to the object before."""


class AsyncClients:
    """The names of the asynchronous clients of a program."""

    def __init__(self, tree: ast.AST) -> None:
        self._roots = {*_imported_names(tree)}
        self.names = set[str]()
        for _ in range(_MAX_PASSES):
            before = len(self.names)
            for node in syntax.nodes(tree):
                self.names.update(self._client_names(node))
            if len(self.names) == before:
                break

    def leaves(self, call: ast.AST) -> bool:
        """Whether a value that is not used is such a coroutine, which never runs."""
        if not isinstance(call, ast.Call) or _SYNCHRONOUS_METHOD.fullmatch(
            syntax.method_name(call)
        ):
            return False
        return _root(call.func) in self.names and isinstance(call.func, ast.Attribute)

    def _client_names(self, node: ast.AST) -> Iterator[str]:
        """Yields the names that a statement or a parameter binds to a client."""
        match node:
            case ast.Assign(targets=targets, value=value) if self._is_client(value):
                yield from map(ast.unparse, targets)
            case ast.AnnAssign(target=target, annotation=annotation, value=value):
                if self._is_client_type(annotation) or (value and self._is_client(value)):
                    yield ast.unparse(target)
            case ast.arg(arg=name, annotation=annotation) if annotation and self._is_client_type(
                annotation
            ):
                yield name
            case ast.withitem(context_expr=value, optional_vars=target):
                if target and self._is_client(value):
                    yield ast.unparse(target)
            case _:
                return

    def _is_client(self, value: ast.expr) -> bool:
        """Whether an expression creates a client, or is an attribute or a value of one."""
        while isinstance(value, ast.Await | ast.Attribute | ast.Subscript):
            if not isinstance(value, ast.Await) and _root(value) in self.names:
                return True
            value = value.value
        if isinstance(value, ast.Name):
            return value.id in self.names
        return isinstance(value, ast.Call) and self._creates_client(value)

    def _creates_client(self, call: ast.Call) -> bool:
        method = syntax.method_name(call)
        while method in _RUNNERS and len(call.args) == 1 and isinstance(call.args[0], ast.Call):
            call = call.args[0]
            method = syntax.method_name(call)
        if _EXCLUDED_CLASS.fullmatch(method) or _SYNCHRONOUS_METHOD.fullmatch(method):
            return False
        root = _root(call.func)
        is_factory = isinstance(call.func, ast.Name) and root in self.names
        is_connection = root in self.names and method in _CONNECTING_METHODS
        return (
            bool(_CLIENT_CLASS.fullmatch(method))
            or root in self._roots
            or is_factory
            or is_connection
        )

    def _is_client_type(self, annotation: ast.expr) -> bool:
        name = ast.unparse(annotation)[:100].strip("'\"")
        return bool(_CLIENT_CLASS.fullmatch(name.rpartition(".")[2])) or (
            name.partition(".")[0] in self._roots
        )


def is_terminal_call(call: ast.AST, branch: Branch) -> bool:
    """Whether a call completes the work on the polled message, as `session.commit()` does."""
    completes = syntax.method_name(call) in _COMPLETING_METHODS and not getattr(call, "args", ())
    return completes and branch.polled >= 0


def _imported_names(tree: ast.AST) -> Iterator[str]:
    """Yields the names that a program imports such modules as, or members of them."""
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _CLIENT_MODULE.fullmatch(alias.name):
                    yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module = node.module or ""
                if _CLIENT_MODULE.fullmatch(module) or _CLIENT_MODULE.fullmatch(
                    f"{module}.{alias.name}"
                ):
                    yield alias.asname or alias.name


def _root(node: ast.AST) -> str:
    """The root of a chain of calls, attributes and subscripts, such as `db` or `self.session`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in syntax.OWN:
            return ast.unparse(node)
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")
