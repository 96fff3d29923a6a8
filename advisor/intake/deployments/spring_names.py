"""Variables of Spring that are not written in capitals with underscores.

Spring also takes a property from `spring.kafka.producer.acks` and from
`spring_kafka_producer_acks` (SystemEnvironmentPropertyMapper and DefaultPropertyMapper). Docker and
Kubernetes allow such names of variables.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from advisor.intake.formats.yaml_nodes import Leaf

_DOTTED = re.compile(
    r"spring\.(?:kafka|cloud\.stream|profiles)\.[a-z0-9.-]{1,150}(?:\[[a-z0-9.-]{1,80}\])?",
    re.IGNORECASE,
)
_FILE = re.compile(r"\.(?:properties|ya?ml|json)\Z")
"""The names of files in a ConfigMap."""
_UNDERSCORED = re.compile(r"spring_(?:kafka|cloud_stream|profiles)_[a-z0-9_]{1,150}", re.IGNORECASE)


def with_spring_names(leaves: Sequence[Leaf]) -> list[Leaf]:
    """The leaves, with the names of Spring's variables in capitals. Two spellings of one name in
    one place stay as they are: which of them counts depends on Spring's mappers."""
    spelled = Counter((place, _letters(name)) for place, name in map(_variable, leaves) if name)
    return [
        _renamed(leaf, name, _in_capitals(name))
        if name and spelled[place, _letters(name)] == 1
        else leaf
        for leaf in leaves
        for place, name in (_variable(leaf),)
    ]


def _letters(name: str) -> str:
    """What all spellings of a name share: `AUTO_OFFSET_RESET` is `auto-offset-reset`, too."""
    return _in_capitals(name).replace("_", "")


def _variable(leaf: Leaf) -> tuple[tuple[str, ...], str]:
    """The place and the name of a variable; no name for any other leaf."""
    match leaf.path:
        case ("services", _, "environment", name):
            return leaf.path[:3], leaf.text.partition("=")[0] if name.isdecimal() else name
        case (*container, "env", _, "name"):
            return tuple(container), leaf.text
        case ("data", name) if not _FILE.search(name) and "\n" not in leaf.text:
            return ("data",), name
        case _:
            return (), ""


def _renamed(leaf: Leaf, name: str, new: str) -> Leaf:
    if leaf.path[-1] == name:
        return replace(leaf, path=(*leaf.path[:-1], new))
    return replace(leaf, text=new + leaf.text.removeprefix(name))


def _in_capitals(name: str) -> str:
    """The name in capitals, if it is one of Spring's; otherwise unchanged."""
    if not (_DOTTED.fullmatch(name) or _UNDERSCORED.fullmatch(name)):
        return name
    return re.sub(r"[.\[]", "_", name.removesuffix("]").replace("-", "")).upper()
