"""Python functions of `foreachBatch` that overwrite what they wrote of the batches before.

A batch that is run again has the same number, so that its own place may be overwritten. Any other
place holds batches that were done (ForeachBatchSink.scala). Sources: DataFrameWriter (`mode`,
`insertInto`) and DataFrameWriterV2 (`createOrReplace`, `overwritePartitions`) of PySpark;
INSERT OVERWRITE and CREATE OR REPLACE TABLE of Spark SQL; `to_sql` and `to_csv` of pandas; Delta
Lake, Table batch reads and writes (replaceWhere).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from itertools import islice

from advisor.intake.programs.python import syntax

OVERWRITTEN = (
    "each batch overwrites here what the batches before it wrote (SaveMode.Overwrite), or is "
    "skipped because they wrote (SaveMode.Ignore). Append, or write each batch to its own place, "
    "with its id in the path or by replaceWhere"
)
COMPLETE_RESULT = re.compile(r"outputMode\s*\(\s*(?:[\"']complete[\"']|OutputMode\s*\.\s*Complete)")
"""A query whose every batch has all rows."""
PARTITION_MODE = "partitionOverwriteMode"
"""The setting with which a write replaces only the partitions that it has rows of."""
REPLACING_SQL = re.compile(
    r"(?i)\binsert\s+overwrite\b(?![\s\S]{0,300}\bpartition\b)"
    r"|\b(?:create\s+or\s+)?replace\s+table\b"
)
REPLACING_CALLS = ("createOrReplace", "replace", "overwritePartitions")
"""Methods of DataFrameWriterV2."""
OTHER_STATEMENT = re.compile(
    r"(?i)^\W*(?:create|use|set|drop|alter|refresh|select|show|optimize)\b"
)
"""A statement of SQL that stores no rows of a batch."""
_READS_OTHER_ROWS = frozenset({"merge", "union", "unionAll", "unionByName"})
_FILE_CALLS = frozenset({
    "to_csv", "to_json", "to_parquet", "to_excel", "to_pickle", "to_feather", "to_orc", "to_html",
    "to_xml", "to_stata",
})  # fmt: skip
"""Methods of pandas that write a file anew."""
_PATH_CALLS = frozenset({"write_text", "write_bytes"})
_PLACING_CALLS = ("to_sql", "sql", "open", "Path", "put_object")
_COUNTS = frozenset({"count", "len", "isEmpty", "is_empty"})
_OWN_PLACE = frozenset({"uuid1", "uuid4", "time", "time_ns", "now", "utcnow", "token_hex"})
_DAY = frozenset({"strftime", "date", "isoformat", "format"})
_MAX_CALLS = 20
_Function = ast.FunctionDef | ast.Lambda


def overwriting_lines(functions: list[ast.AST], code: str) -> Iterator[int]:
    """Yields the lines where a batch overwrites what other batches wrote. `functions` are those
    that are called with batches, and those that they call."""
    if COMPLETE_RESULT.search(code):
        return
    stays = any(_adds_other_rows(call) for node in functions for call in syntax.calls(node))
    for function in functions:
        if isinstance(function, _Function) and (names := _parameters(function)):
            rows = _rows_of(function, names[0])
            replacing = (
                call for call in syntax.calls(function)
                if _replaces(call, others_stay=stays) or _writes_file(function, call, rows)
            )  # fmt: skip
            if calls := [*islice(replacing, _MAX_CALLS)]:
                places = _Places(function, set(names[1:]), by_partition=PARTITION_MODE in code)
                yield from (call.lineno for call in calls if not places.are_own(call))


def _parameters(function: _Function) -> list[str]:
    names = [argument.arg for argument in function.args.args]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _adds_other_rows(call: ast.Call) -> bool:
    """Whether a call may read or keep the rows of other batches: a union with them, or a statement
    that merges a table with another one."""
    name = syntax.method_name(call)
    if name == "sql" or name.startswith("execute"):
        text = call.args[0] if call.args else None
        return not (isinstance(text, ast.Constant) and OTHER_STATEMENT.match(str(text.value)))
    return name in _READS_OTHER_ROWS


def _replaces(call: ast.Call, *, others_stay: bool) -> bool:
    """Whether a call replaces the rows of a table, a folder or a file."""
    name = syntax.method_name(call)
    if name == "sql":
        return bool(REPLACING_SQL.search(ast.unparse(call)))
    if others_stay:
        return False
    by_name = {word.arg: word.value for word in call.keywords}
    if name in REPLACING_CALLS:
        return "writeTo(" in syntax.receiver(call)
    if name == "insertInto":
        return _constant(by_name.get("overwrite") or next(iter(call.args[1:]), None)) is True
    if name == "to_sql":
        return _constant(by_name.get("if_exists")) == "replace"
    if name in _FILE_CALLS and "partition_cols" not in by_name:  # they add files to folders
        return _is_text(next(iter(call.args), None) or by_name.get("path_or_buf")) and not str(
            _constant(by_name.get("mode"))
        ).startswith("a")
    modes = [*(call.args if name == "mode" else ()), by_name.get("mode")]
    modes += call.args if "mode" in by_name else ()
    return any(_constant(mode) in ("overwrite", "ignore") for mode in modes)


def _writes_file(function: _Function, call: ast.Call, rows: set[str]) -> bool:
    """Whether a call writes rows to a file that it creates anew (`open` of Python, `Path`)."""
    name = syntax.method_name(call)
    if name in _PATH_CALLS:
        created = call.func.value if isinstance(call.func, ast.Attribute) else call
        return _is_text(next(iter(getattr(created, "args", ())), None)) and _has_rows(call, rows)
    by_name = {word.arg: word.value for word in call.keywords}
    if name == "put_object":
        return _is_text(by_name.get("Key")) and _has_rows(call, rows)
    mode = by_name.get("mode") or next(iter(call.args[1:]), None)
    is_new = name == "open" and str(_constant(mode)).startswith("w")
    if not is_new or not _is_text(next(iter(call.args), None)):
        return False
    files = {name for node in ast.walk(function) for target, value in _bound(node)
             if value is call for name in syntax.names_in(target)}  # fmt: skip
    return any(
        files & syntax.names_in(other) and _has_rows(other, rows - files)
        for other in syntax.calls(function) if other is not call
    )  # fmt: skip


def _has_rows(call: ast.Call, rows: set[str]) -> bool:
    """Whether an argument of a call has rows in it, and not only their number."""
    values = [*call.args, *(word.value for word in call.keywords)]
    return any(
        syntax.names_in(value) & rows
        and not any(syntax.method_name(inner) in _COUNTS for inner in syntax.calls(value))
        for value in values
    )


def _rows_of(function: _Function, batch: str) -> set[str]:
    """The names of a batch and of what is derived from it."""
    names = {batch}
    for _ in range(3):
        for node in ast.walk(function):
            for target, value in _bound(node):
                is_count = any(syntax.method_name(call) in _COUNTS for call in syntax.calls(value))
                if syntax.names_in(value) & names and not is_count:
                    names |= syntax.names_in(target)
    return names


def _bound(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yields each name that a statement binds, with its value or what it iterates over."""
    yield from _assigned(node)
    if isinstance(node, ast.For | ast.comprehension):
        yield node.target, node.iter
    elif isinstance(node, ast.withitem) and node.optional_vars:
        yield node.optional_vars, node.context_expr


