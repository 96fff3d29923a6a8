"""Functions of a Python program that pass over errors for others: decorators, managers, steps.

Sources: contextlib (`contextmanager`); loguru (`logger.catch`), tenacity (`retry_error_callback`)
and backoff (`raise_on_giveup`), whose decorators return where they would raise.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from copy import deepcopy

from advisor.intake.programs.python import syntax
from advisor.intake.programs.python.clients import Function
from advisor.intake.programs.python.normal_form.aliases import OF_OBJECT, bound_arguments
from advisor.intake.programs.python.records.polled import returns_message

_DEEPEST = 2
_EXITS, _OF_WITH = ("__exit__", "__aexit__"), "with {}"


def functions_by_name(
    functions: Mapping[str, Function], is_one: Callable[..., bool], *given: set[str]
) -> set[str]:
    """The names of the functions of a kind."""
    return {name for name, function in functions.items() if is_one(function, *given)}


def called_in_loops(tree: ast.AST) -> set[str]:
    """The names of what is called in a loop."""
    loops = (node for node in syntax.nodes(tree) if isinstance(node, syntax.LOOPS))
    return {syntax.method_name(call) for loop in loops for call in syntax.calls(loop)}


def polls_once(function: Function, consumers: set[str]) -> bool:
    """Whether a function is one step of a loop elsewhere: it polls, without a loop of its own."""
    loops = [node for node in ast.walk(function) if isinstance(node, ast.While)]
    polls = any(syntax.polls(call, consumers) for call in syntax.calls(function))
    return polls and not loops and not returns_message(function, consumers)


def functions_of_file(tree: ast.AST) -> dict[str, Function]:
    """The functions of a file by what calls them: a class calls its `__init__`, an object of it
    its `__call__`, and `with` its `__exit__`."""
    found: dict[str, Function] = {}
    for node in syntax.nodes(tree):
        if isinstance(node, Function):
            found[node.name] = node
        elif isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, Function) and method.name == "__init__":
                    found[node.name] = method
                elif isinstance(method, Function) and method.name == "__call__":
                    found[OF_OBJECT.format(node.name)] = method
                elif isinstance(method, Function) and method.name in _EXITS:
                    found[_OF_WITH.format(node.name)] = method
    return found


def fields_holding_arguments(tree: ast.AST) -> dict[int, set[str]]:
    """What objects of the file's classes keep of what they are made with, such as `self.message`,
    by the `id` of each of their methods."""
    found: dict[int, set[str]] = {}
    for made in (node for node in syntax.nodes(tree) if isinstance(node, ast.ClassDef)):
        methods = [node for node in made.body if isinstance(node, Function)]
        kept = {
            f"self.{ast.unparse(field.target)}"
            for field in made.body
            if isinstance(field, ast.AnnAssign)
        }
        for node in (node for method in methods for node in ast.walk(method)):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name):
                kept.update(*map(syntax.names_in, node.targets))
        found |= {id(method): {name for name in kept if "." in name} for method in methods}
    return found


def only_logs_error(
    call: ast.Call, functions: Mapping[str, Function], depth: int = _DEEPEST
) -> bool:
    """Whether a call is one of a function of the file that only writes of an error."""
    function = functions.get(syntax.method_name(call))
    return bool(function and depth) and syntax.only_logs_and_continues(
        function.body if function else [],
        lambda inner: only_logs_error(inner, functions, depth - 1),
        in_function=True,
    )


def suppressing_manager_as_try(
    node: ast.With | ast.AsyncWith, functions: Mapping[str, Function]
) -> ast.Try | None:
    """`with` a manager of the file that passes over errors, as the `try` that it is."""
    for item in node.items:
        function = functions.get(syntax.method_name(item.context_expr))
        for attempt in ast.walk(function) if function else ():
            if managed := _managed(node, item.context_expr, function, attempt):
                return managed
        if left := _left(
            node, functions.get(_OF_WITH.format(syntax.method_name(item.context_expr)))
        ):
            return left
    return None


def _managed(
    node: ast.With | ast.AsyncWith, call: ast.expr, function: Function | None, attempt: ast.AST
) -> ast.Try | None:
    """`with` as the attempt that a manager makes of it, in its words; None for another attempt."""
    if function is None or not isinstance(attempt, ast.Try):
        return None
    places = [
        number for number, part in enumerate(attempt.body)
        if any(isinstance(inner, ast.Yield) for inner in ast.walk(part))
    ]  # fmt: skip
    if not places:
        return None
    given = dict(bound_arguments(call, function)) if isinstance(call, ast.Call) else {}
    own = _Given(given).visit(deepcopy(attempt))
    at = {"lineno": node.lineno, "col_offset": node.col_offset}
    behind = own.body[places[0] + 1 :]
    return ast.Try([*node.body, *behind], own.handlers, own.orelse, own.finalbody, **at)


class _Given(ast.NodeTransformer):
    """Puts what a function is given in the place of its parameters."""

    def __init__(self, given: Mapping[str, ast.expr]) -> None:
        self._given = given

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self._given.get(node.id, node)


def _left(node: ast.With | ast.AsyncWith, leaving: Function | None) -> ast.Try | None:
    """`with` an object whose `__exit__` commits, or passes over errors, which a true value that it
    returns does (The Python Language Reference, 3.3.9). What it asks first is not followed."""
    ends = leaving.body if leaving else []
    passes = any(
        isinstance(inner, ast.Return) and ast.unparse(inner) == "return True" for inner in ends
    )
    does: list[ast.stmt] = [deepcopy(inner) for inner in ends if isinstance(inner, ast.Expr)]
    commits = [
        call for part in does for call in syntax.calls(part) if syntax.method_name(call) == "commit"
    ]
    if not (passes or commits):
        return None
    for commit in commits:
        commit.args, commit.keywords = [], []  # by another name, the message of the loop
    at = {"lineno": node.lineno, "col_offset": node.col_offset}
    handler = ast.ExceptHandler(None, None, [ast.Pass(**at)], **at)
    return ast.Try(node.body, [handler] if passes else [], [], does, **at)


def swallowing_decorator_line(function: Function) -> int:
    """The line of a library's decorator that passes over what a function raises; 0 if there is
    none."""
    for given in function.decorator_list:
        stated = given.keywords if isinstance(given, ast.Call) else []
        named = {word.arg: ast.unparse(word.value) for word in stated}
        name = ast.unparse(given.func if isinstance(given, ast.Call) else given)
        catches = name.endswith("logger.catch") and named.get("reraise") != "True"
        gives_up = named.get("raise_on_giveup") == "False" or "retry_error_callback" in named
        if catches or gives_up:
            return given.lineno
    return 0


def is_bounded_retry(loop: ast.stmt, scope: ast.AST) -> bool:
    """Whether a loop ends after so many attempts, and the program goes on behind it."""
    if isinstance(loop, ast.For | ast.AsyncFor) and not syntax.leaves_loop(loop):
        return True
    counts = isinstance(loop, ast.For) and syntax.method_name(loop.iter) == "range"
    if isinstance(loop, ast.While):
        orders = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
        compares = [node for node in ast.walk(loop.test) if isinstance(node, ast.Compare)]
        counts = any(isinstance(op, orders) for node in compares for op in node.ops)
    later = statements_after(scope, loop) or []
    throws = any(isinstance(node, ast.Raise) for part in later for node in ast.walk(part))
    last = [node.lineno for statement in getattr(loop, "orelse", []) for node in ast.walk(statement)
            if isinstance(node, ast.Raise)]  # fmt: skip
    return counts and not last and not throws


def statements_after(scope: ast.AST, node: ast.AST) -> list[ast.stmt] | None:
    """The statements of a scope that are done behind a node; None where it is not in there."""
    if scope is node:
        return []
    for name in ("body", "cases", "handlers", "orelse", "finalbody"):
        part = getattr(scope, name, None)
        for at, inner in enumerate(part if isinstance(part, list) else []):
            found = statements_after(inner, node)
            if found is not None:
                same = part[at + 1 :] if part and name not in ("cases", "handlers") else []
                is_side = isinstance(scope, ast.If) or name == "finalbody"
                others = [] if is_side else getattr(scope, "finalbody", [])
                if name == "body" and not is_side:
                    others = [*getattr(scope, "orelse", []), *others]
                return [*found, *same, *others]
    return None
