"""Databases to which a Python program writes without a commit (`programs.databases`)."""

from __future__ import annotations

import ast
import re

from advisor.intake.programs.python import syntax

_DRIVERS = frozenset({
    "psycopg2", "psycopg", "pymysql", "MySQLdb", "mysql.connector", "oracledb", "cx_Oracle",
    "pyodbc", "sqlite3", "pg8000",
})  # fmt: skip
_WRITES = re.compile(r"(?i)\s*(?:insert|update|delete|merge|replace|upsert)\s")
_BY_ITSELF = re.compile(
    r"\b(?:autocommit|isolation_level)\b\)?\s*(?:=|\(|,)\s*+(?!False\b|0\b)|['\"](?i:commit)\b"
)


def uncommitted(tree: ast.Module) -> int:
    """The line where a program connects to a database that it writes to without a commit; 0 if it
    does not. A connection that something else has may be committed there."""
    connections = (call for call in syntax.calls(tree) if syntax.method_name(call) == "connect")
    made = {id(call): call for call in connections if _connects(syntax.receiver(call))}
    texts = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    writes = any(isinstance(text, str) and _WRITES.match(text) for text in texts)
    if not (made and writes) or _BY_ITSELF.search(ast.unparse(tree)):
        return 0
    names, plain = set[str](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.withitem) and id(node.context_expr) in made:
            plain |= {id(node.context_expr)} if _is_engine(node.context_expr) else set[int]()
        if isinstance(node, ast.Assign) and id(node.value) in made:
            names.update(map(ast.unparse, node.targets))
            plain.add(id(node.value))
    consumers = syntax.consumer_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "commit":
            if ast.unparse(node.value) not in consumers:
                return 0
            continue
        held = isinstance(node, ast.withitem) and ast.unparse(node.context_expr) in names
        given = isinstance(node, ast.Call) and any(
            ast.unparse(argument) in names for argument in node.args
        )
        if held or given or (isinstance(node, ast.Return) and _is_of(node.value, names)):
            return 0
    return next((call.lineno for at, call in made.items() if at in plain), 0)


def _connects(receiver: str) -> bool:
    return receiver in _DRIVERS or receiver.endswith("engine")


def _is_engine(node: ast.expr) -> bool:
    """Whether a connection is SQLAlchemy's, whose end takes back what nothing commits."""
    return isinstance(node, ast.Call) and syntax.receiver(node).endswith("engine")


def _is_of(value: ast.expr | None, names: set[str]) -> bool:
    return value is not None and ast.unparse(value) in names
