"""Names of a Python program that have one value throughout."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from advisor.intake.clients.generated_names import is_generated


def constants(tree: ast.AST) -> dict[str, ast.expr]:
    """The names that a program binds once, with their values.

    A value is a literal, a variable with a default, or a value that differs at each start. A
    parameter, an import or a second assignment is another binding.
    """
    bindings = Counter(name for node in ast.walk(tree) for name in _bound_names(node))
    return {
        name: value
        for node in ast.walk(tree)
        for name, value in _assignments(node)
        if bindings[name] == 1 and _is_constant(value)
    }


def _is_constant(value: ast.expr) -> bool:
    is_literal = isinstance(value, ast.Constant) or default_of_variable(value) is not None
    return is_literal or is_generated(ast.unparse(value))


def _assignments(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case _:
            pass


def _bound_names(node: ast.AST) -> Iterator[str]:
    """Yields the names that a node binds (Python Language Reference, "Binding of names")."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.arg(arg=name):
            yield name
        case ast.alias(name=name, asname=alias):
            yield alias or name.partition(".")[0]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
        case _:
            pass


def unread_names(tree: ast.AST) -> set[str]:
    """The names that a program assigns and never reads."""
    names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    read = {node.id for node in names if not isinstance(node.ctx, ast.Store)}
    read |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return {node.id for node in names if isinstance(node.ctx, ast.Store)} - read


def default_of_variable(node: ast.expr) -> ast.expr | None:
    """The default in `os.environ.get("ACKS", "all")` or `os.getenv("ACKS", "all")`, also inside
    `int(…)` and `str(…)`; None for anything else."""
    match node:
        case ast.Call(func=ast.Name(id="int" | "str"), args=[inner], keywords=[]):
            return default_of_variable(inner)
        case ast.Call(func=func, args=[ast.Constant(), ast.Constant() as default], keywords=[]):
            callee = ast.unparse(func)
            return default if callee.endswith(("environ.get", "getenv")) else None
        case _:
            return None


def variable_name(node: ast.expr) -> str:
    """The name of the variable in an expression that has a `default_of_variable`."""
    match node:
        case ast.Call(args=[ast.Constant(value=str(name)), _]):
            return name
        case ast.Call(args=[inner]):
            return variable_name(inner)
        case _:
            return ""
