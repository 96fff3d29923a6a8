"""Init containers of a pod, which end before the others start: their variables are not shared.

One with `restartPolicy: Always` keeps running as a sidecar, and is read like the others (Kubernetes
API reference, Container v1; Kubernetes, "Sidecar Containers").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.intake.deployments.kubernetes_references import given_to, source_of
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_INIT_CONTAINERS, _VARIABLES = "initContainers", {"env", "envFrom"}
_INIT_VARIABLE = "of an init container, which ends before the other containers of its pod start"


def without_init_variables(reading: Reading, every: Iterable[Sequence[Leaf]]) -> list[list[Leaf]]:
    """The resources without the variables of init containers, and without those of a ConfigMap or
    a Secret that only init containers use. Notes each variable that may be Kafka's."""
    resources = [[*leaves] for leaves in every]
    init_variables, remaining = list[Leaf](), list[list[Leaf]]()
    for leaves in resources:
        variables = {id(leaf): leaf for leaf in _init_container_variables(leaves)}
        init_variables += variables.values()
        remaining.append([leaf for leaf in leaves if id(leaf) not in variables])
    for leaf in init_variables:
        if leaf.path[-1] == "name" and "env" in leaf.path and "KAFKA" in leaf.text:
            reading.note(leaf.line, f"{shown(leaf.text)} is {_INIT_VARIABLE}: not read")
    others = {*given_to(leaf for leaves in remaining for leaf in leaves)}
    init_only = {*given_to(init_variables)} - others
    return [leaves if init_only.isdisjoint(source_of(leaves)) else _without_variables(leaves)
            for leaves in remaining]  # fmt: skip


def _init_container_variables(leaves: Sequence[Leaf]) -> Iterator[Leaf]:
    """Yields the variables of containers that end before the others start."""
    sidecars = {
        leaf.path[:-1] for leaf in leaves
        if leaf.path[-1:] == ("restartPolicy",) and leaf.text == "Always"
    }  # fmt: skip
    for leaf in leaves:
        at = leaf.path.index(_INIT_CONTAINERS) if _INIT_CONTAINERS in leaf.path else len(leaf.path)
        if {*leaf.path[at + 2 : at + 3]} & _VARIABLES and leaf.path[: at + 2] not in sidecars:
            yield leaf


def _without_variables(leaves: Iterable[Leaf]) -> list[Leaf]:
    """The leaves of a ConfigMap or a Secret without its variables: only its files are left."""
    return [
        leaf for leaf in leaves if leaf.path[:1] != ("data",) or not leaf.path[1].isidentifier()
    ]
