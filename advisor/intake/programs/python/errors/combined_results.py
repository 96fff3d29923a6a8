"""Results of a Python program that are told together of several messages, and what is done where
one says that something failed: `all(tried(m) for m in ms)`, `sum([…])`, `filter(tried, ms)`.

`filter` and `takewhile` hand on only those of which their function returns something true, and
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

CHOOSES = frozenset({"filter", "takewhile", "dropwhile", "filterfalse"})
EACH = CHOOSES | {"map"}
"""Functions that call another one with each message, and hand messages on by what it returns."""
_COMBINES = frozenset({
    "sum", "all", "any", "list", "tuple", "len", "sorted", "set", "frozenset", "bool", "int", "min",
    "Counter", "gather", "next",
})  # fmt: skip
_OF_LIST = frozenset({"count", "index", "copy"})
_COMPREHENSIONS = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp
_NAME = "_failed"


class CombinedResults:
    """The calls of a scope whose results are told together; of those that are `unasked`, nothing
    asks whether one failed. `own` are functions that say so."""

    def __init__(self, scope: ast.AST, own: Container[str], flags: Flags) -> None:
        self._flags, self.unasked = flags, set[int]()
        found = [*_combined(scope, own)]
        if found:
            self._parents = {
                id(inner): node for node in ast.walk(scope) for inner in ast.iter_child_nodes(node)
            }
        for call, whole, fails, chosen in found:
            if self._is_idle(whole, fails, chosen=chosen):
                self.unasked.add(id(call))

    def _is_idle(self, node: ast.AST, fails: bool, *, chosen: bool) -> bool:
        """Whether nothing is done where one failed; `fails` is what these results are then, and
        `chosen` says that they are the messages themselves."""
        parent = self._parents.get(id(node))
        while parent is not None and _hands_on(parent, node):
            node, parent = parent, self._parents.get(id(parent))
        if isinstance(parent, ast.Call):
            return syntax.is_log(parent)
        match parent:
            case ast.Expr():
                return True
            case ast.For() | ast.AsyncFor() | ast.comprehension() if parent.iter is node:
                return chosen and not fails
            case ast.Assign(targets=[ast.Name(id=name)]):
                is_left = chosen and not fails and not self._flags.asks(name)
                return is_left or self._flags.is_idle(name, fails, in_function=True)
            case _:
                return self._is_idle_test(node, fails)

    def _is_idle_test(self, node: ast.AST, fails: bool) -> bool:
        """The same of a value that a condition asks for."""
        top: ast.AST | None = node
        while top is not None and not isinstance(top, ast.stmt):
            if isinstance(top, ast.Call) and top is not node:
                return False
            top = self._parents.get(id(top))
        if not isinstance(top, ast.If):
            return False
        test = _Named(node).visit(copy.deepcopy(top.test, {id(node): node}))
        does = branch_for(ast.If(test, top.body, top.orelse), _NAME, fails)
        return does is not None and only_logs_or_commits(does, in_function=True)


class _Named(ast.NodeTransformer):
    """Puts a name in the place of a node."""

    def __init__(self, node: ast.AST) -> None:
        self._node = node

    def visit(self, node: ast.AST) -> Any:
        named = super().visit(node)
        return ast.Name(_NAME, ast.Load()) if node is self._node else named


def _combined(
    scope: ast.AST, own: Container[str]
) -> Iterator[tuple[ast.Call, ast.AST, bool, bool]]:
    """The calls, what their results are told by, what this is of a failure, and whether it is the
    messages."""
    for node in syntax.nodes(scope):
        if isinstance(node, _COMPREHENSIONS):
            made = node.value if isinstance(node, ast.DictComp) else node.elt
            for test in [made, *(test for each in node.generators for test in each.ifs)]:
                negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
                call = test.operand if isinstance(test, ast.UnaryOp) else test
                call = call.value if isinstance(call, ast.Await) else call
                if isinstance(call, ast.Call) and syntax.method_name(call) in own:
                    yield call, node, negated, test is not made
        elif isinstance(node, ast.Call) and syntax.method_name(node) in EACH and node.args:
            verb, is_plain = (
                syntax.method_name(node),
                syntax.receiver(node) in ("", "itertools", "it"),
            )
            if is_plain and last_name(node.args[0]) in own:
                yield node, node, verb == "filterfalse", verb in CHOOSES


def _hands_on(parent: ast.AST, node: ast.AST) -> bool:
    """Whether an expression is made of the results in a node, and says the same of a failure."""
    match parent:
        case ast.Call(func=func) if func is node:
            return True
        case ast.Call():
            return syntax.method_name(parent) in _COMBINES
        case ast.Attribute(attr=attr):
            return attr in _OF_LIST
        case ast.Await() | ast.Starred() | ast.NamedExpr():
            return True
        case _:
            return False
