"""Compose files that are merged: the last file wins for variables by name and for single values,
lists are joined, and `!override` and `!reset` drop earlier values (Compose file reference,
"Merge")."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from advisor.intake.deployments.compose.extended import services
from advisor.intake.deployments.compose.places import override_key, replaced_paths, with_list_offset
from advisor.intake.formats.yaml_nodes import Leaf, tagged_paths

_LIST_OFFSET = 10_000
"""An offset that is larger than the number of entries of any list."""
_OVERRIDE, _RESET = "!override", "!reset"


def merged(text: str) -> list[Leaf]:
    """The values of several files that count: those of the last file override the others. Raises
    `IntakeError`."""
    files = services(text)
    tags = tagged_paths(text, (_OVERRIDE, _RESET)) if _OVERRIDE in text or _RESET in text else []
    merged_leaves = dict[tuple[str, ...], Leaf]()
    for number, file_leaves in enumerate(files):
        places = tags[number] if tags else {}
        reset = {path for path, tag in places.items() if tag == _RESET}
        leaves = [leaf for leaf in file_leaves if not _is_below(leaf.path, reset)]
        replaced = replaced_paths(leaves) | places.keys()
        merged_leaves = {
            place: leaf for place, leaf in merged_leaves.items()
            if not (_is_below(leaf.path, replaced) or _is_below(place, replaced))
        }  # fmt: skip
        for leaf in leaves:
            moved_leaf = replace(leaf, path=with_list_offset(leaf.path, number * _LIST_OFFSET))
            merged_leaves[override_key(moved_leaf)] = moved_leaf
    return [*merged_leaves.values()]


def _is_below(path: tuple[str, ...], places: Collection[tuple[str, ...]]) -> bool:
    """Whether a path is one of these places, or below one."""
    return bool(places) and any(path[:length] in places for length in range(len(path) + 1))
