"""A compose file with another one laid over it: variables by their names, what a service has one
of by the last file, lists one behind the other, and nothing of what is behind `!override` and
`!reset` (Compose file reference, "Merge")."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from advisor.intake.deployments.compose.extended import services
from advisor.intake.deployments.compose.places import key, moved, whole
from advisor.intake.formats.yaml_nodes import Leaf, tagged_paths

_MOST = 10_000
"""More than any list has."""
_OVERRIDE, _RESET = "!override", "!reset"


def merged(text: str) -> list[Leaf]:
    """The values that count of files, the last of which goes before the first. Raises
    `IntakeError`."""
    files = services(text)
    tags = tagged_paths(text, (_OVERRIDE, _RESET)) if _OVERRIDE in text or _RESET in text else []
    found = dict[tuple[str, ...], Leaf]()
    for number, every in enumerate(files):
        places = tags[number] if tags else {}
        taken_back = {path for path, tag in places.items() if tag == _RESET}
        leaves = [leaf for leaf in every if not _is_below(leaf.path, taken_back)]
        alone = whole(leaves) | places.keys()
        found = {
            place: leaf for place, leaf in found.items()
            if not (_is_below(leaf.path, alone) or _is_below(place, alone))
        }  # fmt: skip
        for leaf in leaves:
            own = replace(leaf, path=moved(leaf.path, number * _MOST))
            found[key(own)] = own
    return [*found.values()]


def _is_below(path: tuple[str, ...], places: Collection[tuple[str, ...]]) -> bool:
    """Whether a value stands in one of these places."""
    return bool(places) and any(path[:length] in places for length in range(len(path) + 1))
