"""Aliases of the functions of a Python program: variables, fields and parameters that hold one, and
objects that are called like functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import islice

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters

_ROUNDS, _MOST = 2, 8
OF_OBJECT = "{}()"
"""How the `__call__` of a class is named among the functions of a file."""


def callee(call: ast.Call) -> str:
    """The name of what is called; of a dict with functions, the dict's."""
    func = call.func
    if isinstance(func, ast.Subscript):
        return last_name(func.value)
    if isinstance(func, ast.Call):
        own = syntax.method_name(func)
        return (
            last_name(getattr(func.func, "value", func)) if own == "get" else OF_OBJECT.format(own)
        )
    return syntax.method_name(call)


def bound_arguments(call: ast.Call, function: Function) -> Iterator[tuple[str, ast.expr]]:
    """What a call gives the parameters of a function."""
    own = parameters(function)
    own = own[1:] if own[:1] in (["self"], ["cls"]) else own
    yield from zip(own, call.args, strict=False)
    if function.args.vararg:
        yield from ((function.args.vararg.arg, value) for value in call.args[len(own) :])
    yield from ((word.arg, word.value) for word in call.keywords if word.arg)


def stand_ins(tree: ast.AST, functions: Mapping[str, Function]) -> dict[str, list[Function]]:
    """The functions that a name may stand for, where it is not a function's own name."""
    found: dict[str, list[Function]] = {}
    made: dict[int, Function] = {}
    for _ in range(_ROUNDS):  # `h = handle`, `R(h)`, `self.handler = handler`
        for node in syntax.nodes(tree):
            for name, value in _given(node, functions):
                known = found.get(name, [])
                own = [
                    function
                    for function in _functions(value, functions, found, made)
                    if function not in known
                ]
                if name and own:
                    found[name] = [*known, *own][:_MOST]
    return found


def _given(node: ast.AST, functions: Mapping[str, Function]) -> Iterator[tuple[str, ast.expr]]:
    """What a statement or a call gives a name to."""
    if isinstance(node, ast.Assign):
        targets = (
            target.value if isinstance(target, ast.Subscript) else target for target in node.targets
        )
        yield from ((last_name(target), node.value) for target in targets)
    elif isinstance(node, ast.AnnAssign) and node.value:
        yield last_name(node.target), node.value
    elif isinstance(node, ast.For):
        yield last_name(node.target), node.iter
    elif isinstance(node, Function):
        yield from _registered(node, functions)
    elif isinstance(node, ast.Call) and (function := functions.get(syntax.method_name(node))):
        yield from bound_arguments(node, function)


def _registered(
    node: Function, functions: Mapping[str, Function]
) -> Iterator[tuple[str, ast.expr]]:
    """The names by which decorators of the file have the function that they are given."""
    for given in node.decorator_list:
        own = functions.get(last_name(given.func if isinstance(given, ast.Call) else given))
        for function in (
            (part for part in ast.walk(own) if isinstance(part, Function)) if own else ()
        ):
            yield from ((name, ast.Name(node.name)) for name in parameters(function)[:1])


def _functions(
    value: ast.expr,
    functions: Mapping[str, Function],
    found: Mapping[str, list[Function]],
    made: dict[int, Function],
) -> Iterator[Function]:
    """The functions that a value is, or has one of."""
    if isinstance(value, ast.Name | ast.Attribute):
        name = last_name(value)
        own = functions.get(name)
        yield from found.get(name, ()) if own is None else [own] if own.name == name else ()
    elif isinstance(value, ast.Lambda):
        yield made.setdefault(id(value), _as_function(value))
    elif isinstance(value, ast.Subscript):
        yield from found.get(last_name(value.value), ())
    elif isinstance(value, ast.Call):
        own = functions.get(OF_OBJECT.format(syntax.method_name(value)))
        of_dict = found.get(last_name(getattr(value.func, "value", value)), ())
        yield from [own] if own else of_dict if syntax.method_name(value) == "get" else ()
    elif isinstance(value, ast.Dict | ast.List | ast.Tuple | ast.IfExp | ast.BoolOp):
        for inner in islice(ast.iter_child_nodes(value), 2 * _MOST):
            if isinstance(inner, ast.expr) and not isinstance(inner, ast.Constant):
                yield from _functions(inner, functions, found, made)


def _as_function(value: ast.Lambda) -> Function:
    at = {"lineno": value.lineno, "col_offset": value.col_offset}
    done = ast.Expr(value.body, **at)
    return ast.FunctionDef("", value.args, [done], [], None, None, **at)


def last_name(node: ast.AST) -> str:
    """The last name of a variable or a field."""
    return str(getattr(node, "attr", getattr(node, "id", "")))
