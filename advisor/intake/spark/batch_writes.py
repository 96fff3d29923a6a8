"""What a Python function of `foreachBatch` or `foreach` writes of what it is given.

A batch whose function returns is done, whatever the function made of it (ForeachBatchSink.scala,
MicroBatchExecution.scala). A function that only counts, that writes a part, or writes now and
then, leaves the rest behind. What is handed to code of elsewhere is taken to be written there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from advisor.intake.programs.python import words
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.processing.parts_of_polls import is_part
from advisor.intake.programs.python.records.observations import observes

NOTHING = (
    "what a batch brought is written nowhere here, and the query takes it as done. Write it before "
    "the function returns, or give the settings as options if nothing is to be kept"
)
PART = (
    "only a part of a batch is written here, and the query takes all of it as done. State "
    "application.processing.errors, and give the settings as options, if the rest is of no use"
)
NOW_AND_THEN = (
    "only some batches are written here, and the query takes each of them as done. Write every "
    "batch, or let the query have larger ones (trigger)"
)
CLOSED = (
    "open() says here that rows are not processed: Spark passes over them, and takes them as done. "
    "Raise the error, or return True"
)
_DEEPEST = 3
PARTS = frozenset({"limit", "sample", "take", "head", "first", "tail", "islice"})
KEEPS_ALL = frozenset({
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
"""Calls that make a value of what they are called of, or are given, and write nothing."""
MAKES = frozenset({
    "len", "list", "tuple", "sorted", "enumerate", "isinstance", "str", "type", "dict", "int",
    "float", "zip", "loads", "decode", "from_json", "col", "createDataFrame", "append", "extend",
    "add", "islice", "join", "union", "unionByName", "set", "sum", "max", "min", "any", "all",
})  # fmt: skip
"""Those of them that are given it."""
_VIEWS = frozenset({
    "createOrReplaceTempView", "createTempView", "createGlobalTempView", "registerTempTable",
    "createOrReplaceGlobalTempView",
})  # fmt: skip
NUMBERS = frozenset({"count", "isEmpty", "len"})
KINDS = frozenset({"schema", "columns", "dtypes"})
GROUPS = frozenset({"groupBy", "groupby", "groupByKey", "cube", "rollup"})
"""After these, `count` makes rows."""
_FUNCTIONS = ("foreach", "foreachPartition", "map", "flatMap", "mapPartitions")
_NOWHERE = ("console", "noop")
_MATCHES = frozenset({
    "whenMatchedUpdate", "whenMatchedUpdateAll", "whenMatchedDelete", "whenNotMatchedInsert",
    "whenNotMatchedInsertAll",
})  # fmt: skip
"""Of Delta's DeltaMergeBuilder, which does nothing before `execute()`."""


@dataclass(slots=True)
class _Found:
    """What a function writes: the calls that are given all of a batch, or a part of it."""

    whole: list[ast.AST] = field(default_factory=list)
    part: list[ast.AST] = field(default_factory=list)


