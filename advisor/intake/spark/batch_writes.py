"""Whether a Python function of `foreachBatch` or `foreach` writes all of its batch.

A batch is done when its function returns, whether or not the function wrote it
(ForeachBatchSink.scala, MicroBatchExecution.scala). A function that only counts rows, writes a part
of them, or writes some batches loses the rest. A batch that is passed to code outside of the file
is assumed to be written there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.processing.unused_messages import (
    line_of_failed_rows,
    line_of_unused_rows,
)
from advisor.intake.programs.python.records.observations import only_observes

NOTHING = (
    "the records of a batch are not written here, and the query takes the batch as done. Write "
    "them before the function returns, or give the settings as options if nothing is to be stored"
)
PART = (
    "only a part of a batch is written here, and the query takes all of it as done. If the rest is "
    "not needed, state application.processing.errors, and give the settings as options"
)
SOME_BATCHES = (
    "only some batches are written here, and the query takes every batch as done. Write every "
    "batch, or make the batches larger (trigger)"
)
OPEN_RETURNS_FALSE = (
    "open() returns False here: Spark skips the rows, and takes them as done. Raise the error, or "
    "return True"
)
OPEN_SKIPS_KNOWN = (
    "open() decides by the partition or the epoch whether its rows are written, and both may have "
    "other rows when a batch is run again (SPARK-28650): those are skipped. Return True, and make "
    "the writes idempotent"
)
_MAX_DEPTH = 3
LIMITING_CALLS = frozenset({"limit", "sample", "take", "head", "first", "tail", "islice"})
DERIVING_CALLS = frozenset({
    "count", "show", "isEmpty", "printSchema", "explain", "cache", "persist", "unpersist",
    "checkpoint", "localCheckpoint", "describe", "summary", "len", "collect", "toPandas", "select",
    "selectExpr", "filter", "where", "withColumn", "withColumns", "withColumnRenamed", "drop",
    "dropDuplicates", "drop_duplicates", "distinct", "alias", "repartition", "coalesce", "orderBy",
    "sort", "groupBy", "agg", "join", "union", "unionByName", "toDF", "toJSON", "rdd", "na",
    "fillna", "dropna", "fill", "replace", "cast", "col", "lit", "expr", "from_json", "explode",
    "hint", "toLocalIterator", "asDict", "mapInPandas", "transform", "sum", "max", "min", "avg",
    "enumerate", "list", "tuple", "sorted", "isinstance", "str", "type", "items", "values", "keys",
    "dict", "sql_ctx", "withWatermark", "createDataFrame", "decode", "loads", "schema", "getField",
    "get", "int", "float", "split", "strip", "format", "append", "extend", "add", "iterrows",
    "itertuples", "to_dict", "zip", "limit", "sample", "take", "head", "first", "tail", "islice",
    "write", "mode", "option", "options", "partitionBy",
})  # fmt: skip
"""Calls that derive a value from their receiver or an argument, and write nothing."""
DERIVING_FUNCTIONS = frozenset({
    "len", "list", "tuple", "sorted", "enumerate", "isinstance", "str", "type", "dict", "int",
    "float", "zip", "loads", "decode", "from_json", "col", "createDataFrame", "append", "extend",
    "add", "islice", "join", "union", "unionByName", "set", "sum", "max", "min", "any", "all",
})  # fmt: skip
"""Those of them that derive it from an argument."""
_VIEW_CALLS = frozenset({
    "createOrReplaceTempView", "createTempView", "createGlobalTempView", "registerTempTable",
    "createOrReplaceGlobalTempView",
})  # fmt: skip
ROW_COUNTS = frozenset({"count", "isEmpty", "len"})
SCHEMA_ATTRIBUTES = frozenset({"schema", "columns", "dtypes"})
GROUPINGS = frozenset({"groupBy", "groupby", "groupByKey", "cube", "rollup"})
"""After one of these, `count` returns rows and not a number."""
_ROW_FUNCTIONS = ("foreach", "foreachPartition", "map", "flatMap", "mapPartitions")
_DISCARDING_FORMATS = ("console", "noop")
_MERGE_CLAUSES = frozenset({
    "whenMatchedUpdate", "whenMatchedUpdateAll", "whenMatchedDelete", "whenNotMatchedInsert",
    "whenNotMatchedInsertAll",
})  # fmt: skip
"""Methods of Delta's DeltaMergeBuilder, which does nothing before `execute()`."""


