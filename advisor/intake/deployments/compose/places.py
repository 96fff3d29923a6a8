"""What the values of a service stand for where one file, or one service, is laid over another."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.intake.formats.yaml_nodes import Leaf

_WHOLE = ("command", "entrypoint")
"""What the last one that has it says alone."""
_TARGET = re.compile(r"(?:[^\n]*:)?(/[^:\n]*)(?::[\w,]+)?")


def whole(leaves: Iterable[Leaf]) -> set[tuple[str, ...]]:
    """The places of these values that replace what is beneath them, whatever that is."""
    return {leaf.path[:3] for leaf in leaves if len(leaf.path) > 2 and leaf.path[2] in _WHOLE}


def moved(path: tuple[str, ...], by: int) -> tuple[str, ...]:
    """A path in which the entries of a list have numbers that are higher by so many."""
    return tuple(
        str(int(part) + by)
        if place == 3 and part.isdecimal() and path[2] not in _WHOLE else part
        for place, part in enumerate(path)
    )  # fmt: skip


def key(leaf: Leaf) -> tuple[str, ...]:
    """What a value stands for: a variable by its name, in a mapping or a list, and a volume by its
    folder in the container."""
    match leaf.path:
        case ("services", service, "environment", name) if name.isdecimal():
            return ("services", service, "environment", leaf.text.partition("=")[0])
        case ("services", service, "volumes", _) if target := _TARGET.fullmatch(leaf.text):
            return ("services", service, "volumes", target[1])
        case path:
            return path
