"""Property files and YAML in random equivalent forms."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from random import Random
from typing import Any

Row = tuple[str, str]
"""A dotted name and a value."""

_DOT = re.compile(r"\.(?![^\[]*\])|(?=\[)")
"""Where a part of a name ends. Text in square brackets is one part."""


def properties(random: Random, rows: Iterable[Row]) -> str:
    """A Java property file in random forms."""
    return "".join(_row(random, name, value) for name, value in rows)


def _row(random: Random, name: str, value: str) -> str:
    before = random.choice(["", "", "", "# set by us\n", "! old\n", "\n", f"#{name}=0\n"])
    indent = random.choice(["", "", "", "  ", "\t"])
    between = random.choice(["=", "=", " = ", ": ", ":", " ", "\t", "= "])
    if random.random() < 0.1 and len(name) > 3:
        at = random.randrange(1, len(name))
        name = f"{name[:at]}\\\n   {name[at:]}"
    elif random.random() < 0.05:
        name = f"\\u{ord(name[0]):04x}{name[1:]}"
    if random.random() < 0.1 and len(value) > 1:
        at = random.randrange(1, len(value))
        value = f"{value[:at]}\\\n  {value[at:]}"
    elif random.random() < 0.1:
        value = f"\\\n    {value}"
    return f"{before}{indent}{name}{between}{value}\n"


def tree(rows: Iterable[Row]) -> dict[str, Any] | None:
    """The rows as nested maps; None if a name is both a value and a map."""
    root: dict[str, Any] = {}
    for name, value in rows:
        *heads, last = _DOT.split(name)
        at = root
        for head in heads:
            at = at.setdefault(head, {})
            if not isinstance(at, dict):
                return None
        if isinstance(at.get(last), dict):
            return None
        at[last] = value
    return root


def yaml(random: Random, rows: Sequence[Row], *, depth: int = 99) -> str:
    """Block-style YAML, with nested or dotted names."""
    nested = tree(rows) if random.random() < 0.7 else None
    if nested is None:
        return "".join(f"{_key(random, name)}: {scalar(random, value)}\n" for name, value in rows)
    return "".join(_block(random, nested, 0, random.choice([2, 4])))


def _block(random: Random, node: dict[str, Any], level: int, width: int) -> Iterable[str]:
    pad = " " * (level * width)
    for name, value in node.items():
        while isinstance(value, dict) and len(value) == 1 and random.random() < 0.3:
            ((inner, value),) = value.items()
            name = f"{name}.{inner}"
        if random.random() < 0.08:
            yield f"{pad}# {name}: 0\n"
        if not isinstance(value, dict):
            comment = random.choice(["", "", "", "  # as agreed"])
            yield f"{pad}{_key(random, name)}: {scalar(random, value)}{comment}\n"
        elif random.random() < 0.1 and all(isinstance(item, str) for item in value.values()):
            inside = ", ".join(
                f"{_flow(key)}: {scalar(random, item)}" for key, item in value.items()
            )
            yield f"{pad}{_key(random, name)}: {{{inside}}}\n"
        else:
            yield f"{pad}{_key(random, name)}:\n"
            yield from _block(random, value, level + 1, width)


def _flow(name: str) -> str:
    return f'"{name}"' if set(name) & set("[]{}$") else name


def _key(random: Random, name: str) -> str:
    quoted = name[:1] in '[%"{' or random.random() < 0.05
    return f'"{name}"' if quoted else name


def scalar(random: Random, value: str) -> str:
    """A value with or without quotes."""
    if set(value) & set("${}:#,[]&*%@!|>'`") or not value:
        return f'"{value}"'
    return random.choice([value, value, f'"{value}"', f"'{value}'"])
