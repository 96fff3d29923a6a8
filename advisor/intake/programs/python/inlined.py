"""Functions of a program in place of their calls in a loop, or for a batch of Spark; `match` as
conditions; and blocks that change nothing without their heads. So what is done with a message
stands in one block, however it was divided.

Nodes keep the lines where they are written.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Sequence
from itertools import islice

from advisor.intake.programs.python import words
from advisor.intake.programs.python.aliases import handed
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.matches import conditions

_DEEPEST, _MOST, _MOST_NODES, _MOST_RETURNS = 3, 60, 400, 12
_CHANGES_NOTHING = re.compile(
    r"(?i)[\w.]*(?:lock|mutex|semaphore|span|tracer|timer|nullcontext|exitstack|contextvars"
    r"|logger_name|track_inprogress)\w*(?:\.\w+)*|[\w.]+\.time"
)
"""Locks, traces, timers and contexts of logs."""
_OF_EACH = frozenset({"foreachBatch", "foreach", "foreachPartition"})
"""What calls a function for each batch, row or partition of Spark."""
_SCOPES = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda
_CHANGED = ast.FunctionDef | ast.AsyncFunctionDef | ast.With | ast.AsyncWith | ast.Try | ast.Match
_GENERATES = ast.Yield | ast.YieldFrom | ast.Global | ast.Nonlocal | _SCOPES


def inlined(tree: ast.Module) -> ast.Module:
    """The same program with these in place."""
    nodes = [node for node in ast.walk(tree) if isinstance(node, _CHANGED)]
    if not nodes:
        return tree
    named = dict[str, list[Function]]()
    for node in nodes:
        if isinstance(node, Function):
            named.setdefault(node.name, []).append(node)
    single = {name: own[0] for name, own in named.items() if len(own) == 1}
    each = {ast.unparse(call.args[0]).rpartition(".")[2] for call in words.calls(tree)
            if words.verb(call) in _OF_EACH and call.args}  # fmt: skip
    plain: ast.Module = _Inlined(single, each).visit(tree)
    return plain


class _Inlined(ast.NodeTransformer):
    def __init__(self, functions: dict[str, Function], each: set[str]) -> None:
        self._functions, self._each = functions, each
        self._loops = self._depth = self._done = 0

    def _loop(self, node: ast.AST) -> ast.AST:
        self._loops += 1
        self.generic_visit(node)
        self._loops -= 1
        return node

    visit_For = visit_AsyncFor = visit_While = _loop

    def _scope(self, node: ast.AST) -> ast.AST:
        before, self._loops = self._loops, int(getattr(node, "name", "") in self._each)
        self.generic_visit(node)
        self._loops = before
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _scope

    def _block(self, node: ast.With | ast.AsyncWith) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        heads = [_head(item.context_expr) for item in node.items]
        return node.body if all(map(_CHANGES_NOTHING.fullmatch, heads)) else node

    visit_With = visit_AsyncWith = _block

    def visit_Try(self, node: ast.Try) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        again = all(map(_throws_again, node.handlers))
        observes = words.goes_on(node.finalbody, _never, in_function=False)
        leaves = any(isinstance(last, ast.Continue) for last in node.finalbody)
        return [*node.body, *node.orelse] if again and observes and not leaves else node

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return conditions(node) or node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        body = None
        is_due = self._loops and self._depth < _DEEPEST and self._done < _MOST
        if is_due and isinstance(call, ast.Call) and (function := self._function(call)):
            body = _body(call, function, is_awaited=call is not node.value)
        if body is None:
            self.generic_visit(node)
            return node
        self._done += 1
        self._depth += 1
        made = [part for statement in body for part in _listed(self.visit(statement))]
        self._depth -= 1
        return made

    def _function(self, call: ast.Call) -> Function | None:
        """The function of the file that a call is of."""
        match call.func:
            case ast.Name(name) | ast.Attribute(value=ast.Name("self"), attr=name):
                return self._functions.get(name)
            case _:
                return None


def _never(_: ast.Call) -> bool:
    return False


def _listed(made: ast.AST | list[ast.stmt] | None) -> list[ast.stmt]:
    if isinstance(made, list):
        return made
    return [made] if isinstance(made, ast.stmt) else []


def _head(node: ast.expr) -> str:
    """What makes a context, without what it is given."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)[:200]


def _throws_again(handler: ast.ExceptHandler) -> bool:
    """Whether a handler writes of an error at most, and throws it or another one."""
    *before, last = handler.body
    return isinstance(last, ast.Raise) and words.goes_on(before, _never, in_function=False)


