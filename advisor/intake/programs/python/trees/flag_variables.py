"""Flag variables of a Python program, which say whether something failed: `ok`, `failed`."""

from __future__ import annotations

import ast
from collections import Counter


def flag_names(tree: ast.AST) -> set[str]:
    """The names that are only ever set to True, False, 0 or 1, or incremented."""
    stores, flag_stores = Counter[str](), Counter[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Store()):
                stores[name] += 1
            case ast.Assign(targets=[ast.Name(name)], value=ast.Constant(value)):
                flag_stores[name] += value in (True, False)
            case ast.AugAssign(ast.Name(name), ast.Add(), ast.Constant(1)):
                flag_stores[name] += 1
            case _:
                pass
    return {name for name, number in flag_stores.items() if number and number == stores[name]}
