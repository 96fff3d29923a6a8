"""Variables that applications are started with, wherever those stand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.intake.deployments import dockerfile, systemd
from advisor.intake.deployments.compose.extended import services
from advisor.intake.deployments.kubernetes_references import handed_on, source_of, with_references
from advisor.intake.deployments.strimzi import resources
from advisor.intake.env_files import hands_env_on
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.kinds import has_workloads, kind_by_name, kind_of

_LINE = re.compile(r"[ \t]*(?:export[ \t]+)?(?P<name>\w{1,200})=(?P<value>.*)")
_HANDED_ON = re.compile(r"\binitContainers:|\bprefix:")
"""What may give a ConfigMap's variables to something else, or change their names."""

_OF_ONE = {"systemd": systemd.variables, "dockerfile": dockerfile.variables}
"""Kinds that start one process, each with how its variables are found."""

Source = tuple[str, str]
"""A file's name and its text."""


@dataclass(frozen=True, slots=True)
class Found:
    """A variable that a container, or what this file is handed to, has."""

    owner: tuple[str, ...]
    name: str
    value: str
    line: int


def variables(
    wanted: re.Pattern[str], source: str, text: str, others: Sequence[str]
) -> Iterator[Found]:
    """The variables of these names; what they refer to may be in other texts. Raises
    `IntakeError`."""
    kind = kind_by_name(source, text) or kind_of(text)
    if kind in _OF_ONE:
        rows = (row for row in _OF_ONE[kind](text) if wanted.fullmatch(row[0]))
        yield from (Found((), *row) for row in rows)
    if kind == "environment":
        for number, line in enumerate(text.split("\n"), start=1):
            if (row := _LINE.fullmatch(line.rstrip())) and wanted.fullmatch(row["name"]):
                value = row["value"].strip()
                value = value[1:-1] if re.fullmatch(r"([\"']).*\1", value) else value
                yield Found((), row["name"], value, number)
    is_open = _HANDED_ON.search(text) is not None
    parts = [*services(text)] if kind == "compose" else [*_resources(text, others)]
    for at, document in enumerate(parts):
        for one in _of_containers(document):
            is_left = "initContainers" in one.owner or (is_open and not one.owner)
            if wanted.fullmatch(one.name) and not is_left:
                yield Found((str(at), *one.owner), one.name, one.value, one.line)


def _resources(text: str, others: Iterable[str]) -> Iterator[list[Leaf]]:
    """The resources of a text, with what their variables refer to, without a ConfigMap that no
    container of all texts is given. Raises `IntakeError`."""
    own = [*resources(text)] if has_workloads(text) else []
    beside = (part for other in others if own and has_workloads(other) for part in resources(other))
    every = with_references([*own, *beside])
    handed = {name for part in every for _, name in handed_on(part, "/".join)}
    runs = any("containers" in leaf.path for part in every for leaf in part)
    for part in every[: len(own)]:
        named = [name for _, name in source_of(part)]
        if not (runs and named and handed.isdisjoint(named)):
            yield part


def _of_containers(document: Sequence[Leaf]) -> Iterator[Found]:
    """All variables of a document, each with whose it is."""
    named = dict[tuple[str, ...], Leaf]()
    kind = next((leaf.text for leaf in document if leaf.path == ("kind",)), "")
    for leaf in document:
        match leaf.path:
            case ("services", _, "environment", name):
                listed = leaf.text.partition("=")
                name, value = (listed[0], listed[2]) if name.isdecimal() else (name, leaf.text)
                yield Found(leaf.path[:2], name, value, leaf.line)
            case (*before, "env", number, "name"):
                named[*before, number] = leaf
            case (*before, "env", number, "value") if (*before, number) in named:
                own = named[*before, number]
                yield Found(tuple(before), own.text, leaf.text, own.line)
            case ("data", name) if kind == "ConfigMap":
                yield Found((), name, leaf.text, leaf.line)
            case _:
                pass


def is_of_compose(name: str, texts: Iterable[Source]) -> bool:
    """Whether a file is one that compose has for itself, and containers perhaps have not."""
    composes = [text for _, text in texts if kind_of(text) == "compose"]
    is_env = name.rpartition("/")[2] == ".env"
    return is_env and bool(composes) and not any(map(hands_env_on, composes))
