"""Keys of a service's values, by which one file or service overrides another."""

from __future__ import annotations

import re
from collections.abc import Iterable

from advisor.intake.formats.yaml_nodes import Leaf

_COMMANDS = ("command", "entrypoint")
"""Keys whose value replaces the earlier one as a whole."""
_VOLUME_TARGET = re.compile(r"(?:[^\n]*:)?(/[^:\n]*)(?::[\w,]+)?")


def replaced_paths(leaves: Iterable[Leaf]) -> set[tuple[str, ...]]:
    """The paths at which these values replace every earlier value."""
    return {leaf.path[:3] for leaf in leaves if len(leaf.path) > 2 and leaf.path[2] in _COMMANDS}


def with_list_offset(path: tuple[str, ...], by: int) -> tuple[str, ...]:
    """A path whose index into a list is higher by `by`."""
    return tuple(
        str(int(part) + by)
        if place == 3 and part.isdecimal() and path[2] not in _COMMANDS else part
        for place, part in enumerate(path)
    )  # fmt: skip


def override_key(leaf: Leaf) -> tuple[str, ...]:
    """The key of a value: a variable's name, in a mapping or a list, or a volume's folder in the
    container; else its path."""
    match leaf.path:
        case ("services", service, "environment", name) if name.isdecimal():
            return ("services", service, "environment", leaf.text.partition("=")[0])
        case ("services", service, "volumes", _) if target := _VOLUME_TARGET.fullmatch(leaf.text):
            return ("services", service, "volumes", target[1])
        case path:
            return path