def faults(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Where a function leaves some of what it is given, and why."""
    functions = {node.name: node for node in ast.walk(tree) if isinstance(node, Function)}
    classes = {node.name: node for node in ast.walk(tree) if isinstance(node, ast.ClassDef)}
    for call in words.calls(tree):
        if words.verb(call) not in ("foreachBatch", "foreach") or not call.args:
            continue
        of_stream = "writeStream" in ast.unparse(call.func)
        if words.verb(call) == "foreach" and not of_stream:
            continue
        given, skipped = _given(tree, call.args[0])
        own = classes.get(_made(given))
        if own is not None and words.verb(call) == "foreach":
            yield from _of_object(tree, own, functions)
            continue
        name = given.id if isinstance(given, ast.Name) else getattr(given, "attr", "")
        function = given if isinstance(given, ast.Lambda) else functions.get(name)
        if own is not None:
            methods = (method for method in own.body if isinstance(method, Function))
            function = next((method for method in methods if method.name == "__call__"), None)
        if function is not None:
            yield from _of_function(tree, function, skipped, functions)


def _made(given: ast.expr) -> str:
    """The class that an object is made of at once; empty for anything else."""
    is_made = isinstance(given, ast.Call) and isinstance(given.func, ast.Name)
    return words.verb(given) if is_made else ""


def _given(tree: ast.Module, value: ast.expr) -> tuple[ast.expr, int]:
    """The function that a query is given, and how many of its parameters are bound before."""
    if isinstance(value, ast.Call) and words.verb(value) == "partial" and value.args:
        return value.args[0], len(value.args) - 1
    if isinstance(value, ast.Name):
        made = [
            node.value for node in ast.walk(tree)
            if isinstance(node, ast.Assign) and value.id in map(ast.unparse, node.targets)
        ]  # fmt: skip
        if len(made) == 1 and isinstance(made[0], ast.Call | ast.Lambda):
            return _given(tree, made[0]) if isinstance(made[0], ast.Call) else (made[0], 0)
    return value, 0


def _of_function(
    tree: ast.Module, function: Function | ast.Lambda, skipped: int, functions: dict[str, Function]
) -> Iterator[tuple[int, str]]:
    own = _own_parameters(function)[skipped:]
    if not own:
        return
    walk = _Walk(tree, functions)
    walk.follow(function, {own[0]})
    found, body = walk.found, function.body if isinstance(function, Function) else []
    if gate := _gate(body, found.whole, set(own[1:])):
        yield gate, NOW_AND_THEN
    elif not found.whole and not walk.is_kept:
        line = found.part[0].lineno if found.part else function.lineno  # type: ignore[attr-defined]
        yield line, PART if found.part else NOTHING


def _own_parameters(function: Function | ast.Lambda) -> list[str]:
    names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def _of_object(
    tree: ast.Module, own: ast.ClassDef, functions: dict[str, Function]
) -> Iterator[tuple[int, str]]:
    """Of an object with `open`, `process` and `close`."""
    methods = {method.name: method for method in own.body if isinstance(method, Function)}
    if opens := methods.get("open"):
        returns = [node for node in ast.walk(opens) if isinstance(node, ast.Return)]
        handlers = [node for node in ast.walk(opens) if isinstance(node, ast.ExceptHandler)]
        caught = {id(inner) for handler in handlers for inner in ast.walk(handler)}
        nothing = [node for node in returns if _is_false(node.value)]
        after_error = [node for node in nothing if id(node) in caught]
        raises = any(isinstance(node, ast.Raise) for node in opens.body)
        if (after_error or len(nothing) == len(returns)) and not raises:
            causes = (after_error or nothing)[:1]
            yield causes[0].lineno if causes else opens.lineno, CLOSED
    if process := methods.get("process"):
        yield from _of_function(tree, process, 0, functions)


def _is_false(value: ast.expr | None) -> bool:
    return value is None or (isinstance(value, ast.Constant) and not value.value)


class _Walk:
    """Follows what a function is given to the calls that write it."""

    def __init__(self, tree: ast.Module, functions: dict[str, Function]) -> None:
        self.found = _Found()
        self.is_kept = False
        """Whether an object keeps it, to write it elsewhere."""
        self._functions = functions
        verbs = {words.verb(call) for call in words.calls(tree)}
        self._only_merges = bool(verbs & _MATCHES) and "execute" not in verbs
        self._has_sql = any(words.verb(call) in ("sql", "table") for call in words.calls(tree))

    def follow(
        self, function: Function | ast.Lambda, whole: set[str], part: set[str] | None = None,
        depth: int = 0,
    ) -> None:  # fmt: skip
        """Follows a function that is given all of a batch by some names, and a part by others."""
        levels = dict.fromkeys(part or (), 1) | dict.fromkeys(whole, 2)
        body = [function.body] if isinstance(function, ast.Lambda) else function.body
        for _ in range(2):  # what a loop puts by is read above it
            for node in body:
                self._names(node, levels)
        for node in body:
            for call in words.calls(node):
                self._call(call, levels, depth)

    def _names(self, body: ast.AST, levels: dict[str, int]) -> None:
        """Names that are given to a batch, or to what is made of it."""
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
            elif isinstance(node, ast.Call) and words.keeps(node):
                pairs = [(node.func.value, given) for given in node.args
                         if isinstance(node.func, ast.Attribute)]  # fmt: skip
            for target, value in pairs:
                level = self._level(value, levels)
                self.is_kept |= level == 2 and ast.unparse(target).startswith("self.")
                for name in words.names_in(target) if level else ():
                    levels[name] = max(level, levels.get(name, 0))

    def _level(self, node: ast.AST | None, levels: dict[str, int]) -> int:
        """2 for all of a batch, 1 for a part of it, 0 for what has nothing of it."""
        if isinstance(node, ast.Name):
            return levels.get(node.id, 0)
        if _is_number(node):
            return 0
        if isinstance(node, ast.Subscript):
            own = self._level(node.value, levels)
            return min(own, 1) if is_part(node.slice) else own
        level = max(
            (self._level(child, levels) for child in ast.iter_child_nodes(node or ast.Pass())),
            default=0,
        )
        return min(level, 1) if words.verb(node or ast.Pass()) in PARTS else level

    def _call(self, call: ast.Call, levels: dict[str, int], depth: int) -> None:
        verb, given = words.verb(call), [*call.args, *(word.value for word in call.keywords)]
        whose = call.func.value if isinstance(call.func, ast.Attribute) else None
        level = max(self._level(argument, levels) for argument in [whose, *given])
        own = self._level(whose, levels)
        if not level or words.is_log(call) or observes(call) or _is_nowhere(call):
            return
        merges = self._only_merges and (verb == "merge" or verb in _MATCHES)
        if merges or verb in (KEEPS_ALL if own else MAKES):
            return
        if verb in _VIEWS and not self._has_sql:
            return
        if verb in _FUNCTIONS and len(call.args) == 1 and own:
            self._handed(call, call.args[0], level, depth)
            return
        function = self._functions.get(verb)
        if function is None or depth >= _DEEPEST:
            self._writes(call, level)
            return
        pairs = [*zip(_own_parameters(function), call.args, strict=False)]
        pairs += [(word.arg, word.value) for word in call.keywords if word.arg]
        of = {name: self._level(value, levels) for name, value in pairs}
        if max(of.values(), default=0) < level:
            self._writes(call, level)
            return
        whole = {name for name, own_level in of.items() if own_level == 2}
        part = {name for name, own_level in of.items() if own_level == 1}
        before = len(self.found.whole), len(self.found.part)
        self.follow(function, whole, part, depth + 1)
        self.found.whole[before[0] :] = [call] * (len(self.found.whole) > before[0])
        self.found.part[before[1] :] = [call] * (len(self.found.part) > before[1])

    def _handed(self, call: ast.Call, function: ast.expr, level: int, depth: int) -> None:
        """`foreach(function)`, which is given each row."""
        if isinstance(function, ast.Name) and function.id == "print":
            return
        known = self._functions.get(getattr(function, "id", getattr(function, "attr", "")))
        inner = function if isinstance(function, ast.Lambda) else known
        own = _own_parameters(inner) if inner else []
        if inner is None or not own or depth >= _DEEPEST:
            self._writes(call, level)
            return
        before = len(self.found.whole)
        self.follow(inner, {own[-1]}, None, depth + 1)
        wrote = len(self.found.whole) > before
        self.found.whole[before:] = []
        if wrote:
            self._writes(call, level)

    def _writes(self, call: ast.Call, level: int) -> None:
        (self.found.whole if level == 2 else self.found.part).append(call)


def _is_number(node: ast.AST | None) -> bool:
    """Whether this says how many rows there are, or of which kind, and has none of them."""
    if isinstance(node, ast.Attribute):
        return node.attr in KINDS
    if not isinstance(node, ast.Call) or words.verb(node) not in NUMBERS:
        return False
    return not any(words.verb(inner) in GROUPS for inner in words.calls(node.func))


def _is_nowhere(call: ast.Call) -> bool:
    """Whether a call writes to a sink that keeps nothing."""
    return any(
        words.verb(inner) == "format"
        and any(
            isinstance(argument, ast.Constant) and argument.value in _NOWHERE
            for argument in inner.args[:1]
        )
        for inner in words.calls(call.func)
    )


def _gate(body: Iterable[ast.stmt], writes: list[ast.AST], batch: set[str]) -> int:
    """The line of a condition that lets only some batches be written; 0 if there is none."""
    at = {id(call) for call in writes}
    every = [node for part in body for node in ast.walk(part) if isinstance(node, ast.If)]
    own = {node.id for part in body for node in ast.walk(part)
           if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}  # fmt: skip
    for node in every:
        if not at or not (_is_now_and_then(node.test, batch) or _is_full(node.test, own)):
            continue
        first, second = (
            {id(inner) for part in side for inner in ast.walk(part)} & at
            for side in (node.body, node.orelse)
        )
        outside = at - first - second
        leaves = any(
            isinstance(side[-1], ast.Return) and not inside
            for side, inside in ((node.body, first), (node.orelse, second)) if side
        )  # fmt: skip
        if (not outside and bool(first) != bool(second)) or (outside and leaves):
            return node.lineno
    return 0


def _is_full(test: ast.expr, own: set[str]) -> bool:
    """Whether a condition asks how much a list of several batches holds, or a batch, more than
    whether it is empty."""
    for node in ast.walk(test):
        if isinstance(node, ast.Compare) and words.verb(node.left) == "count":
            limits = [value.value for value in node.comparators if isinstance(value, ast.Constant)]
            return any(isinstance(limit, int) and limit > 1 for limit in limits)
        if isinstance(node, ast.Compare) and words.verb(node.left) == "len":
            names = {argument.id for call in words.calls(node.left) for argument in call.args
                     if isinstance(argument, ast.Name)}  # fmt: skip
            limits = [ast.unparse(value) for value in node.comparators]
            return bool(names) and names.isdisjoint(own) and limits != ["0"]
    return False


def _is_now_and_then(test: ast.expr, batch: set[str]) -> bool:
    """Whether a condition holds for some batches by their number, or by chance."""
    for node in ast.walk(test):
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
            return not isinstance(node.left, ast.Constant)
        if words.verb(node) in ("random", "randint", "uniform", "randrange"):
            return True
        if isinstance(node, ast.Compare) and words.names_in(node.left) & batch:
            return all(isinstance(operand, ast.Constant) for operand in node.comparators)
    return False
