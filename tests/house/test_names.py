"""Names state what they hold: words that fit everything are too vague for a name."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.house.files import files, name

VAGUE = frozenset({
    "beside", "each", "found", "lapse", "said", "silence", "told", "unweighed", "ways",
})  # fmt: skip


def assigned_names(module: ast.Module) -> Iterator[tuple[str, int]]:
    """Yields each name that a module defines or assigns, and its line."""
    for node in ast.walk(module):
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name, node.lineno
            case ast.arg():
                yield node.arg, node.lineno
            case ast.Name(ctx=ast.Store()):
                yield node.id, node.lineno
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr, node.lineno
            case _:
                pass


def product_files() -> list[Path]:
    return [
        path for path in files("*.py")
        if not name(path).startswith("tests/")
    ]  # fmt: skip


def test_no_name_is_vague() -> None:
    assert [
        f"{name(path)}:{line}: {identifier}"
        for path in product_files()
        for identifier, line in assigned_names(ast.parse(path.read_text("utf-8")))
        if identifier.strip("_").lower() in VAGUE
    ] == []
    assert [name(path) for path in product_files() if path.stem in VAGUE] == []
