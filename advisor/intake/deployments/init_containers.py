"""Containers of a pod that end before its others start: what they are given, the others have not.

One with `restartPolicy: Always` stays beside them, and is read as they are (Kubernetes API
reference, Container v1; Kubernetes, "Sidecar Containers").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from advisor.intake.deployments.kubernetes_references import given_to, source_of
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_EARLY, _VARIABLES = "initContainers", {"env", "envFrom"}
_WORDS = "of an init container, which ends before the others of its pod start"


def without_early(reading: Reading, found: Iterable[Sequence[Leaf]]) -> list[list[Leaf]]:
    """The resources without the variables of init containers, and without those of a ConfigMap or
    a Secret that only these are given; with a note for each that may be Kafka's."""
    resources = [[*leaves] for leaves in found]
    early, kept = list[Leaf](), list[list[Leaf]]()
    for leaves in resources:
        own = {id(leaf): leaf for leaf in _of_early(leaves)}
        early += own.values()
        kept.append([leaf for leaf in leaves if id(leaf) not in own])
    for leaf in early:
        if leaf.path[-1] == "name" and "env" in leaf.path and "KAFKA" in leaf.text:
            reading.note(leaf.line, f"{shown(leaf.text)} is {_WORDS}: not read")
    others = {*given_to(leaf for leaves in kept for leaf in leaves)}
    only = {*given_to(early)} - others
    return [leaves if only.isdisjoint(source_of(leaves)) else _without_variables(leaves)
            for leaves in kept]  # fmt: skip


def _of_early(leaves: Sequence[Leaf]) -> Iterator[Leaf]:
    """The variables of containers that end before the others start."""
    staying = {
        leaf.path[:-1] for leaf in leaves
        if leaf.path[-1:] == ("restartPolicy",) and leaf.text == "Always"
    }  # fmt: skip
    for leaf in leaves:
        at = leaf.path.index(_EARLY) if _EARLY in leaf.path else len(leaf.path)
        if {*leaf.path[at + 2 : at + 3]} & _VARIABLES and leaf.path[: at + 2] not in staying:
            yield leaf


def _without_variables(leaves: Iterable[Leaf]) -> list[Leaf]:
    """A ConfigMap or a Secret with nothing but the files in it."""
    return [
        leaf for leaf in leaves if leaf.path[:1] != ("data",) or not leaf.path[1].isidentifier()
    ]
