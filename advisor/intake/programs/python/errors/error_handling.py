"""Functions of a Python program that handle the errors of others: context managers, and single
steps of a loop.

Source: contextlib (`contextmanager`).
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.normal_form.aliases import OF_OBJECT, bound_arguments
from advisor.intake.programs.python.records.polled import returns_message

_MAX_DEPTH = 2
_EXIT_METHODS, _EXIT_KEY = ("__exit__", "__aexit__"), "with {}"


def functions_by_name(
    functions: Mapping[str, Function], predicate: Callable[..., bool], *arguments: set[str]
) -> set[str]:
    """The names of the functions for which `predicate` holds with these `arguments`."""
    return {name for name, function in functions.items() if predicate(function, *arguments)}


def called_in_loops(tree: ast.AST) -> set[str]:
    """The names of the functions that are called in a loop."""
    loops = (node for node in syntax.nodes(tree) if isinstance(node, syntax.LOOPS))
    return {syntax.method_name(call) for loop in loops for call in syntax.calls(loop)}


def polls_once(function: Function, consumers: set[str]) -> bool:
    """Whether a function is one step of a loop elsewhere: it polls, but contains no loop."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.While)]
    polls = any(syntax.polls(call, consumers) for call in syntax.calls(function))
    return polls and not loops and not returns_message(function, consumers)


def functions_of_file(tree: ast.AST) -> dict[str, Function]:
    """The functions of a file by the names that call them: a class calls its `__init__`, its
    instances call its `__call__`, and `with` calls its `__exit__`."""
    functions: dict[str, Function] = {}
    for node in syntax.nodes(tree):
        if isinstance(node, Function):
            functions[node.name] = node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, Function) and method.name == "__init__":
                    functions[node.name] = method
                elif isinstance(method, Function) and method.name == "__call__":
                    functions[OF_OBJECT.format(node.name)] = method
                elif isinstance(method, Function) and method.name in _EXIT_METHODS:
                    functions[_EXIT_KEY.format(node.name)] = method
    return functions


def fields_holding_arguments(tree: ast.AST) -> dict[int, set[str]]:
    """The fields in which instances of the file's classes store the arguments of their constructor,
    such as `self.message`, by the `id` of each method of the class."""
    fields: dict[int, set[str]] = {}
    for class_ in (node for node in syntax.nodes(tree) if isinstance(node, ast.ClassDef)):
        methods = [node for node in class_.body if isinstance(node, Function)]
        class_fields = {
            f"self.{ast.unparse(statement.target)}"
            for statement in class_.body
            if isinstance(statement, ast.AnnAssign)
        }
        for node in (node for method in methods for node in ast.walk(method)):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                class_fields.update(*map(syntax.names_in, node.targets))
        fields |= {id(method): {name for name in class_fields if "." in name} for method in methods}
    return fields


def only_logs_error(
    call: ast.Call, functions: Callable[[ast.Call], Sequence[Function]], depth: int = _MAX_DEPTH
) -> bool:
    """Whether a call is to a function of the file that only logs an error. `functions` returns
    those that a call may run: one of several is enough."""
    return bool(depth) and any(
        syntax.only_logs_and_continues(
            function.body,
            lambda inner: only_logs_error(inner, functions, depth - 1),
            in_function=True,
        )
        for function in functions(call)
    )


def suppressing_manager_as_try(
    node: ast.With | ast.AsyncWith, functions: Mapping[str, Function]
) -> ast.Try | None:
    """The `try` that is equivalent to a `with` statement whose context manager, in this file,
    swallows errors; None for any other `with` statement."""
    for item in node.items:
        function = functions.get(syntax.method_name(item.context_expr))
        for attempt in ast.walk(function) if function else ():
            if equivalent := _generator_manager_as_try(node, item.context_expr, function, attempt):
                return equivalent
        if equivalent := _exit_method_as_try(
            node, functions.get(_EXIT_KEY.format(syntax.method_name(item.context_expr)))
        ):
            return equivalent
    return None