def _body(call: ast.Call, function: Function, *, is_awaited: bool) -> list[ast.stmt] | None:
    """What stands in place of a call; None where that would not be the same."""
    inside = [*islice(ast.walk(function), _MOST_NODES + 1)]
    if len(inside) > _MOST_NODES or function.decorator_list or function.args.vararg:
        return None
    if sum(isinstance(node, ast.Return) for node in inside) > _MOST_RETURNS:
        return None
    if is_awaited != isinstance(function, ast.AsyncFunctionDef) or function.args.kwarg:
        return None
    if any(isinstance(node, _GENERATES) for node in inside if node is not function):
        return None
    if any(words.verb(node) == function.name for node in inside):
        return None
    pairs = _given(call, function)
    body = without_returns(copy.deepcopy(function.body)) if pairs is not None else None
    if pairs is None or body is None:
        return None
    stored = {node.id for node in inside if isinstance(node, ast.Name)
              and isinstance(node.ctx, ast.Store)}  # fmt: skip
    names, first = dict[str, str](), list[ast.stmt]()
    for name, value in pairs:
        if isinstance(value, ast.Name) and name not in stored:
            names[name] = value.id
        else:
            target = ast.Name(name, ast.Store())
            first.append(ast.copy_location(ast.Assign([target], value), call))
    made = [ast.fix_missing_locations(_Renamed(names).visit(node)) for node in [*body]]
    return [*map(ast.fix_missing_locations, first), *made]


def _given(call: ast.Call, function: Function) -> list[tuple[str, ast.expr]] | None:
    """The parameters of a function, and what a call gives them."""
    names = [name for name in parameters(function) if name not in words.OWN]
    given = dict(handed(call, function))
    defaults = function.args.defaults
    last = dict(zip(names[len(names) - len(defaults) :], defaults, strict=False))
    if any(isinstance(value, ast.Starred) for value in call.args) or len(call.args) > len(names):
        return None
    pairs = [(name, given.get(name, last.get(name))) for name in names]
    known = [(name, value) for name, value in pairs if value is not None]
    return known if len(known) == len(names) and given.keys() <= set(names) else None


class _Renamed(ast.NodeTransformer):
    def __init__(self, names: dict[str, str]) -> None:
        self._names = names

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = self._names.get(node.id, node.id)
        return node


def without_returns(body: Sequence[ast.stmt]) -> list[ast.stmt] | None:
    """A body that ends where its function returned, without a `return`; None where one leaves more
    than conditions and attempts."""
    made = list[ast.stmt]()
    for at, node in enumerate(body):
        rest = [*body[at + 1 :]]
        if isinstance(node, ast.Return):
            kept = node.value and any(words.calls(node.value))
            value = ast.copy_location(ast.Expr(node.value), node) if kept and node.value else None
            return [*made, value or ast.copy_location(ast.Pass(), node)]
        if not _returns(node):
            made.append(node)
            continue
        inner = _without_returns_inside(node, rest)
        return [*made, inner] if inner else None
    return made or [ast.Pass()]


def _without_returns_inside(node: ast.stmt, rest: list[ast.stmt]) -> ast.stmt | None:
    """A statement of which a part returns, with what is behind it in the one part that does not."""
    match node:
        case ast.If(body=body, orelse=other):
            parts = _with_rest([body, other], rest)
            if parts is None:
                return None
            node.body, node.orelse = parts
        case ast.Try(body=body, handlers=handlers, orelse=orelse, finalbody=[]):
            behind = [*orelse, *rest]
            if behind and any(_returns(inner) for inner in body[:-1]):
                return None
            sides = [[] if _ends(body) else orelse, *(handler.body for handler in handlers)]
            if _ends(body):
                rests = _with_rest([body, *sides[1:]], rest)
                parts = [rests[0], [], *rests[1:]] if rests else None
            else:
                rests = _with_rest(sides, rest)
                own = without_returns(body)
                parts = [own, *rests] if rests and own else None
            if parts is None:
                return None
            node.body, node.orelse = parts[:2]
            for handler, made in zip(handlers, parts[2:], strict=True):
                handler.body = made
        case ast.With(body=body) | ast.AsyncWith(body=body) if not rest:
            inner = without_returns(body)
            if inner is None:
                return None
            node.body = inner
        case _:
            return None
    return node


def _with_rest(
    sides: Sequence[list[ast.stmt]], rest: list[ast.stmt]
) -> list[list[ast.stmt]] | None:
    """Blocks of which one is done, each without a `return`; what is behind them goes into the one
    that does not end its function. None where several do not."""
    if rest and sum(not _ends(side) for side in sides) > 1:
        return None
    made = [without_returns(side if _ends(side) else [*side, *rest]) if side or rest else []
            for side in sides]  # fmt: skip
    return None if any(side is None for side in made) else [side or [] for side in made]


def _returns(node: ast.AST) -> bool:
    return any(isinstance(inner, ast.Return) for inner in ast.walk(node))


def _ends(body: Sequence[ast.stmt]) -> bool:
    """Whether a block ends its function."""
    return bool(body) and isinstance(body[-1], ast.Return | ast.Raise)