def _constant(node: ast.AST | None) -> object:
    return node.value if isinstance(node, ast.Constant) else None


def _is_text(node: ast.AST | None) -> bool:
    """Whether an argument is a text that the code writes out, and no open file."""
    is_literal = isinstance(node, ast.Constant) and isinstance(node.value, str)
    return is_literal or isinstance(node, ast.JoinedStr | ast.BinOp)


class _Places:
    """The names in a function that differ for each batch."""

    def __init__(self, function: _Function, ids: set[str], *, by_partition: bool) -> None:
        self._by_partition = by_partition
        self._named_statements = [(node, syntax.names_in(node)) for node in _statements(function)]
        self._by_node = {
            id(node): statement
            for statement, _ in self._named_statements for node in ast.walk(statement)
        }  # fmt: skip
        self._names = ids
        for _ in range(3):  # a name may be derived from one that a later statement sets
            for node in ast.walk(function):
                for target, value in _assigned(node):
                    if syntax.names_in(value) & self._names or _is_new(value):
                        self._names = self._names | syntax.names_in(target)
        tests = [
            node for node in ast.walk(function)
            if isinstance(node, ast.If | ast.IfExp) and syntax.names_in(node.test) & self._names
        ]  # fmt: skip
        self._conditional = {id(inner) for test in tests for inner in ast.walk(test)}

    def are_own(self, call: ast.Call) -> bool:
        """Whether the batch is written to a place of its own, or only by some batches."""
        if id(call) in self._conditional:
            return True
        statement = self._by_node.get(id(call), call)
        names = self._place_names(statement, "")
        if isinstance(statement, ast.Assign):  # a writer that a later statement uses
            writers = {name for target in statement.targets for name in syntax.names_in(target)}
            for other, other_names in self._named_statements:
                for writer in writers & other_names:
                    names |= self._place_names(other, writer)
        return bool(names & self._names) or any(map(_is_new, syntax.calls(statement)))

    def _place_names(self, statement: ast.AST, writer: str) -> set[str]:
        """The names that decide where a statement writes: those in the arguments of a writer's
        methods, and with `partitionOverwriteMode` those of its rows, too."""
        if self._by_partition:
            return syntax.names_in(statement)
        calls = [
            call for call in syntax.calls(statement)
            if re.search(r"\.write(?:To)?\b", ast.unparse(call.func))
            or (writer and syntax.receiver(call).startswith(writer))
            or syntax.method_name(call) in (*_FILE_CALLS, *_PLACING_CALLS)
        ]  # fmt: skip
        values = [value for call in calls for value in _values(call)]
        return set().union(*map(syntax.names_in, values))


def _values(call: ast.Call) -> Iterable[ast.expr]:
    return [*call.args, *(word.value for word in call.keywords)]


def _statements(function: _Function) -> Iterator[ast.AST]:
    """The statements that have no block of other statements."""
    if isinstance(function, ast.Lambda):
        yield function.body
        return
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and not hasattr(node, "body"):
            yield node


def _assigned(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yields each target of an assignment with its value."""
    if isinstance(node, ast.Assign):
        yield from ((target, node.value) for target in node.targets)
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr) and node.value:
        yield node.target, node.value


def _is_new(value: ast.AST) -> bool:
    """Whether a value is new for each batch: a random name, or a time that is not only a day."""
    names = {syntax.method_name(call) for call in syntax.calls(value)}
    return bool(names & _OWN_PLACE) and names.isdisjoint(_DAY)