def _generator_manager_as_try(
    node: ast.With | ast.AsyncWith, call: ast.expr, function: Function | None, attempt: ast.AST
) -> ast.Try | None:
    """A `with` statement as the `try` of a generator around its `yield`; None if the attempt does
    not yield."""
    if function is None or not isinstance(attempt, ast.Try):
        return None
    places = [
        index for index, statement in enumerate(attempt.body)
        if any(isinstance(inner, ast.Yield) for inner in ast.walk(statement))
    ]  # fmt: skip
    if not places:
        return None
    arguments = dict(bound_arguments(call, function)) if isinstance(call, ast.Call) else {}
    handling = _ArgumentSubstitution(arguments).visit(deepcopy(attempt))
    at = {"lineno": node.lineno, "col_offset": node.col_offset}
    after = handling.body[places[0] + 1 :]
    return ast.Try(
        [*node.body, *after], handling.handlers, handling.orelse, handling.finalbody, **at
    )


class _ArgumentSubstitution(ast.NodeTransformer):
    """Replaces the parameters of a function by its arguments."""

    def __init__(self, arguments: Mapping[str, ast.expr]) -> None:
        self._arguments = arguments

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._arguments.get(node.id, node)


def _exit_method_as_try(
    node: ast.With | ast.AsyncWith, exit_method: Function | None
) -> ast.Try | None:
    """A `with` statement as a `try`, if `__exit__` commits or swallows errors by returning a true
    value (The Python Language Reference, 3.3.9)."""
    exit_body = exit_method.body if exit_method else []
    swallowed = _swallowed_types(exit_method) if exit_method else []
    final_body: list[ast.stmt] = [
        deepcopy(inner) for inner in exit_body if isinstance(inner, ast.Expr)
    ]
    commits = [
        call
        for statement in final_body
        for call in syntax.calls(statement)
        if syntax.method_name(call) == "commit"
    ]
    if not (swallowed or commits):
        return None
    for commit in commits:
        commit.args, commit.keywords = [], []  # the message of the loop has another name there
    at = {"lineno": node.lineno, "col_offset": node.col_offset}
    handlers = [ast.ExceptHandler(kind, None, [ast.Pass(**at)], **at) for kind in swallowed]
    return ast.Try(node.body, handlers, [], final_body, **at)


def _swallowed_types(exit_method: Function) -> list[ast.expr | None]:
    """The types of the errors for which an `__exit__` returns a true value; None stands for all."""
    types = list[ast.expr | None]()
    for node in ast.walk(exit_method):
        branches = [(node.test, node.body)] if isinstance(node, ast.If) else []
        branches += [(ast.Constant(True), exit_method.body)] if node is exit_method else []
        for test, body in branches:
            for statement in body:
                match statement:
                    case ast.Return(value=ast.Constant(True)):
                        types.append(_error_type(test))
                    case ast.Return(value=ast.Compare() | ast.Call() as value):
                        types.append(_error_type(value))
                    case _:
                        pass
    return types


def _error_type(test: ast.expr) -> ast.expr | None:
    """The type with which a condition compares an error; None if it only asks for an error."""
    match test:
        case ast.Call(func=ast.Name("isinstance" | "issubclass"), args=[_, kind]):
            return kind
        case ast.Compare(
            ops=[ast.Is() | ast.Eq()], comparators=[ast.Name() | ast.Attribute() as kind]
        ):
            return kind
        case ast.BoolOp(values=values):
            types = (_error_type(value) for value in values)
            return next((inner for inner in types if inner is not None), None)
        case _:
            return None


def statements_after(scope: ast.AST, node: ast.AST) -> list[ast.stmt] | None:
    """The statements of a scope that run after a node; None if the node is not in the scope."""
    if scope is node:
        return []
    for name in ("body", "cases", "handlers", "orelse", "finalbody"):
        block = getattr(scope, name, None)
        for at, inner in enumerate(block if isinstance(block, list) else []):
            following = statements_after(inner, node)
            if following is not None:
                siblings = block[at + 1 :] if block and name not in ("cases", "handlers") else []
                is_branch = isinstance(scope, ast.If) or name == "finalbody"
                later = [] if is_branch else getattr(scope, "finalbody", [])
                if name == "body" and not is_branch:
                    later = [*getattr(scope, "orelse", []), *later]
                return [*following, *siblings, *later]
    return None
