"""Rows that a function of a Spark query buffers, and writes only together with later ones.

Rows that are left when the function ends, or when close() of a writer ends, are gone: the query
takes them as done (ForeachBatchSink.scala, ForeachWriter.scala).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.intake.programs.jvm.text import Block, Text
from advisor.intake.programs.python import syntax

LEFT_AT_CLOSE = (
    "rows are buffered here and written with later ones, and close() does nothing with those that "
    "are left: the query takes them as done. Write what is left in close()"
)
LEFT_AT_END = (
    "rows are written here in groups, and those that are left after the last full group are not "
    "written: the query takes them as done. Write what is left after the loop"
)
_ADDING_CALLS = frozenset({"append", "extend", "add"})
_BUFFERED_ROW = r"\b(\w+)\s*(?:\.\s*(?:add|append|addOne|offer)\s*\(|\+=)[^;{{}}\n]*\b(?:{0})\b"
_ADDED = re.compile(r"\b(?P<name>\w+)\s*(?:\.\s*(?:add|append|addOne)\s*\(|\+=\s*(?!\d))")
_FULL = r"\bif\s*\(\s*{0}\s*\.\s*(?:size|length)\b[^|{{}}]*?[=>]=?\s*\w+[^|{{}}]*?\)\s*\{{?"
_MAX_MATCHES = 20


def left_rows(tree: ast.Module) -> Iterator[int]:
    """Yields the lines where a ForeachWriter buffers a row in a field that close() does not use."""
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)):
        methods = {inner.name: inner for inner in node.body if isinstance(inner, ast.FunctionDef)}
        if not ("open" in methods and "process" in methods):
            continue
        ending = [method for name, method in methods.items() if _runs_at_close(methods, name)]
        closing = {inner.attr for method in ending for inner in ast.walk(method)
                   if isinstance(inner, ast.Attribute)}  # fmt: skip
        for call in syntax.calls(methods["process"]):
            is_added = syntax.method_name(call) in _ADDING_CALLS
            if is_added and syntax.receiver(call).startswith("self."):
                field = syntax.receiver(call).removeprefix("self.")
                yield from () if field in closing else (call.lineno,)


def _runs_at_close(methods: dict[str, ast.FunctionDef], name: str) -> bool:
    """Whether a method is close(), or close() calls it."""
    called = syntax.calls(methods["close"]) if "close" in methods else ()
    return name == "close" or any(syntax.method_name(call) == name for call in called)


def last_groups(functions: Iterable[ast.AST]) -> Iterator[int]:
    """Yields the lines where rows are written in full groups only: nothing after the loop uses the
    buffer."""
    for function in functions:
        loops = (node for node in ast.walk(function) if isinstance(node, ast.For))
        groups = ((loop, names) for loop in loops if (names := _full_groups(loop)))
        first_groups = [*islice(groups, _MAX_MATCHES)]
        uses = [
            node for node in (ast.walk(function) if first_groups else ())
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ]  # fmt: skip
        for loop, names in first_groups:
            inside = {id(node) for statement in loop.body for node in ast.walk(statement)}
            used = {
                node.id for node in uses if id(node) not in inside and node.lineno > loop.lineno
            }
            yield from (line for name, line in names.items() if name not in used)


def _full_groups(loop: ast.For) -> dict[str, int]:
    """The buffers that a loop fills and writes when they are full, each with a line where it is
    filled."""
    body = [node for statement in loop.body for node in ast.walk(statement)]
    added = {
        syntax.receiver(call): call.lineno
        for call in body
        if isinstance(call, ast.Call) and syntax.method_name(call) in _ADDING_CALLS
    }
    conditions = [node for node in body if isinstance(node, ast.If)] if added else []
    return {
        name: line for name, line in islice(added.items(), _MAX_MATCHES)
        if any(_writes_full_group(node, name) for node in conditions)
    }  # fmt: skip


def _writes_full_group(node: ast.If, name: str) -> bool:
    """Whether a condition compares the number of buffered rows only, and passes the buffer on."""
    test = node.test
    is_size = isinstance(test, ast.Compare) and ast.unparse(test.left) == f"len({name})"
    passed = (
        argument for statement in node.body for call in syntax.calls(statement)
        if syntax.method_name(call) not in _ADDING_CALLS
        for argument in (*call.args, *(word.value for word in call.keywords))
    )  # fmt: skip
    return is_size and any(name in syntax.names_in(argument) for argument in passed)


def left_rows_jvm(text: Text) -> Iterator[int]:
    """Yields the offsets where a ForeachWriter buffers a row in a field that close() does not
    use."""
    if not re.search(r"\bForeachWriter\b", text.plain):
        return
    closing_source = "".join(text.plain[slice(*inner)] for body in text.bodies("close")
                      for inner in text.reached(body))  # fmt: skip
    for body in text.bodies("process")[:_MAX_MATCHES]:
        names = "|".join(text.parameters(body)) or "(?!)"
        for match in re.compile(_BUFFERED_ROW.format(names)).finditer(text.plain, *body):
            if not re.search(rf"\b{match[1]}\b", closing_source):
                yield match.start()


def last_groups_jvm(text: Text, bodies: Iterable[Block]) -> Iterator[int]:
    """Yields the offsets where rows are written in full groups only: nothing after the loop uses
    the buffer."""
    for body in bodies:
        for match in islice(_ADDED.finditer(text.plain, *body), _MAX_MATCHES):
            start, end = text.block(match.start())
            if not body[0] < start < end <= body[1]:
                continue
            name = match["name"]
            full = re.compile(_FULL.format(name)).search(text.plain, start, end)
            if not full or not re.compile(rf"[(,]\s*{name}\b").search(text.plain, full.end(), end):
                continue
            if not re.compile(rf"\b{name}\b").search(text.plain, end, body[1]):
                yield match.start()
