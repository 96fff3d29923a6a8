"""Combined results of several messages in a Python program, and what the program does if one of
them is a failure: `all(tried(m) for m in ms)`, `sum([…])`, `filter(tried, ms)`.

`filter` and `takewhile` yield only the items for which their function returns a true value, and
`filterfalse` the others (The Python Standard Library, itertools).
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Container, Iterator
from typing import Any

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.errors.flags import Flags, branch_for, only_logs_or_commits
from advisor.intake.programs.python.normal_form.aliases import last_name

_FILTERS = frozenset({"filter", "takewhile", "dropwhile", "filterfalse"})
ITERATORS = _FILTERS | {"map"}
"""Functions that call another function with each message, and yield messages by its results."""
_COMBINING_FUNCTIONS = frozenset({
    "sum", "all", "any", "list", "tuple", "len", "sorted", "set", "frozenset", "bool", "int", "min",
    "Counter", "gather", "next",
})  # fmt: skip
_DEFAULTING_METHODS = frozenset({"unwrap_or", "unwrap_or_default", "value_or", "get_or_else"})
_ERROR_METHODS = frozenset({"map_err", "inspect_err", "or_else", "unwrap_or_else", "if_failed"})
"""Methods of a result, as in the package `result`, that replace its error or act on it."""
_LIST_METHODS = frozenset({"count", "index", "copy"})
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_PLACEHOLDER = "_failed"


class CombinedResults:
    """The calls of a scope whose results are combined. No condition checks the calls in `unasked`
    for a failure. `functions` are the names of the functions that return whether they succeeded."""

    def __init__(self, scope: ast.AST, functions: Container[str], flags: Flags) -> None:
        self._flags, self.unasked = flags, set[int]()
        calls = [*_combined_calls(scope, functions)]
        if calls:
            self._parents = {
                id(inner): node for node in ast.walk(scope) for inner in ast.iter_child_nodes(node)
            }
        for call, combined, failure_value, are_messages in calls:
            if self._ignores_failure(combined, failure_value, are_messages=are_messages):
                self.unasked.add(id(call))

    def _ignores_failure(self, node: ast.AST, failure_value: bool, *, are_messages: bool) -> bool:
        """Whether nothing is done about a failure. `failure_value` is the value of the results if
        one call failed; `are_messages` is true if the results are the messages themselves."""
        parent = self._parents.get(id(node))
        while parent is not None and _passes_results(parent, node):
            node, parent = parent, self._parents.get(id(parent))
        if isinstance(parent, ast.Call):
            return syntax.is_log(parent)
        match parent:
            case ast.Expr():
                return True
            case ast.For() | ast.AsyncFor() | ast.comprehension() if parent.iter is node:
                return are_messages and not failure_value
            case ast.Assign(targets=[ast.Name(id=name)]):
                is_unchecked = are_messages and not failure_value and not self._flags.asks(name)
                return is_unchecked or self._flags.is_idle(name, failure_value, in_function=True)
            case _:
                return self._condition_ignores_failure(node, failure_value)

    def _condition_ignores_failure(self, node: ast.AST, failure_value: bool) -> bool:
        """The same for a value in a condition."""
        ancestor: ast.AST | None = node
        while ancestor is not None and not isinstance(ancestor, ast.stmt):
            if isinstance(ancestor, ast.Call) and ancestor is not node:
                return False
            ancestor = self._parents.get(id(ancestor))
        if not isinstance(ancestor, ast.If):
            return False
        test = _NodeReplacement(node).visit(copy.deepcopy(ancestor.test, {id(node): node}))
        body = branch_for(ast.If(test, ancestor.body, ancestor.orelse), _PLACEHOLDER, failure_value)
        return body is not None and only_logs_or_commits(body, in_function=True)


class _NodeReplacement(ast.NodeTransformer):
    """Replaces a node by the placeholder's name."""

    def __init__(self, node: ast.AST) -> None:
        self._node = node

    def visit(self, node: ast.AST) -> Any:
        visited = super().visit(node)
        return ast.Name(_PLACEHOLDER, ast.Load()) if node is self._node else visited


