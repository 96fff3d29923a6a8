"""Functions of a Python program that only create a function, or have functions as arguments.

With `def make(db): def inner(m): db.save(m); return inner`, the reader replaces `make(db)(m)` with
the call of a new function, in which the arguments of `make` replace its parameters. The same holds
for `h(m)` after `h = make(db)`. With `def attempt(m, on_error)`, `attempt(m, log.error)` becomes
the call of a function that calls `log.error(e)` where `attempt` calls
`on_error(e)`.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Mapping
from itertools import count

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function, parameters
from advisor.intake.programs.python.normal_form.aliases import bound_arguments

_MAX_FUNCTIONS, _MAX_NODES = 40, 400
_SIMPLE_ARGUMENTS = ast.Name | ast.Attribute | ast.Constant | ast.Lambda
_Arguments = dict[str, ast.expr]


def without_function_factories(tree: ast.Module) -> ast.Module:
    """Returns the program with the calls of such functions expanded."""
    functions = _unique_functions(tree)
    factories = {
        name: result
        for name, function in functions.items()
        if (result := _factory_result(function))
    }
    higher_order = {
        name: function for name, function in functions.items() if _called_parameters(function)
    }
    partial_calls = _partial_calls(tree, functions)
    if not (factories or higher_order or partial_calls):
        return tree
    expansion = _Expansion(factories, higher_order, partial_calls)
    expanded: ast.Module = expansion.visit(tree)
    expanded.body = [*expansion.shared, *expanded.body]
    return expanded


def _unique_functions(tree: ast.Module) -> dict[str, Function]:
    """The functions of a file whose names are unique, by name."""
    functions = dict[str, list[Function]]()
    for node in ast.walk(tree):
        if isinstance(node, Function):
            functions.setdefault(node.name, []).append(node)
    return {name: namesakes[0] for name, namesakes in functions.items() if len(namesakes) == 1}


def _partial_calls(tree: ast.Module, functions: Mapping[str, Function]) -> dict[int, ast.Call]:
    """The `functools.partial` calls of functions of the file, by the ids of the calls of their
    results: `partial(handle, db)(m)`, and `h(m)` after `h = partial(handle, db)`."""
    values_by_name = dict[str, list[ast.expr]]()
    for node in ast.walk(tree):
        match node:
            case ast.Assign([ast.Name(id=name)], value):
                values_by_name.setdefault(name, []).append(value)
            case _:
                pass
    partial_calls = dict[int, ast.Call]()
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        callee: ast.expr | None = call.func
        if isinstance(callee, ast.Name):
            values = values_by_name.get(callee.id, [])
            callee = values[0] if len(values) == 1 else None
        match callee:
            case ast.Call(args=[ast.Name() | ast.Attribute() as function, *_]) if (
                syntax.method_name(callee) == "partial"
                and (ast.unparse(function) in functions or _logs(function))
            ):
                partial_calls[id(call)] = callee
            case _:
                pass
    return partial_calls


def _logs(function: ast.Name | ast.Attribute) -> bool:
    """Whether a function that is passed on logs its arguments."""
    return isinstance(function, ast.Attribute) and syntax.is_log(ast.Call(function, [], []))


def _factory_result(function: Function) -> Function | ast.Lambda | None:
    """The function that a function creates and returns; None for a function that does more."""
    *statements, last = [node for node in function.body if not _is_docstring(node)] or [ast.Pass()]
    if function.decorator_list or not isinstance(last, ast.Return):
        return None
    inner = {node.name: node for node in statements if isinstance(node, Function)}
    assignments = [node for node in statements if not isinstance(node, Function | ast.Nonlocal)]
    if not all(isinstance(node, ast.Assign) for node in assignments):
        return None
    match last.value:
        case ast.Lambda() as lambda_:
            return lambda_
        case ast.Name(id=name) if name in inner:
            returned = inner[name]
            generates = any(
                isinstance(node, ast.Yield | ast.YieldFrom) for node in ast.walk(returned)
            )
            return None if generates else returned
        case _:
            return None


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _called_parameters(function: Function) -> list[str]:
    """The parameters of a function that it only calls."""
    called_names, names = set[str](), list[str]()
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called_names.add(node.func.id)
        if isinstance(node, ast.Name):
            names.append(node.id)
    call_names = [node.func.id for node in ast.walk(function)
                  if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]  # fmt: skip
    parameter_names = {*parameters(function)}
    return [
        name
        for name in sorted(called_names & parameter_names)
        if names.count(name) == call_names.count(name)
    ]


def _arguments(call: ast.Call, function: Function) -> _Arguments | None:
    """The arguments that a call binds to the parameters of a function, by name; None if they are
    not certain."""
    if any(isinstance(value, ast.Starred) for value in call.args):
        return None
    defaults, names = function.args.defaults, parameters(function)
    positional = [parameter.arg for parameter in (*function.args.posonlyargs, *function.args.args)]
    arguments = dict(zip(positional[len(positional) - len(defaults) :], defaults, strict=True))
    for parameter, value in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if value is not None:
            arguments[parameter.arg] = value
    arguments |= dict(bound_arguments(call, function))
    return arguments if arguments.keys() <= {*names} else None


class _Expansion(ast.NodeTransformer):
    """Expands the calls of functions that create a function or have one as an argument. `shared`
    are the new functions."""

    def __init__(
        self,
        factories: Mapping[str, Function | ast.Lambda],
        higher_order: Mapping[str, Function],
        partial_calls: Mapping[int, ast.Call],
    ) -> None:
        self._factories, self._higher_order = factories, higher_order
        self._partial_calls = partial_calls
        self._functions = dict[str, Function]()
        self._numbers = count()
        self.shared = list[ast.stmt]()

    def visit_Module(self, node: ast.Module) -> ast.Module:
        self._functions = _unique_functions(node)
        self.generic_visit(node)
        return node

    def _scope(self, node: Function) -> ast.AST:
        if node.name not in self._factories:
            self.generic_visit(node)
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = _scope

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call):
                if function := self._created_function(call, name):
                    return function
            case _:
                pass
        self.generic_visit(node)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if partial := self._partial_calls.get(id(node)):
            node.func = copy.deepcopy(partial.args[0])
            node.args = [*copy.deepcopy(partial.args[1:]), *node.args]
            node.keywords = [*copy.deepcopy(partial.keywords), *node.keywords]
        self.generic_visit(node)
        name = f"{syntax.method_name(node)}__{next(self._numbers)}"
        if function := self._created_function(node, name):
            self.shared.append(function)
            return ast.copy_location(ast.Name(function.name, ast.Load()), node)
        return self._specialized_call(node)

    def _created_function(self, call: ast.Call, name: str) -> Function | None:
        """The function that a call creates, under this name; None if the call creates none."""
        result = self._factories.get(syntax.method_name(call)) if _is_local_call(call) else None
        if result is None or len(self.shared) >= _MAX_FUNCTIONS:
            return None
        factory = self._functions[syntax.method_name(call)]
        arguments = _arguments(call, factory)
        if arguments is None or not all(
            isinstance(value, _SIMPLE_ARGUMENTS) for value in arguments.values()
        ):
            return None
        function = (
            _function_from_lambda(result)
            if isinstance(result, ast.Lambda)
            else copy.deepcopy(result)
        )
        function.name, function.decorator_list = name, []
        parameter_names = {*parameters(function)}
        substitution = _Substitution(
            {key: value for key, value in arguments.items() if key not in parameter_names}
        )
        function.body = [substitution.visit(node) for node in function.body]
        return ast.fix_missing_locations(function)

    def _is_callable(self, value: ast.expr | None) -> bool:
        is_function = isinstance(value, ast.Name) and value.id in self._functions
        return is_function or isinstance(value, ast.Attribute | ast.Lambda)

    def _specialized_call(self, call: ast.Call) -> ast.Call:
        """A call with functions as arguments, as the call of a new function that calls them
        directly."""
        function = (
            self._higher_order.get(syntax.method_name(call)) if _is_local_call(call) else None
        )
        arguments = (
            _arguments(call, function) if function and len(self.shared) < _MAX_FUNCTIONS else None
        )
        if function is None or not arguments:
            return call
        callables = {name: arguments[name] for name in _called_parameters(function)
                     if self._is_callable(arguments.get(name))}  # fmt: skip
        size = sum(1 for _ in ast.walk(function))
        if not callables or size > _MAX_NODES or function.args.vararg or function.args.kwarg:
            return call
        specialized = copy.deepcopy(function)
        free_names = [*_free_names(callables, call)]
        specialized.name = f"{function.name}__{next(self._numbers)}"
        specialized.body = [_Substitution(callables).visit(node) for node in specialized.body]
        excluded = {*callables, *syntax.OWN}
        names = [name for name in parameters(function)
                 if name in arguments and name not in excluded]  # fmt: skip
        names += [name for name in free_names if name not in names]
        specialized.args = ast.arguments(
            [], [ast.arg(name) for name in names], None, [], [], None, []
        )
        values = [arguments.get(name, ast.Name(name, ast.Load())) for name in names]
        self.shared.append(ast.fix_missing_locations(specialized))
        return ast.fix_missing_locations(
            ast.copy_location(ast.Call(ast.Name(specialized.name, ast.Load()), values, []), call)
        )


def _is_local_call(call: ast.Call) -> bool:
    """Whether a call may be of a function of the file."""
    match call.func:
        case ast.Name() | ast.Attribute(value=ast.Name("self")):
            return True
        case _:
            return False


def _free_names(arguments: _Arguments, call: ast.Call) -> Iterator[str]:
    """The free names of lambdas among the arguments, without the names that they call."""
    for value in arguments.values():
        if isinstance(value, ast.Lambda):
            parameter_names = {parameter.arg for parameter in value.args.args}
            called_ids = {id(node.func) for node in ast.walk(value) if isinstance(node, ast.Call)}
            called_ids |= {
                id(node.value) for node in ast.walk(value)
                if isinstance(node, ast.Attribute) and id(node) in called_ids
            }  # fmt: skip
            for node in ast.walk(value.body):
                if (
                    isinstance(node, ast.Name)
                    and id(node) not in called_ids
                    and node.id not in parameter_names
                ):
                    yield node.id


def _function_from_lambda(value: ast.Lambda) -> ast.FunctionDef:
    position = {"lineno": value.lineno, "col_offset": value.col_offset}
    body: list[ast.stmt] = [ast.Return(value.body, **position)]
    return ast.FunctionDef("", value.args, body, [], None, None, **position)


class _Substitution(ast.NodeTransformer):
    """Replaces the parameters of a function with arguments."""

    def __init__(self, arguments: Mapping[str, ast.expr]) -> None:
        self._arguments = arguments

    def visit_Call(self, node: ast.Call) -> ast.AST:
        match node.func:
            case ast.Name(id=name) if isinstance(self._arguments.get(name), ast.Lambda):
                function = self._arguments[name]
                names = [parameter.arg for parameter in function.args.args]  # type: ignore[attr-defined]
                if len(names) == len(node.args) and not node.keywords:
                    values = [self.visit(value) for value in node.args]
                    substitution = _Substitution(dict(zip(names, values, strict=True)))
                    body = copy.deepcopy(function.body)  # type: ignore[attr-defined]
                    result: ast.expr = substitution.visit(body)
                    return ast.copy_location(result, node)
            case _:
                pass
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        value = self._arguments.get(node.id)
        if value is None or not isinstance(node.ctx, ast.Load):
            return node
        return ast.copy_location(copy.deepcopy(value), node)
