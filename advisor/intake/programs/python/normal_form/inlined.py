"""Functions of a program in place of their calls in a loop, or for a batch of Spark; `match` as
conditions; blocks that change nothing without their heads; and behind a condition whose `else`
raises, what is done if it holds. So what is done with a message stands in one block, however it was
divided.

Nodes keep the lines where they are written.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Callable, Sequence
from itertools import islice

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.normal_form.aliases import bound_arguments
from advisor.intake.programs.python.normal_form.matches import conditions

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
    each = {ast.unparse(call.args[0]).rpartition(".")[2] for call in syntax.calls(tree)
            if syntax.method_name(call) in _OF_EACH and call.args}  # fmt: skip
    inner = _Inlined(single, each)
    plain: ast.Module = inner.visit(tree)
    return _without_uncalled(plain, inner.placed) if inner.placed else plain


def _without_uncalled(tree: ast.Module, placed: set[str]) -> ast.Module:
    """A program without the functions of these names that nothing names any more: what they do
    stands in the places of their calls."""
    for _ in range(_DEEPEST):
        nodes = [*ast.walk(tree)]
        names = {node.id for node in nodes if isinstance(node, ast.Name)}
        fields = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            gone = placed - names - (set() if node is tree else fields)
            for part in ("body", "orelse"):
                block = getattr(node, part, None)
                if gone and isinstance(block, list) and block:
                    rest = [inner for inner in block if getattr(inner, "name", "") not in gone]
                    setattr(node, part, rest or [ast.Pass()])
    return tree


class _Inlined(ast.NodeTransformer):
    def __init__(self, functions: dict[str, Function], each: set[str]) -> None:
        self._functions, self._each = functions, each
        self._loops = self._depth = self._done = 0
        self.placed = set[str]()
        """The functions whose bodies stand in the place of a call."""

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
        observes = syntax.only_logs_and_continues(node.finalbody, _never, in_function=False)
        leaves = any(isinstance(last, ast.Continue) for last in node.finalbody)
        return [*node.body, *node.orelse] if again and observes and not leaves else node

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        return conditions(node) or node

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        return self._apart(node) or self._in_place(node, ())

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        return self._apart(node) or self._in_place(node, node.targets)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        return self._apart(node) or self.generic_visit(node)

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        rest = list[ast.stmt]()
        if len(node.orelse) == 1 and isinstance(node.orelse[0], ast.Raise):
            rest, node.body, node.orelse = node.body, node.orelse, []
            node.test = ast.copy_location(ast.UnaryOp(ast.Not(), node.test), node.test)
        made = self._apart(node) or _listed(self._decided(node))
        return [*made, *(part for statement in rest for part in _listed(self.visit(statement)))]

    def _decided(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        """A condition, or what is done where it has one value always."""
        match node.test:
            case ast.Constant(value) | ast.UnaryOp(ast.Not(), ast.Constant(value)):
                is_not = isinstance(node.test, ast.UnaryOp)
                done = node.body if bool(value) is not is_not else node.orelse
                return self._inside(done) or ast.copy_location(ast.Pass(), node)
            case _:
                return self.generic_visit(node)

    def _apart(self, node: ast.Expr | ast.Assign | ast.AugAssign | ast.If) -> list[ast.stmt]:
        """A statement behind the bodies of the functions that are called within its value or its
        condition; nothing if there are none."""
        if not self._loops or self._depth >= _DEEPEST or self._done >= _MOST:
            return []
        apart = _Apart(self._function, self._done)
        if isinstance(node, ast.If):
            node.test = apart.visit(node.test)
        elif not isinstance(node, ast.AugAssign) and (
            isinstance(node.value, ast.Await) or self._named(node.value)
        ):
            apart.generic_visit(getattr(node.value, "value", node.value))
        else:
            node.value = apart.visit(node.value)
        if not apart.placed:
            return []
        self.placed |= apart.placed
        self._done = apart.number
        return [*self._inside(apart.made), *_listed(self.visit(node))]

    def _named(self, value: ast.expr) -> bool:
        return isinstance(value, ast.Call) and self._function(value) is not None

    def _inside(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        self._depth += 1
        made = [part for statement in body for part in _listed(self.visit(statement))]
        self._depth -= 1
        return made

    def _in_place(
        self, node: ast.Expr | ast.Assign, targets: Sequence[ast.expr]
    ) -> ast.AST | list[ast.stmt]:
        """The body of the function that a statement calls, whose value the targets have."""
        call = node.value.value if isinstance(node.value, ast.Await) else node.value
        body = None
        is_due = self._loops and self._depth < _DEEPEST and self._done < _MOST
        if is_due and isinstance(call, ast.Call) and (function := self._function(call)):
            is_awaited = call is not node.value
            if not targets or _returns_last(function):
                body = _body(call, function, targets, is_awaited=is_awaited)
        if body is None:
            self.generic_visit(node)
            return node
        self.placed.add(_called(call))  # type: ignore[arg-type]
        self._done += 1
        return self._inside(body)

    def _function(self, call: ast.Call) -> Function | None:
        """The function of the file that is called."""
        return self._functions.get(_called(call))


class _Apart(ast.NodeTransformer):
    """Gives names to the results of functions that are called within a value."""

    def __init__(self, function: Callable[[ast.Call], Function | None], number: int) -> None:
        self._function, self.number = function, number
        self.placed, self.made = set[str](), list[ast.stmt]()

    def _left(self, node: ast.AST) -> ast.AST:
        return node  # what is in it may be done several times, or never

    visit_Lambda = visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _left
    visit_BoolOp = visit_IfExp = visit_NamedExpr = _left

    def visit_Await(self, node: ast.Await) -> ast.AST:
        if isinstance(node.value, ast.Call):
            self.generic_visit(node.value)
            return self._name(node.value, node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        return self._name(node, node)

    def _name(self, call: ast.Call, node: ast.expr) -> ast.expr:
        function = self._function(call)
        if function is None or not _returns_last(function) or self.number >= _MOST:
            return node
        name = f"{function.name}_{self.number}"
        target = ast.copy_location(ast.Name(name, ast.Store()), node)
        body = _body(call, function, [target], is_awaited=call is not node)
        if body is None:
            return node
        self.made += body
        self.placed.add(function.name)
        self.number += 1
        last = getattr(function.body[-1], "value", None)
        value = last if isinstance(last, ast.Constant) else ast.Name(name, ast.Load())
        return ast.copy_location(copy.copy(value), node)


def _called(call: ast.Call) -> str:
    """The name of the function of the file that a call may be of."""
    match call.func:
        case ast.Name(name) | ast.Attribute(value=ast.Name("self"), attr=name):
            return name
        case _:
            return ""


def _never(_: ast.Call) -> bool:
    return False


def _listed(made: ast.AST | list[ast.stmt] | None) -> list[ast.stmt]:
    if isinstance(made, list):
        return made
    return [made] if isinstance(made, ast.stmt) else []


def _head(node: ast.expr) -> str:
    """The call that makes a context, without its arguments."""
    return ast.unparse(node.func if isinstance(node, ast.Call) else node)[:200]


def _throws_again(handler: ast.ExceptHandler) -> bool:
    """Whether a handler writes of an error at most, and throws it or another one."""
    *before, last = handler.body
    return isinstance(last, ast.Raise) and syntax.only_logs_and_continues(
        before, _never, in_function=False
    )


def _returns_last(function: Function) -> bool:
    """Whether nothing of a function returns but its last statement, which is straight."""
    last = function.body[-1]
    returns = sum(isinstance(inner, ast.Return) for inner in ast.walk(function))
    return isinstance(last, ast.Return) and last.value is not None and returns == 1


def _body(
    call: ast.Call, function: Function, targets: Sequence[ast.expr], *, is_awaited: bool
) -> list[ast.stmt] | None:
    """What stands in place of a call, whose value the targets have; None where that would not be
    the same."""
    inside = [*islice(ast.walk(function), _MOST_NODES + 1)]
    pairs = _given(call, function) if _may_be_placed(function, inside) else None
    if pairs is None or is_awaited != isinstance(function, ast.AsyncFunctionDef):
        return None
    last = function.body[-1]
    value = last.value if targets and isinstance(last, ast.Return) else None
    body = without_returns(copy.deepcopy(function.body[:-1] if value else function.body))
    if body is None:
        return None
    stored = {node.id for node in inside if isinstance(node, ast.Name)
              and isinstance(node.ctx, ast.Store)}  # fmt: skip
    names, first = dict[str, str](), list[ast.stmt]()
    for name, given in pairs:
        if isinstance(given, ast.Name) and name not in stored:
            names[name] = given.id
        else:
            target = ast.Name(name, ast.Store())
            first.append(ast.copy_location(ast.Assign([target], given), call))
    ends = list[ast.stmt]()
    match value, targets:
        case ast.Name(id=local), [ast.Name(id=name)] if local in stored:
            names[local] = name
        case ast.expr(), _:
            made = _Renamed(names).visit(copy.deepcopy(value))
            ends = [ast.copy_location(ast.Assign([*targets], made), last)]
        case _:
            pass
    body = [_Renamed(names).visit(node) for node in body]
    return [*map(ast.fix_missing_locations, [*first, *body, *ends])]


def _may_be_placed(function: Function, inside: Sequence[ast.AST]) -> bool:
    """Whether a function is short and plain enough; `inside` is what it is made of."""
    changed = function.decorator_list or function.args.vararg or function.args.kwarg
    if changed or len(inside) > _MOST_NODES:
        return False
    if sum(isinstance(node, ast.Return) for node in inside) > _MOST_RETURNS:
        return False
    if any(isinstance(node, _GENERATES) for node in inside if node is not function):
        return False
    return not any(isinstance(node, ast.Call) and _called(node) == function.name for node in inside)


def _given(call: ast.Call, function: Function) -> list[tuple[str, ast.expr]] | None:
    """The parameters of a function, and what a call gives them."""
    names = [name for name in parameters(function) if name not in syntax.OWN]
    given = dict(bound_arguments(call, function))
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
            kept = node.value and (
                isinstance(node.value, ast.Attribute) or any(syntax.calls(node.value))
            )
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
