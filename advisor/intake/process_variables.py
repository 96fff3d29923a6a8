"""The environment variables of applications, in any kind of file."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.intake.deployments import dockerfile, systemd
from advisor.intake.deployments.compose.extended import services
from advisor.intake.deployments.kubernetes_references import handed_on, source_of, with_references
from advisor.intake.deployments.strimzi import resources
from advisor.intake.env_files import has_env_file
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.kinds import detect_kind, has_workloads, kind_by_name

_ASSIGNMENT = re.compile(r"[ \t]*(?:export[ \t]+)?(?P<name>\w{1,200})=(?P<value>.*)")
_OTHER_TARGETS = re.compile(r"\binitContainers:|\bprefix:")
"""Keys that may pass the variables of a ConfigMap to another container, or rename them."""

_SINGLE_PROCESS_KINDS = {"systemd": systemd.variables, "dockerfile": dockerfile.variables}
"""Kinds that start one process, each with the function that yields its variables."""

Source = tuple[str, str]
"""A file's name and its text."""


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable of a container, or (with an empty `owner`) of the process that has this file."""

    owner: tuple[str, ...]
    name: str
    value: str
    line: int


def variables(
    wanted: re.Pattern[str], source: str, text: str, others: Sequence[str]
) -> Iterator[Variable]:
    """Yields the variables whose names match `wanted`; they may refer to other texts. Raises
    `IntakeError`."""
    kind = kind_by_name(source, text) or detect_kind(text)
    if kind in _SINGLE_PROCESS_KINDS:
        rows = (
            assignment
            for assignment in _SINGLE_PROCESS_KINDS[kind](text)
            if wanted.fullmatch(assignment[0])
        )
        yield from (Variable((), *assignment) for assignment in rows)
    if kind == "environment":
        for number, line in enumerate(text.split("\n"), start=1):
            if (assignment := _ASSIGNMENT.fullmatch(line.rstrip())) and wanted.fullmatch(
                assignment["name"]
            ):
                value = assignment["value"].strip()
                value = value[1:-1] if re.fullmatch(r"([\"']).*\1", value) else value
                yield Variable((), assignment["name"], value, number)
    has_other_targets = _OTHER_TARGETS.search(text) is not None
    parts = [*services(text)] if kind == "compose" else [*_resources(text, others)]
    for at, document in enumerate(parts):
        for variable in _container_variables(document):
            is_excluded = "initContainers" in variable.owner or (
                has_other_targets and not variable.owner
            )
            if wanted.fullmatch(variable.name) and not is_excluded:
                yield Variable(
                    (str(at), *variable.owner), variable.name, variable.value, variable.line
                )


def _resources(text: str, others: Iterable[str]) -> Iterator[list[Leaf]]:
    """Yields the resources of a text with their references resolved, without a ConfigMap that no
    container in any text uses. Raises `IntakeError`."""
    documents = [*resources(text)] if has_workloads(text) else []
    other_documents = (
        document
        for other in others
        if documents and has_workloads(other)
        for document in resources(other)
    )
    all_documents = with_references([*documents, *other_documents])
    used_names = {name for document in all_documents for _, name in handed_on(document, "/".join)}
    has_containers = any(
        "containers" in leaf.path for document in all_documents for leaf in document
    )
    for document in all_documents[: len(documents)]:
        names = [name for _, name in source_of(document)]
        if not (has_containers and names and used_names.isdisjoint(names)):
            yield document


def _container_variables(document: Sequence[Leaf]) -> Iterator[Variable]:
    """Yields all variables of a document, each with its owner."""
    name_leaves = dict[tuple[str, ...], Leaf]()
    kind = next((leaf.text for leaf in document if leaf.path == ("kind",)), "")
    for leaf in document:
        match leaf.path:
            case ("services", _, "environment", name):
                parts = leaf.text.partition("=")
                name, value = (parts[0], parts[2]) if name.isdecimal() else (name, leaf.text)
                yield Variable(leaf.path[:2], name, value, leaf.line)
            case (*before, "env", number, "name"):
                name_leaves[*before, number] = leaf
            case (*before, "env", number, "value") if (*before, number) in name_leaves:
                name_leaf = name_leaves[*before, number]
                yield Variable(tuple(before), name_leaf.text, leaf.text, name_leaf.line)
            case ("data", name) if kind == "ConfigMap":
                yield Variable((), name, leaf.text, leaf.line)
            case _:
                pass


def is_compose_env_file(name: str, texts: Iterable[Source]) -> bool:
    """Whether a file is the `.env` of a compose file that no service uses as its `env_file`."""
    composes = [text for _, text in texts if detect_kind(text) == "compose"]
    is_env = name.rpartition("/")[2] == ".env"
    return is_env and bool(composes) and not any(map(has_env_file, composes))