@dataclass(slots=True)
class _Writes:
    """The calls of a function that write all of a batch, and those that write a part of it."""

    whole: list[ast.AST] = field(default_factory=list)
    part: list[ast.AST] = field(default_factory=list)


def faults(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yields each line where a function does not write all of its batch, and the reason."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
    for target, bound in _targets(tree, functions):
        if isinstance(target, ast.ClassDef):
            yield from _writer_faults(tree, target, functions)
        else:
            yield from _function_faults(tree, target, bound, functions)


def failed_rows(tree: ast.Module) -> Iterator[int]:
    """Yields the lines where a function of `foreachBatch` goes on without a row that it could not
    process."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
    for target, bound in _targets(tree, functions):
        names = _parameters(target)[bound:] if isinstance(target, Function) else []
        if names and isinstance(target, Function):
            yield from filter(None, [line_of_failed_rows(tree, target, names[0])])


def _targets(
    tree: ast.Module, functions: dict[str, Function]
) -> Iterator[tuple[Function | ast.Lambda | ast.ClassDef, int]]:
    """Yields the functions and the writers of the queries, with the number of parameters that
    `partial` binds."""
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for call in syntax.calls(tree):
        if syntax.method_name(call) not in ("foreachBatch", "foreach") or not call.args:
            continue
        of_stream = "writeStream" in ast.unparse(call.func)
        if syntax.method_name(call) == "foreach" and not of_stream:
            continue
        expression, bound = _query_function(tree, call.args[0])
        class_ = classes.get(_constructed_class(expression))
        if class_ is not None and syntax.method_name(call) == "foreach":
            yield class_, bound
            continue
        name = (
            expression.id if isinstance(expression, ast.Name) else getattr(expression, "attr", "")
        )
        function = expression if isinstance(expression, ast.Lambda) else functions.get(name)
        if class_ is not None:
            methods = (method for method in class_.body if isinstance(method, Function))
            function = next((method for method in methods if method.name == "__call__"), None)
        if function is not None:
            yield function, bound


def _constructed_class(expression: ast.expr) -> str:
    """The class of an object that is constructed in this expression; else empty."""
    is_constructed = isinstance(expression, ast.Call) and isinstance(expression.func, ast.Name)
    return syntax.method_name(expression) if is_constructed else ""


def _query_function(tree: ast.Module, value: ast.expr) -> tuple[ast.expr, int]:
    """The function that is passed to a query, and how many of its parameters `partial` binds."""
    if isinstance(value, ast.Call) and syntax.method_name(value) == "partial" and value.args:
        return value.args[0], len(value.args) - 1
    if isinstance(value, ast.Name):
        assigned = [
            node.value for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and value.id in map(ast.unparse, node.targets)
        ]  # fmt: skip
        if len(assigned) == 1 and isinstance(assigned[0], ast.Call | ast.Lambda):
            return (
                _query_function(tree, assigned[0])
                if isinstance(assigned[0], ast.Call)
                else (assigned[0], 0)
            )
    return value, 0


def _function_faults(
    tree: ast.Module, function: Function | ast.Lambda, bound: int, functions: dict[str, Function]
) -> Iterator[tuple[int, str]]:
    parameters = _parameters(function)[bound:]
    if not parameters:
        return
    walk = _Walk(tree, functions)
    walk.follow(function, {parameters[0]})
    writes, body = walk.writes, function.body if isinstance(function, Function) else []
    if line := _line_of_write_condition(body, writes.whole, set(parameters[1:])):
        yield line, SOME_BATCHES
    elif not writes.whole and not walk.is_buffered:
        line = writes.part[0].lineno if writes.part else function.lineno  # type: ignore[attr-defined]
        yield line, PART if writes.part else NOTHING
    elif isinstance(function, Function) and (
        line := line_of_unused_rows(tree, function, parameters[0])
    ):
        yield line, PART


def _parameters(function: Function | ast.Lambda) -> list[str]:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _writer_faults(
    tree: ast.Module, class_: ast.ClassDef, functions: dict[str, Function]
) -> Iterator[tuple[int, str]]:
    """The faults of a writer: an object with the methods `open`, `process` and `close`."""
    methods = {method.name: method for method in class_.body if isinstance(method, Function)}
    if open_method := methods.get("open"):
        returns = [node for node in ast.walk(open_method) if isinstance(node, ast.Return)]
        handlers = [node for node in ast.walk(open_method) if isinstance(node, ast.ExceptHandler)]
        in_handlers = {id(inner) for handler in handlers for inner in ast.walk(handler)}
        false_returns = [node for node in returns if _is_false(node.value)]
        after_error = [node for node in false_returns if id(node) in in_handlers]
        raises = any(isinstance(node, ast.Raise) for node in open_method.body)
        if (after_error or len(false_returns) == len(returns)) and not raises:
            causes = (after_error or false_returns)[:1]
            yield causes[0].lineno if causes else open_method.lineno, OPEN_RETURNS_FALSE
        numbers = set(_parameters(open_method))
        yield from (
            (node.lineno, OPEN_SKIPS_KNOWN)
            for node in returns
            if node.value and syntax.names_in(node.value) & numbers
        )
    if process_method := methods.get("process"):
        yield from _function_faults(tree, process_method, 0, functions)


def _is_false(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and not value.value)


class _Walk:
    """Follows a batch, or a row, through a function to the calls that write it."""

    def __init__(self, tree: ast.Module, functions: dict[str, Function]) -> None:
        self.writes = _Writes()
        self.is_buffered = False
        """Whether the batch is stored in an attribute of `self`, to be written elsewhere."""
        self._functions = functions
        verbs = {syntax.method_name(call) for call in syntax.calls(tree)}
        self._only_merges = bool(verbs & _MERGE_CLAUSES) and "execute" not in verbs
        self._has_sql = any(
            syntax.method_name(call) in ("sql", "table") for call in syntax.calls(tree)
        )

    def follow(
        self, function: Function | ast.Lambda, whole: set[str], part: set[str] | None = None,
        depth: int = 0,
    ) -> None:  # fmt: skip
        """Follows a function, some of whose names hold all of a batch (`whole`), others a part."""
        levels = dict.fromkeys(part or (), 1) | dict.fromkeys(whole, 2)
        body = [function.body] if isinstance(function, ast.Lambda) else function.body
        for _ in range(2):  # a statement above may read what a loop stores
            for node in body:
                self._add_names(node, levels)
        for node in body:
            for call in syntax.calls(node):
                self._follow_call(call, levels, depth)

    def _add_names(self, body: ast.AST, levels: dict[str, int]) -> None:
        """Adds the names that are bound to a batch, or to a value that is derived from it."""
        for node in ast.walk(body):
            pairs: list[tuple[ast.expr, ast.expr]] = []
            if isinstance(node, ast.Assign):
                pairs = [(target, node.value) for target in node.targets]
            elif isinstance(node, ast.AnnAssign | ast.NamedExpr | ast.AugAssign) and node.value:
                pairs = [(node.target, node.value)]
            elif isinstance(node, ast.For | ast.comprehension):
                pairs = [(node.target, node.iter)]
            elif isinstance(node, ast.withitem) and node.optional_vars:
                pairs = [(node.optional_vars, node.context_expr)]
            elif isinstance(node, ast.Call) and syntax.only_stores(node):
                pairs = [(node.func.value, argument) for argument in node.args
                         if isinstance(node.func, ast.Attribute)]  # fmt: skip
            for target, value in pairs:
                level = self._level(value, levels)
                self.is_buffered |= level == 2 and ast.unparse(target).startswith("self.")
                for name in syntax.names_in(target) if level else ():
                    levels[name] = max(level, levels.get(name, 0))

    def _level(self, node: ast.AST | None, levels: dict[str, int]) -> int:
        """2 for all of a batch, 1 for a part of it, 0 for a value without any of its rows."""
        if isinstance(node, ast.Name):
            return levels.get(node.id, 0)
        if _is_number(node):
            return 0
        if isinstance(node, ast.Subscript):
            value_level = self._level(node.value, levels)
            return min(value_level, 1) if _is_part(node.slice) else value_level
        level = max(
            (self._level(child, levels) for child in ast.iter_child_nodes(node or ast.Pass())),
            default=0,
        )
        return min(level, 1) if syntax.method_name(node or ast.Pass()) in LIMITING_CALLS else level

    def _follow_call(self, call: ast.Call, levels: dict[str, int], depth: int) -> None:
        verb, arguments = (
            syntax.method_name(call),
            [*call.args, *(word.value for word in call.keywords)],
        )
        receiver = call.func.value if isinstance(call.func, ast.Attribute) else None
        level = max(self._level(argument, levels) for argument in [receiver, *arguments])
        receiver_level = self._level(receiver, levels)
        if (
            not level
            or syntax.is_log(call)
            or only_observes(call)
            or _writes_to_discarding_sink(call)
        ):
            return
        merges = self._only_merges and (verb == "merge" or verb in _MERGE_CLAUSES)
        if merges or verb in (DERIVING_CALLS if receiver_level else DERIVING_FUNCTIONS):
            return
        if verb in _VIEW_CALLS and not self._has_sql:
            return
        if verb in _ROW_FUNCTIONS and len(call.args) == 1 and receiver_level:
            self._follow_rows(call, call.args[0], level, depth)
            return
        function = self._functions.get(verb)
        if function is None or depth >= _MAX_DEPTH:
            self._add_write(call, level)
            return
        pairs = [*zip(_parameters(function), call.args, strict=False)]
        pairs += [(word.arg, word.value) for word in call.keywords if word.arg]
        parameter_levels = {name: self._level(value, levels) for name, value in pairs}
        if max(parameter_levels.values(), default=0) < level:
            self._add_write(call, level)
            return
        whole = {name for name, parameter_level in parameter_levels.items() if parameter_level == 2}
        part = {name for name, parameter_level in parameter_levels.items() if parameter_level == 1}
        before = len(self.writes.whole), len(self.writes.part)
        self.follow(function, whole, part, depth + 1)
        self.writes.whole[before[0] :] = [call] * (len(self.writes.whole) > before[0])
        self.writes.part[before[1] :] = [call] * (len(self.writes.part) > before[1])

    def _follow_rows(self, call: ast.Call, function: ast.expr, level: int, depth: int) -> None:
        """Follows the function of `foreach(function)`, which is called with each row."""
        if isinstance(function, ast.Name) and function.id == "print":
            return
        named_function = self._functions.get(getattr(function, "id", getattr(function, "attr", "")))
        inner = function if isinstance(function, ast.Lambda) else named_function
        parameters = _parameters(inner) if inner else []
        if inner is None or not parameters or depth >= _MAX_DEPTH:
            self._add_write(call, level)
            return
        before = len(self.writes.whole)
        self.follow(inner, {parameters[-1]}, None, depth + 1)
        wrote = len(self.writes.whole) > before
        self.writes.whole[before:] = []
        if wrote:
            self._add_write(call, level)

    def _add_write(self, call: ast.Call, level: int) -> None:
        (self.writes.whole if level == 2 else self.writes.part).append(call)


def _is_number(node: ast.AST | None) -> bool:
    """Whether an expression is the number of rows or their schema, and holds none of them."""
    if isinstance(node, ast.Attribute):
        return node.attr in SCHEMA_ATTRIBUTES
    if not isinstance(node, ast.Call) or syntax.method_name(node) not in ROW_COUNTS:
        return False
    return not any(syntax.method_name(inner) in GROUPINGS for inner in syntax.calls(node.func))


def _writes_to_discarding_sink(call: ast.Call) -> bool:
    """Whether a call writes to a sink that stores nothing."""
    return any(
        syntax.method_name(inner) == "format"
        and any(
            isinstance(argument, ast.Constant) and argument.value in _DISCARDING_FORMATS
            for argument in inner.args[:1]
        )
        for inner in syntax.calls(call.func)
    )


def _line_of_write_condition(
    body: Iterable[ast.stmt], writes: list[ast.AST], batch: set[str]
) -> int:
    """The line of a condition under which only some batches are written; 0 if there is none."""
    write_ids = {id(call) for call in writes}
    conditions = [
        node for statement in body for node in ast.walk(statement) if isinstance(node, ast.If)
    ]
    local_names = {node.id for statement in body for node in ast.walk(statement)
           if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}  # fmt: skip
    for node in conditions:
        if not write_ids or not (
            _holds_for_some_batches(node.test, batch) or _depends_on_size(node.test, local_names)
        ):
            continue
        first, second = (
            {id(inner) for statement in side for inner in ast.walk(statement)} & write_ids
            for side in (node.body, node.orelse)
        )
        outside = write_ids - first - second
        returns_early = any(
            isinstance(side[-1], ast.Return) and not inside
            for side, inside in ((node.body, first), (node.orelse, second)) if side
        )  # fmt: skip
        if (not outside and bool(first) != bool(second)) or (outside and returns_early):
            return node.lineno
    return 0


def _depends_on_size(test: ast.expr, local_names: set[str]) -> bool:
    """Whether a condition depends on the size of a batch, or of a list of several batches, and on
    more than whether it is empty."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and syntax.method_name(node.left) == "count":
            limits = [value.value for value in node.comparators if isinstance(value, ast.Constant)]
            return any(isinstance(limit, int) and limit > 1 for limit in limits)
        if isinstance(node, ast.Compare) and syntax.method_name(node.left) == "len":
            names = {argument.id for call in syntax.calls(node.left) for argument in call.args
                     if isinstance(argument, ast.Name)}  # fmt: skip
            limits = [ast.unparse(value) for value in node.comparators]
            return bool(names) and names.isdisjoint(local_names) and limits != ["0"]
    return False


def _holds_for_some_batches(test: ast.expr, batch: set[str]) -> bool:
    """Whether a condition holds for some batches only, by their number or at random."""
    for node in ast.walk(test):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return not isinstance(node.left, ast.Constant)
        if syntax.method_name(node) in ("random", "randint", "uniform", "randrange"):
            return True
        if isinstance(node, ast.Compare) and syntax.names_in(node.left) & batch:
            return all(isinstance(operand, ast.Constant) for operand in node.comparators)
    return False


def _is_part(index: ast.expr) -> bool:
    """Whether an index selects one element, the elements before an index, or every second one."""
    if isinstance(index, ast.Slice):
        step = index.step and ast.unparse(index.step) not in ("1", "-1")
        from_start = index.lower is None or isinstance(index.lower, ast.Constant)
        return bool(step) or (from_start and not (index.lower is None and index.upper is None))
    value = index.operand if isinstance(index, ast.UnaryOp) else index
    return isinstance(value, ast.Constant) and isinstance(value.value, int)
