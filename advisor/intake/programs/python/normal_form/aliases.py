"""Aliases of the functions of a Python program: variables, fields and parameters that refer to one,
and objects that are called like functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from itertools import islice

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters

_ROUNDS, _MAX_FUNCTIONS = 2, 8
OF_OBJECT = "{}()"
"""The name of the `__call__` of a class among the functions of a file."""


def callee(call: ast.Call) -> str:
    """Returns the name of the called function; of a function in a dict, the name of the dict."""
    func = call.func
    if isinstance(func, ast.Subscript):
        return last_name(func.value)
    if isinstance(func, ast.Call):
        name = syntax.method_name(func)
        return (
            last_name(getattr(func.func, "value", func))
            if name == "get"
            else OF_OBJECT.format(name)
        )
    return syntax.method_name(call)


def bound_arguments(call: ast.Call, function: Function) -> Iterator[tuple[str, ast.expr]]:
    """Yields the parameters of a function with the arguments that a call binds to them."""
    arguments = (*function.args.posonlyargs, *function.args.args)
    names = [argument.arg for argument in arguments]
    names = names[1:] if names[:1] in (["self"], ["cls"]) else names
    yield from zip(names, call.args, strict=False)
    if function.args.vararg:
        yield from ((function.args.vararg.arg, value) for value in call.args[len(names) :])
    yield from ((keyword.arg, keyword.value) for keyword in call.keywords if keyword.arg)


def callee_root(call: ast.Call) -> str:
    """The first name of a callee: `m` of `m.value().decode()`."""
    return (syntax.receiver(call) or syntax.method_name(call)).partition(".")[0].partition("(")[0]


def stand_ins(tree: ast.AST, functions: Mapping[str, Function]) -> dict[str, list[Function]]:
    """Returns the functions that each variable, field or parameter may refer to, by its name."""
    functions_by_name: dict[str, list[Function]] = {}
    lambda_functions: dict[int, Function] = {}
    defaults = [*_defaults(tree, functions)]
    for _ in range(_ROUNDS):  # `h = handle`, `R(h)`, `self.handler = handler`
        for node in syntax.nodes(tree):
            pairs = defaults if node is tree else _assignments(node, functions)
            for name, value in pairs:
                name_functions = functions_by_name.get(name, [])
                new_functions = [
                    function
                    for function in _functions_in(
                        value, functions, functions_by_name, lambda_functions
                    )
                    if function not in name_functions
                ]
                if name and new_functions:
                    functions_by_name[name] = [*name_functions, *new_functions][:_MAX_FUNCTIONS]
    return functions_by_name


def _assignments(
    node: ast.AST, functions: Mapping[str, Function]
) -> Iterator[tuple[str, ast.expr]]:
    """The names that a statement or a call binds, each with its value."""
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
        yield from _decorator_parameters(node, functions)
    elif isinstance(node, ast.Call) and (function := functions.get(syntax.method_name(node))):
        yield from bound_arguments(node, function)


def _defaults(tree: ast.AST, functions: Mapping[str, Function]) -> Iterator[tuple[str, ast.expr]]:
    """The parameters with the defaults that they have in some call, or if nothing in the file calls
    the function."""
    calls_by_name = dict[str, list[ast.Call]]()
    for call in syntax.calls(tree):
        calls_by_name.setdefault(syntax.method_name(call), []).append(call)
    for name, function in functions.items():
        if name == "__init__":
            continue  # it is called by the name of its class
        calls = calls_by_name.get(name, [])
        bound = [dict(bound_arguments(call, function)).keys() for call in calls]
        for parameter, value in _default_values(function):
            if not bound or any(parameter not in names for names in bound):
                yield parameter, value


def _default_values(function: Function) -> Iterator[tuple[str, ast.expr]]:
    arguments = function.args
    positional = [*arguments.posonlyargs, *arguments.args]
    defaults = arguments.defaults
    pairs = [*zip(positional[len(positional) - len(defaults) :], defaults, strict=True)]
    pairs += [
        (parameter, value) for parameter, value in
        zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True) if value
    ]  # fmt: skip
    yield from ((parameter.arg, value) for parameter, value in pairs
                if isinstance(value, ast.Name | ast.Attribute | ast.Lambda))  # fmt: skip


def _decorator_parameters(
    node: Function, functions: Mapping[str, Function]
) -> Iterator[tuple[str, ast.expr]]:
    """The first parameters of the decorators of a function and of the functions in them. They refer
    to the decorated function."""
    for decorator in node.decorator_list:
        name = last_name(decorator.func if isinstance(decorator, ast.Call) else decorator)
        decorator_function = functions.get(name)
        for function in (
            (inner for inner in ast.walk(decorator_function) if isinstance(inner, Function))
            if decorator_function
            else ()
        ):
            yield from ((first, ast.Name(node.name)) for first in parameters(function)[:1])


def _functions_in(
    value: ast.expr,
    functions: Mapping[str, Function],
    functions_by_name: Mapping[str, list[Function]],
    lambda_functions: dict[int, Function],
) -> Iterator[Function]:
    """The functions that a value may refer to or contain."""
    if isinstance(value, ast.Name | ast.Attribute):
        name = last_name(value)
        function = functions.get(name)
        yield from (
            functions_by_name.get(name, ())
            if function is None
            else [function]
            if function.name == name
            else ()
        )
    elif isinstance(value, ast.Lambda):
        yield lambda_functions.setdefault(id(value), _function_from_lambda(value))
    elif isinstance(value, ast.Subscript):
        yield from functions_by_name.get(last_name(value.value), ())
    elif isinstance(value, ast.Call):
        function = functions.get(OF_OBJECT.format(syntax.method_name(value)))
        dict_functions = functions_by_name.get(last_name(getattr(value.func, "value", value)), ())
        yield from (
            [function] if function else dict_functions if syntax.method_name(value) == "get" else ()
        )
    elif isinstance(value, ast.Dict | ast.List | ast.Tuple | ast.IfExp | ast.BoolOp):
        for inner in islice(ast.iter_child_nodes(value), 2 * _MAX_FUNCTIONS):
            if isinstance(inner, ast.expr) and not isinstance(inner, ast.Constant):
                yield from _functions_in(inner, functions, functions_by_name, lambda_functions)


def _function_from_lambda(value: ast.Lambda) -> Function:
    position = {"lineno": value.lineno, "col_offset": value.col_offset}
    statement = ast.Expr(value.body, **position)
    return ast.FunctionDef("", value.args, [statement], [], None, None, **position)


def last_name(node: ast.AST) -> str:
    """Returns the last name of a variable or a field."""
    return str(getattr(node, "attr", getattr(node, "id", "")))
