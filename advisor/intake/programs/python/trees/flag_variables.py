"""Variables of a Python program that say whether something failed: `ok`, `failed`."""

from __future__ import annotations

import ast
from collections import Counter


def flag_names(tree: ast.AST) -> set[str]:
    """The names that are only ever made true, false, 0 or 1, or one more."""
    stored, known = Counter[str](), Counter[str]()
    for node in ast.walk(tree):
        match node:
            case ast.Name(name, ast.Store()):
                stored[name] += 1
            case ast.Assign(targets=[ast.Name(name)], value=ast.Constant(value)):
                known[name] += value in (True, False)
            case ast.AugAssign(ast.Name(name), ast.Add(), ast.Constant(1)):
                known[name] += 1
            case _:
                pass
    return {name for name, number in known.items() if number and number == stored[name]}
