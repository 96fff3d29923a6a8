"""The files of an application in a ConfigMap, as files of their own, where what starts the
application states variables that count with them: those are put together as for other files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.intake.application_file import file_profile
from advisor.intake.deployments.kubernetes_references import given_to
from advisor.intake.formats.yaml_nodes import Leaf, documents
from advisor.intake.framework_variables import VARIABLE
from advisor.intake.kinds import has_workloads
from advisor.intake.started_variables import Source
from advisor.intake.text import MARK, IntakeError

_STATED = re.compile(r"^data:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _ConfigMap:
    """A ConfigMap with files of an application: in which text it is, its name and the files."""

    source: Source
    name: str
    files: Sequence[Leaf]


def taken_out(texts: Sequence[Source]) -> list[Source]:
    """The files, those of the one ConfigMap that has some as files of their own, where the one pod
    has them and variables count with them; their names stand below that of the manifest."""
    if not any(_STATED.search(text) and "application" in text for _, text in texts):
        return [*texts]
    try:
        found = {name: [*documents(text.removeprefix(MARK))] for name, text in texts
                 if has_workloads(text)}  # fmt: skip
    except IntakeError:  # told where the file is read
        return [*texts]
    maps = [one for source in texts for part in found.get(source[0], ())
            for one in _with_files(source, part)]  # fmt: skip
    pods = [part for parts in found.values() for part in parts
            if any("containers" in leaf.path for leaf in part)]  # fmt: skip
    given = {name for pod in pods for kind, name in given_to(pod) if kind == "configMapRef"}
    others = any(file_profile(name) is not None for name, _ in texts)
    if not (len(maps) == len(pods) == 1 and maps[0].name in given) or others:
        return [*texts]
    counts = any(VARIABLE.search(text) for _, text in texts)
    rest = _without(maps[0]) if counts or any("${" in leaf.text for leaf in maps[0].files) else ""
    if not rest:
        return [*texts]
    name = maps[0].source[0]
    own = [(f"{name}/{leaf.path[1]}", leaf.text) for leaf in maps[0].files]
    return [*((row[0], rest) if row == maps[0].source else row for row in texts), *own]


def _with_files(source: Source, leaves: Sequence[Leaf]) -> Iterator[_ConfigMap]:
    stated = {leaf.path: leaf.text for leaf in leaves if leaf.path[0] in ("kind", "metadata")}
    files = [
        leaf for leaf in leaves
        if leaf.path[0] == "data" and len(leaf.path) == 2 and file_profile(leaf.path[1]) is not None
    ]  # fmt: skip
    if files and stated.get(("kind",)) == "ConfigMap":
        yield _ConfigMap(source, stated.get(("metadata", "name"), ""), files)


def _without(one: _ConfigMap) -> str:
    """The text of a manifest without these files; empty where one does not stand in it as it is."""
    lines = one.source[1].split("\n")
    for leaf in one.files:
        own = leaf.text.rstrip("\n").split("\n")
        there = lines[leaf.line : leaf.line + len(own)]
        if _stripped(there) != _stripped(own):
            return ""
        lines[leaf.line - 1 : leaf.line + len(own)] = [""] * (len(own) + 1)
    return "\n".join(lines)


def _stripped(lines: Iterable[str]) -> list[str]:
    return [line.strip() for line in lines]
