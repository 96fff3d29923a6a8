"""Ids that must be unique, in variables that several instances of an application share.

Sources: KIP-345 (a static member that joins fences the earlier one with its id), KIP-848 (it is
refused while that one is alive), KIP-98 (a producer fences the earlier one with its id).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_UNIQUE = re.compile(
    r"(?:group[._]?instance[._]?id|transactional[._]?id|transaction[._]?id[._]?prefix)\Z",
    re.IGNORECASE,
)
_STATIC = re.compile(r"group[._]?instance[._]?id\Z", re.IGNORECASE)
_REFERENCE = re.compile(r"\$\((\w{1,80})\)")
_FILLED_IN = re.compile(r"[$`]|\{\{")


def note_instances(reading: Reading, leaves: Sequence[Leaf]) -> None:
    """Notes such an id of a service or a workload that states how many instances it starts."""
    counts = {
        leaf.path[:2] if leaf.path[0] == "services" else (): int(leaf.text)
        for leaf in leaves
        if _is_count(leaf.path) and leaf.text.isdecimal()
    }
    for owner, name, text, line in _variables(leaves):
        number = counts.get(owner, 1)
        if number > 1 and text and _UNIQUE.search(name) and not _FILLED_IN.search(text):
            words = f"{number} instances start with this {shown(name)}: one that starts fences the "
            words += "other, or is refused. Make it unique, for example with the name of the pod"
            reading.note(line, words)


def with_named_pod(name: str, text: str) -> str:
    """The value of a variable, with `$(POD_NAME)` in a static member's id as plain text: Kubernetes
    fills it in, and any text is such an id."""
    return _REFERENCE.sub(r"\1", text) if _STATIC.search(name) else text


def _is_count(path: tuple[str, ...]) -> bool:
    match path:
        case ("services", _, "deploy", "replicas") | ("services", _, "scale"):
            return True
        case ("spec", "replicas"):
            return True
        case _:
            return False


def _variables(leaves: Sequence[Leaf]) -> Iterator[tuple[tuple[str, ...], str, str, int]]:
    """Yields the service (empty for a workload), the name, the value and the line of variables."""
    values = {leaf.path[:-1]: leaf.text for leaf in leaves if leaf.path[-1:] == ("value",)}
    for leaf in leaves:
        match leaf.path:
            case ("services", _, "environment", name):
                listed, _, value = leaf.text.partition("=")
                pair = (listed, value) if name.isdecimal() else (name, leaf.text)
                yield leaf.path[:2], *pair, leaf.line
            case (*_, "env", _, "name"):
                yield (), leaf.text, values.get(leaf.path[:-1], ""), leaf.line
            case _:
                pass
