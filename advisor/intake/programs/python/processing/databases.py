"""Databases to which a Python program writes without a commit (see `programs.databases`)."""

from __future__ import annotations

import ast
import re

from advisor.intake.programs.python import syntax

_DRIVERS = frozenset({
    "psycopg2", "psycopg", "pymysql", "MySQLdb", "mysql.connector", "oracledb", "cx_Oracle",
    "pyodbc", "sqlite3", "pg8000",
})  # fmt: skip
_WRITE_STATEMENT = re.compile(r"(?i)\s*(?:insert|update|delete|merge|replace|upsert)\s")
_AUTOCOMMIT = re.compile(
    r"\b(?:autocommit|isolation_level)\b\)?\s*(?:=|\(|,)\s*+(?!False\b|0\b)|['\"](?i:commit)\b"
)


def uncommitted(tree: ast.Module) -> int:
    """Returns the line where a program connects to a database that it writes to without a commit; 0
    if there is none. A connection that other code gets may be committed there."""
    connect_calls = (call for call in syntax.calls(tree) if syntax.method_name(call) == "connect")
    connections_by_id = {
        id(call): call for call in connect_calls if _opens_connection(syntax.receiver(call))
    }
    constants = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant))
    has_writes = any(isinstance(text, str) and _WRITE_STATEMENT.match(text) for text in constants)
    if not (connections_by_id and has_writes) or _AUTOCOMMIT.search(ast.unparse(tree)):
        return 0
    names, local_ids = set[str](), set[int]()
    for node in ast.walk(tree):
        if isinstance(node, ast.withitem) and id(node.context_expr) in connections_by_id:
            local_ids |= {id(node.context_expr)} if _is_engine(node.context_expr) else set[int]()
        if isinstance(node, ast.Assign) and id(node.value) in connections_by_id:
            names.update(map(ast.unparse, node.targets))
            local_ids.add(id(node.value))
    consumers = syntax.consumer_names(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr == "commit":
            if ast.unparse(node.value) not in consumers:
                return 0
            continue
        is_managed = isinstance(node, ast.withitem) and ast.unparse(node.context_expr) in names
        is_passed = isinstance(node, ast.Call) and any(
            ast.unparse(argument) in names for argument in node.args
        )
        if (
            is_managed
            or is_passed
            or (isinstance(node, ast.Return) and _is_one_of(node.value, names))
        ):
            return 0
    return next((call.lineno for id_, call in connections_by_id.items() if id_ in local_ids), 0)


def _opens_connection(receiver: str) -> bool:
    """Whether `connect` of this receiver opens a connection."""
    return receiver in _DRIVERS or receiver.endswith("engine")


def _is_engine(node: ast.expr) -> bool:
    """Whether a connection belongs to an SQLAlchemy engine. Its end rolls back what nothing
    commits."""
    return isinstance(node, ast.Call) and syntax.receiver(node).endswith("engine")


def _is_one_of(value: ast.expr | None, names: set[str]) -> bool:
    return value is not None and ast.unparse(value) in names
