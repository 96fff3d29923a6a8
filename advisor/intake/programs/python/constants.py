"""Names of a Python program that stand for one value wherever they are."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator

from advisor.intake.clients.generated_names import is_generated


def constants(tree: ast.AST) -> dict[str, ast.expr]:
    """The plain values, the variables with a default, and the values that are others at each start,
    that have a name which nothing else of the program has: no parameter, import, or second
    value."""
    bound = Counter(name for node in ast.walk(tree) for name in _bound(node))
    return {
        name: value
        for node in ast.walk(tree)
        for name, value in _assigned(node)
        if bound[name] == 1 and _is_followed(value)
    }


def _is_followed(value: ast.expr) -> bool:
    is_plain = isinstance(value, ast.Constant) or default_of_variable(value) is not None
    return is_plain or is_generated(ast.unparse(value))


def _assigned(node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
            yield name, value
        case _:
            pass


def _bound(node: ast.AST) -> Iterator[str]:
    """The names that a node of a program gives something (Python Language Reference, "Binding of
    names")."""
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            yield name
        case ast.arg(arg=name):
            yield name
        case ast.alias(name=name, asname=other):
            yield other or name.partition(".")[0]
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            yield name
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            yield name
        case _:
            pass


def default_of_variable(node: ast.expr) -> ast.expr | None:
    """The default in `os.environ.get("ACKS", "all")`, `os.getenv("ACKS", "all")`, also inside
    `int(…)` and `str(…)`; None for anything else."""
    match node:
        case ast.Call(func=ast.Name(id="int" | "str"), args=[inner], keywords=[]):
            return default_of_variable(inner)
        case ast.Call(func=func, args=[ast.Constant(), ast.Constant() as stated], keywords=[]):
            plain = ast.unparse(func)
            return stated if plain.endswith(("environ.get", "getenv")) else None
        case _:
            return None


def variable_name(node: ast.expr) -> str:
    """The name of the variable in what has a `default`."""
    match node:
        case ast.Call(args=[ast.Constant(value=str(name)), _]):
            return name
        case ast.Call(args=[inner]):
            return variable_name(inner)
        case _:
            return ""
