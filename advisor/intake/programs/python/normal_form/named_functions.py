"""Functions of a Python program under other names, as the functions themselves.

These are a lambda with a name (`tell = lambda e: log.error(e)`) and a function in a dict
(`HANDLERS["failed"](e)`).
"""

from __future__ import annotations

import ast
import copy
from collections import Counter
from collections.abc import Iterator


def with_named_functions(tree: ast.Module) -> ast.Module:
    """Returns the program with such functions called directly. A name that is assigned more than
    once keeps its value."""
    names = Counter(_names(tree))
    dicts = {
        target.id: value
        for node in ast.walk(tree) if isinstance(node, ast.Assign | ast.AnnAssign)
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        for value in [node.value]
        if isinstance(target, ast.Name) and isinstance(value, ast.Dict) and names[target.id] == 1
    }  # fmt: skip
    changed = {
        node.value.id for node in ast.walk(tree)
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name)
        and not isinstance(node.ctx, ast.Load)
    }  # fmt: skip
    rewritten: ast.Module = _Functions(
        names, {name: value for name, value in dicts.items() if name not in changed}
    ).visit(tree)
    return rewritten


def _names(tree: ast.AST) -> Iterator[str]:
    """The names that statements, functions and parameters bind."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case _:
                pass


class _Functions(ast.NodeTransformer):
    def __init__(self, names: Counter[str], dicts: dict[str, ast.Dict]) -> None:
        self._names, self._dicts = names, dicts

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        self.generic_visit(node)
        match node:
            case ast.Assign(
                targets=[ast.Name(id=name)], value=ast.Lambda(args=arguments, body=body)
            ) if self._names[name] == 1:
                statement = ast.copy_location(ast.Return(body), body)
                function = ast.FunctionDef(name, arguments, [statement], [], None, None)
                return ast.fix_missing_locations(ast.copy_location(function, node))
            case _:
                return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        match node.func:
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant() as key):
                functions = self._dicts.get(name, ast.Dict([], []))
                for other, value in zip(functions.keys, functions.values, strict=True):
                    if (
                        isinstance(other, ast.Constant)
                        and other.value == key.value
                        and isinstance(value, ast.Name | ast.Attribute | ast.Lambda)
                    ):
                        node.func = ast.copy_location(copy.deepcopy(value), node.func)
            case _:
                pass
        return node
