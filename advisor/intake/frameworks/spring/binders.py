"""Binders that an application of Spring Cloud Stream states by name, each with an environment.

What stands in a binder's environment counts for it as if it stood at the root of the file, and
goes before that; with `inherit-environment=false` the root's does not count (spring-cloud-stream
reference, "Connecting to Multiple Systems"; DefaultBinderFactory).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from advisor.catalog import Component
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.names import relaxed
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_ROOT = "spring.cloud.stream."
_BINDER = re.compile(rf"{re.escape(_ROOT)}binders\.(?P<binder>[^.]+)\.(?P<name>.+)")
_ENVIRONMENT = "environment."
_BOUND = re.compile(rf"{re.escape(_ROOT)}bindings\.(?P<binding>[^.]+)\.(?P<name>.+)")
_DEFAULT = re.compile(rf"{re.escape(_ROOT)}default-?binder")
_OF_ROOT = re.compile(rf"spring\.kafka\.|{re.escape(_ROOT)}kafka\.binder\.")
"""What a binder has from the root of the file."""
_PLACES = re.compile(
    r"brokers|bootstrap|zk|zookeeper|jaas|ssl|sasl|security|password|client\.?id|default-?broker"
)
"""Names that say where a cluster is and how one gets in."""
_Stated = dict[str, Leaf]


def settled(reading: Reading, leaves: Sequence[Leaf]) -> tuple[list[Leaf], bool]:
    """The leaves with the environment of Kafka's binder at their root, and whether there is one.

    Of several that differ in more than their clusters none is taken: that is a problem.
    """
    stated: dict[str, _Stated] = {}
    for leaf in leaves:
        if match := _BINDER.fullmatch(leaf.path[0]):
            stated.setdefault(match["binder"], {})[match["name"]] = leaf
    chosen = _chosen(leaves)
    of_kafka = [name for name, own in stated.items() if _type(name, own) == "kafka"]
    used = [name for name in of_kafka if name in chosen.values()] or of_kafka
    if not used:
        return [*leaves], False
    _refuse_differing(reading, {name: stated[name] for name in used})
    others = {binding for binding, name in chosen.items() if name in stated.keys() - {*of_kafka}}
    rest = [leaf for leaf in leaves if not _is_of(leaf, {*of_kafka}, others)]
    own = stated[used[0]]
    if (inherits := own.get("inherit-environment") or own.get("inheritenvironment")) and (
        inherits.text.lower() == "false"
    ):
        rest = [leaf for leaf in rest if not _OF_ROOT.match(leaf.path[0])]
    environment = _environment(own)
    names = {relaxed(name) for name in environment}
    rest = [leaf for leaf in rest if relaxed(leaf.path[0]) not in names]
    return [*rest, *environment.values()], True


def _chosen(leaves: Sequence[Leaf]) -> dict[str, str]:
    """The binder of each binding that names one; the default's is under an empty name."""
    chosen = {}
    for leaf in leaves:
        match = _BOUND.fullmatch(leaf.path[0])
        if match and match["name"] == "binder":
            chosen[match["binding"]] = leaf.text.lower()
        elif _DEFAULT.fullmatch(leaf.path[0]):
            chosen[""] = leaf.text.lower()
    return chosen


def _type(name: str, own: _Stated) -> str:
    stated = own.get("type")
    return stated.text.lower() if stated else name


def _environment(own: _Stated) -> _Stated:
    return {
        name.removeprefix(_ENVIRONMENT): replace(leaf, path=(name.removeprefix(_ENVIRONMENT),))
        for name, leaf in own.items()
        if name.startswith(_ENVIRONMENT)
    }


def _is_of(leaf: Leaf, binders: set[str], bindings: set[str]) -> bool:
    """Whether a leaf is of these binders' own, or of these bindings."""
    binder, bound = _BINDER.fullmatch(leaf.path[0]), _BOUND.fullmatch(leaf.path[0])
    return (binder is not None and binder["binder"] in binders) or (
        bound is not None and bound["binding"] in bindings
    )


def _refuse_differing(reading: Reading, binders: dict[str, _Stated]) -> None:
    """Adds a problem for the first setting in which two binders differ."""
    names = [*binders]
    first = _environment(binders[names[0]])
    for name in names[1:]:
        other = _environment(binders[name])
        for key in [*first, *(key for key in other if key not in first)]:
            one, two = first.get(key), other.get(key)
            if _PLACES.search(key) or (one and one.text) == (two and two.text):
                continue
            leaf = two or one
            if leaf is None:
                continue
            at = next(iter(binders[names[0]].values())).line
            words = f"this binder and the one on line {at} differ in {shown(key)}. A pipeline has "
            words += "one of them: leave out the other, with its bindings"
            reading.wrong(Component.APPLICATION, "framework", leaf.line, words)
            return
