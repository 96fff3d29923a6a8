"""Named binders of a Spring Cloud Stream application, each with an environment.

The settings of a binder's environment count for it as if they stood at the root of the file, and
override those. With `inherit-environment=false` the settings at the root do not count
(spring-cloud-stream reference, "Connecting to Multiple Systems"; DefaultBinderFactory).
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
_BINDING = re.compile(rf"{re.escape(_ROOT)}bindings\.(?P<binding>[^.]+)\.(?P<name>.+)")
_DEFAULT_BINDER = re.compile(rf"{re.escape(_ROOT)}default-?binder")
_ROOT_SETTING = re.compile(rf"spring\.kafka\.|{re.escape(_ROOT)}kafka\.binder\.")
"""Settings at the root of the file that a binder inherits."""
_CLUSTER_SETTING = re.compile(
    r"brokers|bootstrap|zk|zookeeper|jaas|ssl|sasl|security|password|client\.?id|default-?broker"
)
"""Names of settings for the address of a cluster and the access to it."""
_Settings = dict[str, Leaf]


def with_environment(reading: Reading, leaves: Sequence[Leaf]) -> tuple[list[Leaf], bool]:
    """The leaves with the environment of the Kafka binder at their root, and whether there is such
    a binder.

    Binders may differ only in their clusters: any other difference is a problem.
    """
    binders: dict[str, _Settings] = {}
    for leaf in leaves:
        if match := _BINDER.fullmatch(leaf.path[0]):
            binders.setdefault(match["binder"], {})[match["name"]] = leaf
    chosen = _chosen_binders(leaves)
    kafka_binders = [
        name for name, settings in binders.items() if _binder_type(name, settings) == "kafka"
    ]
    used = [name for name in kafka_binders if name in chosen.values()] or kafka_binders
    if not used:
        return [*leaves], False
    _refuse_differing(reading, {name: binders[name] for name in used})
    other_bindings = {
        binding for binding, name in chosen.items() if name in binders.keys() - {*kafka_binders}
    }
    rest = [leaf for leaf in leaves if not _belongs_to(leaf, {*kafka_binders}, other_bindings)]
    settings = binders[used[0]]
    if (inherits := settings.get("inherit-environment") or settings.get("inheritenvironment")) and (
        inherits.text.lower() == "false"
    ):
        rest = [leaf for leaf in rest if not _ROOT_SETTING.match(leaf.path[0])]
    environment = _environment(settings)
    names = {relaxed(name) for name in environment}
    rest = [leaf for leaf in rest if relaxed(leaf.path[0]) not in names]
    return [*rest, *environment.values()], True


def _chosen_binders(leaves: Sequence[Leaf]) -> dict[str, str]:
    """The binder that each binding names; that of the default is under an empty name."""
    binders = {}
    for leaf in leaves:
        match = _BINDING.fullmatch(leaf.path[0])
        if match and match["name"] == "binder":
            binders[match["binding"]] = leaf.text.lower()
        elif _DEFAULT_BINDER.fullmatch(leaf.path[0]):
            binders[""] = leaf.text.lower()
    return binders


def _binder_type(name: str, settings: _Settings) -> str:
    leaf = settings.get("type")
    return leaf.text.lower() if leaf else name


def _environment(settings: _Settings) -> _Settings:
    return {
        name.removeprefix(_ENVIRONMENT): replace(leaf, path=(name.removeprefix(_ENVIRONMENT),))
        for name, leaf in settings.items()
        if name.startswith(_ENVIRONMENT)
    }


def _belongs_to(leaf: Leaf, binders: set[str], bindings: set[str]) -> bool:
    """Whether a leaf belongs to one of these binders, or to one of these bindings."""
    binder, binding = _BINDER.fullmatch(leaf.path[0]), _BINDING.fullmatch(leaf.path[0])
    return (binder is not None and binder["binder"] in binders) or (
        binding is not None and binding["binding"] in bindings
    )


def _refuse_differing(reading: Reading, binders: dict[str, _Settings]) -> None:
    """Adds a problem for the first setting in which two binders differ."""
    names = [*binders]
    first = _environment(binders[names[0]])
    for name in names[1:]:
        other = _environment(binders[name])
        for key in [*first, *(key for key in other if key not in first)]:
            one, two = first.get(key), other.get(key)
            if _CLUSTER_SETTING.search(key) or (one and one.text) == (two and two.text):
                continue
            leaf = two or one
            if leaf is None:
                continue
            at = next(iter(binders[names[0]].values())).line
            words = f"this binder and the one on line {at} differ in {shown(key)}. A pipeline "
            words += "uses one of them: leave out the other, with its bindings"
            reading.add_problem(Component.APPLICATION, "framework", leaf.line, words)
            return
