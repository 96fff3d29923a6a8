"""Clients of a Python program whose methods are coroutines: what nobody awaits never runs.

Sources: asyncio (Coroutines); aiohttp, httpx (AsyncClient), motor, PyMongo (AsyncMongoClient),
asyncpg, redis-py (redis.asyncio), SQLAlchemy (AsyncSession), elasticsearch (AsyncElasticsearch).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.records.branch import Branch

_ROUNDS = 3
_MODULES = re.compile(
    r"(?:redis\.asyncio|motor|motor\.\w+|asyncpg|aiohttp|aio\w+|asyncmy|databases|nats)(?:\.\w+)*"
)
_CLASSES = re.compile(r"Async[A-Z]\w*|AIO[A-Z]\w*|async_sessionmaker|create_async_engine")
_OF_KAFKA = re.compile(r"AIO\w*(?:Producer|Consumer)|AsyncIO\w*Scheduler")
_MAKES = re.compile(r"(?:pipeline|begin|transaction|add|add_all|append|expunge|with_options)")
"""Methods that are not coroutines: they make or keep something at once."""
_RUNS, _CONNECTS = ("run", "run_until_complete"), ("acquire", "connect", "cursor")
_ENDS = frozenset({"commit", "flush", "execute"})
"""What ends the work with a message that an object was given before."""


class AsyncClients:
    """Such clients of a program, by name."""

    def __init__(self, tree: ast.AST) -> None:
        self._roots = {*_imported(tree)}
        self.names = set[str]()
        for _ in range(_ROUNDS):
            before = len(self.names)
            for node in syntax.nodes(tree):
                self.names.update(self._named(node))
            if len(self.names) == before:
                break

    def leaves(self, call: ast.AST) -> bool:
        """Whether a value that nothing takes is such a coroutine."""
        if not isinstance(call, ast.Call) or _MAKES.fullmatch(syntax.method_name(call)):
            return False
        return _root(call.func) in self.names and isinstance(call.func, ast.Attribute)

    def _named(self, node: ast.AST) -> Iterator[str]:
        """The names that a statement, or a parameter, gives to such a client."""
        match node:
            case ast.Assign(targets=targets, value=value) if self._is_one(value):
                yield from map(ast.unparse, targets)
            case ast.AnnAssign(target=target, annotation=kind, value=value):
                if self._is_type(kind) or (value and self._is_one(value)):
                    yield ast.unparse(target)
            case ast.arg(arg=name, annotation=kind) if kind and self._is_type(kind):
                yield name
            case ast.withitem(context_expr=value, optional_vars=target):
                if target and self._is_one(value):
                    yield ast.unparse(target)
            case _:
                return

    def _is_one(self, value: ast.expr) -> bool:
        """Whether an expression makes such a client, or something of one."""
        while isinstance(value, ast.Await | ast.Attribute | ast.Subscript):
            if not isinstance(value, ast.Await) and _root(value) in self.names:
                return True
            value = value.value
        if isinstance(value, ast.Name):
            return value.id in self.names
        return isinstance(value, ast.Call) and self._makes_one(value)

    def _makes_one(self, call: ast.Call) -> bool:
        made = syntax.method_name(call)
        while made in _RUNS and len(call.args) == 1 and isinstance(call.args[0], ast.Call):
            call = call.args[0]
            made = syntax.method_name(call)
        if _OF_KAFKA.fullmatch(made) or _MAKES.fullmatch(made):
            return False
        root = _root(call.func)
        is_own = isinstance(call.func, ast.Name) and root in self.names
        is_of_one = root in self.names and made in _CONNECTS
        return bool(_CLASSES.fullmatch(made)) or root in self._roots or is_own or is_of_one

    def _is_type(self, kind: ast.expr) -> bool:
        name = ast.unparse(kind)[:100].strip("'\"")
        return bool(_CLASSES.fullmatch(name.rpartition(".")[2])) or (
            name.partition(".")[0] in self._roots
        )


def is_terminal_call(call: ast.AST, branch: Branch) -> bool:
    """Whether a call ends what was done with a message before."""
    is_end = syntax.method_name(call) in _ENDS and not getattr(call, "args", ())
    return is_end and branch.polled >= 0


def _imported(tree: ast.AST) -> Iterator[str]:
    """The names under which a program has modules of such clients, and what is in them."""
    for node in syntax.nodes(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if _MODULES.fullmatch(alias.name):
                    yield alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module = node.module or ""
                if _MODULES.fullmatch(module) or _MODULES.fullmatch(f"{module}.{alias.name}"):
                    yield alias.asname or alias.name


def _root(node: ast.AST) -> str:
    """What a chain of calls, fields and indexes begins with, such as `db` or `self.session`."""
    while isinstance(node, ast.Attribute | ast.Subscript | ast.Call):
        if isinstance(node, ast.Attribute) and getattr(node.value, "id", "") in syntax.OWN:
            return ast.unparse(node)
        node = node.func if isinstance(node, ast.Call) else node.value
    return getattr(node, "id", "")
