"""A compose file with another one laid over it: variables by their names, what a service has one
of by the last file, lists one behind the other, and nothing of what is behind `!override` and
`!reset` (Compose file reference, "Merge")."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from advisor.intake.formats.yaml_nodes import Leaf, documents, tagged

_WHOLE = ("command", "entrypoint")
"""What the last file that has it says alone."""
_MOST = 10_000
"""More than any list has."""
_TARGET = re.compile(r"(?:[^\n]*:)?(/[^:\n]*)(?::[\w,]+)?")


_OVERRIDE, _RESET = "!override", "!reset"


def merged(text: str) -> list[Leaf]:
    """The values that count of files, the last of which goes before the first. Raises
    `IntakeError`."""
    files = documents(text)
    tags = tagged(text, (_OVERRIDE, _RESET)) if _OVERRIDE in text or _RESET in text else []
    found = dict[tuple[str, ...], Leaf]()
    for number, every in enumerate(files):
        places = tags[number] if tags else {}
        taken_back = {path for path, tag in places.items() if tag == _RESET}
        leaves = [leaf for leaf in every if not _is_below(leaf.path, taken_back)]
        whole = {leaf.path[:3] for leaf in leaves if len(leaf.path) > 2 and leaf.path[2] in _WHOLE}
        whole |= places.keys()
        found = {
            key: leaf for key, leaf in found.items()
            if not (_is_below(leaf.path, whole) or _is_below(key, whole))
        }  # fmt: skip
        for leaf in leaves:
            own = replace(leaf, path=_moved(leaf.path, number))
            found[_key(own)] = own
    return [*found.values()]


def _is_below(path: tuple[str, ...], places: Collection[tuple[str, ...]]) -> bool:
    """Whether a value stands in one of these places."""
    return bool(places) and any(path[:length] in places for length in range(len(path) + 1))


def _moved(path: tuple[str, ...], number: int) -> tuple[str, ...]:
    """A path in which the entries of a list have numbers that no other file's have."""
    return tuple(
        str(int(part) + number * _MOST)
        if place == 3 and part.isdecimal() and path[2] not in _WHOLE else part
        for place, part in enumerate(path)
    )  # fmt: skip


def _key(leaf: Leaf) -> tuple[str, ...]:
    """What a value stands for: a variable by its name, in a mapping or a list, and a volume by its
    folder in the container."""
    match leaf.path:
        case ("services", service, "environment", name) if name.isdecimal():
            return ("services", service, "environment", leaf.text.partition("=")[0])
        case ("services", service, "volumes", _) if target := _TARGET.fullmatch(leaf.text):
            return ("services", service, "volumes", target[1])
        case path:
            return path
