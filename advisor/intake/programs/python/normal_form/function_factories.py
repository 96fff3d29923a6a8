"""Functions of a Python program that only make a function, and functions that are given one.

With `def make(db): def inner(m): db.save(m); return inner`, `make(db)(m)` calls a function of its
own, which has what `make` was given in the place of its parameters. So does `h(m)` behind
`h = make(db)`, and `attempt(m, log.error)` of `def attempt(m, on_error)` calls one that does
`log.error(e)` where that does `on_error(e)`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from itertools import count

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.normal_form.aliases import bound_arguments

_MOST, _MOST_NODES = 40, 400
_PLAIN = ast.Name | ast.Attribute | ast.Constant | ast.Lambda
_Given = dict[str, ast.expr]


def without_function_factories(tree: ast.Module) -> ast.Module:
    """The same program with these functions in place."""
    functions = _single(tree)
    makers = {name: made for name, function in functions.items() if (made := _maker(function))}
    takers = {name: function for name, function in functions.items() if _takes(function)}
    bound = _bound(tree, functions)
    if not (makers or takers or bound):
        return tree
    placed = _Placed(makers, takers, bound)
    whole: ast.Module = placed.visit(tree)
    whole.body = [*placed.shared, *whole.body]
    return whole


def _single(tree: ast.Module) -> dict[str, Function]:
    """The functions of a file that no other has the name of."""
    found = dict[str, list[Function]]()
    for node in ast.walk(tree):
        if isinstance(node, Function):
            found.setdefault(node.name, []).append(node)
    return {name: own[0] for name, own in found.items() if len(own) == 1}


def _bound(tree: ast.Module, functions: Mapping[str, Function]) -> dict[int, ast.Call]:
    """The calls of what `functools.partial` makes of a function of the file, and what it is given:
    `partial(handle, db)(m)`, and `h(m)` of `h = partial(handle, db)`."""
    named = dict[str, list[ast.expr]]()
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(id=name)], value):
                named.setdefault(name, []).append(value)
            case _:
                pass
    found = dict[int, ast.Call]()
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        own: ast.expr | None = call.func
        if isinstance(own, ast.Name):
            values = named.get(own.id, [])
            own = values[0] if len(values) == 1 else None
        match own:
            case ast.Call(args=[ast.Name(id=name), *_]) if (
                syntax.method_name(own) == "partial" and name in functions
            ):
                found[id(call)] = own
            case _:
                pass
    return found


def _maker(function: Function) -> Function | ast.Lambda | None:
    """The function that one makes and returns; None for one that does more."""
    *before, last = [node for node in function.body if not _is_text(node)] or [ast.Pass()]
    if function.decorator_list or not isinstance(last, ast.Return):
        return None
    inner = {node.name: node for node in before if isinstance(node, Function)}
    others = [node for node in before if not isinstance(node, Function | ast.Nonlocal)]
    if not all(isinstance(node, ast.Assign) for node in others):
        return None
    match last.value:
        case ast.Lambda() as made:
            return made
        case ast.Name(id=name) if name in inner:
            own = inner[name]
            generates = any(isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(own))
            return None if generates else own
        case _:
            return None


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _takes(function: Function) -> list[str]:
    """The parameters of a function that it only calls."""
    called, named = set[str](), list[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called.add(node.func.id)
        if isinstance(node, ast.Name):
            named.append(node.id)
    calls = [node.func.id for node in ast.walk(function)
             if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]  # fmt: skip
    own = {*parameters(function)}
    return [name for name in sorted(called & own) if named.count(name) == calls.count(name)]


def _pairs(call: ast.Call, function: Function) -> _Given | None:
    """What a call gives the parameters of a function, by their names; None where that is not
    known."""
    if any(isinstance(value, ast.Starred) for value in call.args):
        return None
    defaults, names = function.args.defaults, parameters(function)
    positional = [word.arg for word in (*function.args.posonlyargs, *function.args.args)]
    given = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    for word, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if value is not None:
            given[word.arg] = value
    given |= dict(bound_arguments(call, function))
    return given if given.keys() <= {*names} else None


class _Placed(ast.NodeTransformer):
    """Puts functions in the place of what makes, or takes, one; `shared` are the new ones."""

    def __init__(
        self,
        makers: Mapping[str, Function | ast.Lambda],
        takers: Mapping[str, Function],
        bound: Mapping[int, ast.Call],
    ) -> None:
        self._makers, self._takers, self._bound = makers, takers, bound
        self._functions = dict[str, Function]()
        self._numbers = count()
        self.shared = list[ast.stmt]()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._functions = _single(node)
        self.generic_visit(node)
        return node

    def _scope(self, node: Function) -> ast.AST:
        if node.name not in self._makers:
            self.generic_visit(node)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _scope

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                if made := self._made(call, name):
                    return made
            case _:
                pass
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if given := self._bound.get(id(node)):
            node.func = copy.deepcopy(given.args[0])
            node.args = [*copy.deepcopy(given.args[1:]), *node.args]
            node.keywords = [*copy.deepcopy(given.keywords), *node.keywords]
        self.generic_visit(node)
        if made := self._made(node, f"{syntax.method_name(node)}__{next(self._numbers)}"):
            self.shared.append(made)
            return ast.copy_location(ast.Name(made.name, ast.Load()), node)
        return self._taken(node)

    def _made(self, call: ast.Call, name: str) -> Function | None:
        """The function that a call makes, by a name."""
        maker = self._makers.get(syntax.method_name(call)) if _is_own(call) else None
        if maker is None or len(self.shared) >= _MOST:
            return None
        outer = self._functions[syntax.method_name(call)]
        pairs = _pairs(call, outer)
        if pairs is None or not all(isinstance(value, _PLAIN) for value in pairs.values()):
            return None
        own = _as_function(maker) if isinstance(maker, ast.Lambda) else copy.deepcopy(maker)
        own.name, own.decorator_list = name, []
        hidden = {*parameters(own)}
        made = _Filled({key: value for key, value in pairs.items() if key not in hidden})
        own.body = [made.visit(node) for node in own.body]
        return ast.fix_missing_locations(own)

    def _taken(self, call: ast.Call) -> ast.Call:
        """A call of a function that is given others, as one of a function that does what these
        do."""
        function = self._takers.get(syntax.method_name(call)) if _is_own(call) else None
        pairs = _pairs(call, function) if function and len(self.shared) < _MOST else None
        if function is None or not pairs:
            return call
        given = {name: pairs[name] for name in _takes(function)
                 if isinstance(pairs.get(name), ast.Attribute | ast.Lambda)}  # fmt: skip
        size = sum(1 for _ in ast.walk(function))
        if not given or size > _MOST_NODES or function.args.vararg or function.args.kwarg:
            return call
        own = copy.deepcopy(function)
        free = [*_free(given, call)]
        own.name = f"{function.name}__{next(self._numbers)}"
        own.body = [_Filled(given).visit(node) for node in own.body]
        names = [name for name in parameters(function)
                 if name in pairs and name not in given and name not in syntax.OWN]  # fmt: skip
        names += [name for name in free if name not in names]
        own.args = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
        values = [pairs.get(name, ast.Name(name, ast.Load())) for name in names]
        self.shared.append(ast.fix_missing_locations(own))
        return ast.fix_missing_locations(
            ast.copy_location(ast.Call(ast.Name(own.name, ast.Load()), values, []), call)
        )


def _is_own(call: ast.Call) -> bool:
    """Whether a call may be one of a function of the file."""
    match call.func:
        case ast.Name() | ast.Attribute(value=ast.Name("self")):
            return True
        case _:
            return False


def _free(given: _Given, call: ast.Call) -> Iterator[str]:
    """The names that functions take from where they are written, without those that they call."""
    for value in given.values():
        if isinstance(value, ast.Lambda):
            own = {word.arg for word in value.args.args}
            called = {id(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)}
            called |= {id(node.value) for node in ast.walk(value) if isinstance(node, ast.Attribute)
                       and id(node) in called}  # fmt: skip
            for node in ast.walk(value.body):
                if isinstance(node, ast.Name) and id(node) not in called and node.id not in own:
                    yield node.id


def _as_function(value: ast.Lambda) -> ast.FunctionDef:
    at = {"lineno": value.lineno, "col_offset": value.col_offset}
    body: list[ast.stmt] = [ast.Return(value.body, **at)]
    return ast.FunctionDef("", value.args, body, [], None, None, **at)


class _Filled(ast.NodeTransformer):
    """Puts what a function is given in the place of its parameters."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node.func:
            case ast.Name(id=name) if isinstance(self._given.get(name), ast.Lambda):
                function = self._given[name]
                names = [word.arg for word in function.args.args]  # type: ignore[attr-defined]
                if len(names) == len(node.args) and not node.keywords:
                    values = [self.visit(value) for value in node.args]
                    own = _Filled(dict(zip(names, values, strict=True)))
                    body = copy.deepcopy(function.body)  # type: ignore[attr-defined]
                    made: ast.expr = own.visit(body)
                    return ast.copy_location(made, node)
            case _:
                pass
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._given.get(node.id)
        if value is None or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(copy.deepcopy(value), node)