def _combined_calls(
    scope: ast.AST, functions: Container[str]
) -> Iterator[tuple[ast.Call, ast.AST, bool, bool]]:
    """Yields calls, the expression that combines their results, its value for a failure, and
    whether the results are the messages themselves."""
    for node in syntax.nodes(scope):
        if isinstance(node, _COMPREHENSIONS):
            element = node.value if isinstance(node, ast.DictComp) else node.elt
            for test in [
                element,
                *(test for generator in node.generators for test in generator.ifs),
            ]:
                negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
                call = test.operand if isinstance(test, ast.UnaryOp) else test
                call = call.value if isinstance(call, ast.Await) else call
                if isinstance(call, ast.Call) and syntax.method_name(call) in functions:
                    yield call, node, negated, test is not element
        elif isinstance(node, ast.Call) and syntax.method_name(node) in ITERATORS and node.args:
            verb, is_plain = (
                syntax.method_name(node),
                syntax.receiver(node) in ("", "itertools", "it"),
            )
            if is_plain and last_name(node.args[0]) in functions:
                yield node, node, verb == "filterfalse", verb in _FILTERS


def _passes_results(parent: ast.AST, node: ast.AST) -> bool:
    """Whether an expression combines the results in a node, and has the same value for a
    failure."""
    match parent:
        case ast.Call(func=func) if func is node:
            return True
        case ast.Call():
            return syntax.method_name(parent) in _COMBINING_FUNCTIONS
        case ast.Attribute(attr=attr):
            return attr in _LIST_METHODS
        case ast.Await() | ast.Starred() | ast.NamedExpr():
            return True
        case _:
            return False


def unhandled_outcomes(scope: ast.AST, flags: Flags) -> Iterator[ast.Call]:
    """Yields the calls that return outcomes, where nothing is done about a failure."""
    yield from _defaulted_outcomes(scope)
    yield from _ignored_outcomes(scope, flags)


def _defaulted_outcomes(scope: ast.AST) -> Iterator[ast.Call]:
    """Yields the calls whose error a statement replaces with a value, or only logs:
    `save(m).unwrap_or(None)`, `save(m).map_err(log.error)`."""
    for node in syntax.nodes(scope):
        match node:
            case ast.Expr(value=ast.Call(
                func=ast.Attribute(value=ast.Call() as call, attr=name), args=arguments
            )):  # fmt: skip
                logs = [value for value in arguments if _only_logs(value)]
                if name in _DEFAULTING_METHODS or (name in _ERROR_METHODS and logs):
                    yield call
            case _:
                pass


def _only_logs(function: ast.expr) -> bool:
    """Whether a function that is passed on only logs."""
    call = function.body if isinstance(function, ast.Lambda) else ast.Call(function, [], [])
    return isinstance(call, ast.Call) and syntax.is_log(call)


def _ignored_outcomes(scope: ast.AST, flags: Flags) -> Iterator[ast.Call]:
    """Yields the calls that return an outcome for each message, where a loop over the outcomes does
    nothing about a failure: `for m, r in zip(ms, save(ms)): if not r.ok: log.error(m)`."""
    values = dict[str, list[ast.expr]]()
    for node in syntax.nodes(scope):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                values.setdefault(name, []).append(value)
            case _:
                pass
    for loop in (node for node in syntax.nodes(scope) if isinstance(node, ast.For)):
        outcomes = [name for name in syntax.names_in(loop.target) if flags.asks_outcome(name)]
        if not outcomes or not all(flags.is_idle(name, False) for name in outcomes):
            continue
        iterated = [loop.iter, *getattr(loop.iter, "args", [])]
        sources = [
            value for source in iterated
            for value in ([source] if isinstance(source, ast.Call)
                          else values.get(getattr(source, "id", ""), []))
        ]  # fmt: skip
        calls = (getattr(value, "value", value) for value in sources)
        yield from (call for call in calls if isinstance(call, ast.Call) and call.args)
