"""Databases that a program writes to, whose transaction it never commits.

A driver of Python begins a transaction by itself, and takes it back where nothing commits (PEP 249,
Connection.commit). So does JDBC with setAutoCommit(false) (java.sql.Connection).
"""

from __future__ import annotations

import ast
import re

from advisor.catalog import Component
from advisor.intake.programs.python import words
from advisor.intake.reading import Reading

_UNCOMMITTED = (
    "nothing here commits what is written to this database, so that it is gone when the connection "
    "is closed. Commit it before the offsets, or leave autocommit on"
)
_DRIVERS = frozenset({
    "psycopg2", "psycopg", "pymysql", "MySQLdb", "mysql.connector", "oracledb", "cx_Oracle",
    "pyodbc", "sqlite3", "pg8000",
})  # fmt: skip
_WRITES = re.compile(r"(?i)\s*(?:insert|update|delete|merge|replace|upsert)\s")
_BY_ITSELF = re.compile(
    r"\b(?:autocommit|isolation_level)\b\)?\s*(?:=|\(|,)\s*+(?!False\b|0\b)|['\"](?i:commit)\b"
)
_OFF = re.compile(
    r"\b(?:(?P<name>\w+)\s*\.\s*(?:setAutoCommit\s*\(\s*false\s*\)|autoCommit\s*=\s*false\b"
    r"|getTransaction\s*\(\s*\)\s*\.\s*begin\s*\()|(?i:session)\w*\s*\.\s*beginTransaction\s*\()"
)
_UPDATES = re.compile(
    r"\.\s*(?:executeUpdate|executeLargeUpdate|executeBatch|execute|persist|merge|save\w*)\s*\("
)
_COMMITS = re.compile(r"\bcommit\s*(?:\(\s*\)|$)|::\s*commit\b", re.MULTILINE)


def in_python(tree: ast.Module) -> int:
    """The line where a program connects to a database that it writes to without a commit; 0 if it
    does not. A connection that something else has may be committed there."""
    made = {id(call): call for call in words.calls(tree)
            if words.verb(call) == "connect" and _connects(words.receiver(call))}  # fmt: skip
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
    consumers = words.consumers(tree)
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
    return isinstance(node, ast.Call) and words.receiver(node).endswith("engine")


def _is_of(value: ast.expr | None, names: set[str]) -> bool:
    return value is not None and ast.unparse(value) in names


def in_java(plain: str) -> int:
    """Where a JVM program turns off that a database commits by itself, and never
    commits; -1 if it does not."""
    off = _OFF.search(plain)
    if off is None or not _UPDATES.search(plain) or _COMMITS.search(plain):
        return -1
    name = off["name"] or "session"
    is_given = re.search(rf"[(,]\s*{name}\s*[,)]|\breturn\s+{name}\b", plain)
    return -1 if is_given else off.start()


def refuse_uncommitted(reading: Reading, line: int) -> None:
    """Refuses such a program, if there is a line where it says so."""
    if line:
        reading.wrong(Component.APPLICATION, "processing", line, _UNCOMMITTED)
