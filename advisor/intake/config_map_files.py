"""Files of an application inside a ConfigMap, as separate files where the manifest of the
application also sets variables: the two are then combined as for other files."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from advisor.intake.application_file import file_profile
from advisor.intake.deployments.kubernetes_references import given_to
from advisor.intake.formats.yaml_nodes import Leaf, documents
from advisor.intake.framework_variables import VARIABLE
from advisor.intake.kinds import has_workloads
from advisor.intake.process_variables import Source
from advisor.intake.text import MARK, IntakeError

_CONFIG_MAP_DATA = re.compile(r"^data:", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _ConfigMap:
    """A ConfigMap that holds files of an application: its manifest, its name and the files."""

    source: Source
    name: str
    files: Sequence[Leaf]


def with_config_map_files(texts: Sequence[Source]) -> list[Source]:
    """Returns the sources, with the files of a ConfigMap as separate sources.

    This is done where there is one such ConfigMap and one pod, which refers to it and also has
    variables or placeholders. The files are named as if the manifest were their folder.
    """
    if not any(_CONFIG_MAP_DATA.search(text) and "application" in text for _, text in texts):
        return [*texts]
    try:
        documents_by_name = {name: [*documents(text.removeprefix(MARK))] for name, text in texts
                 if has_workloads(text)}  # fmt: skip
    except IntakeError:  # reported where the file is read
        return [*texts]
    maps = [config_map for source in texts for document in documents_by_name.get(source[0], ())
            for config_map in _maps_with_files(source, document)]  # fmt: skip
    pods = [document for parts in documents_by_name.values() for document in parts
            if any("containers" in leaf.path for leaf in document)]  # fmt: skip
    names_in_pods = {name for pod in pods for kind, name in given_to(pod) if kind == "configMapRef"}
    has_files = any(file_profile(name) is not None for name, _ in texts)
    if not (len(maps) == len(pods) == 1 and maps[0].name in names_in_pods) or has_files:
        return [*texts]
    has_variables = any(VARIABLE.search(text) for _, text in texts)
    rest = (
        _manifest_without(maps[0])
        if has_variables or any("${" in leaf.text for leaf in maps[0].files)
        else ""
    )
    if not rest:
        return [*texts]
    name = maps[0].source[0]
    files = [(f"{name}/{leaf.path[1]}", leaf.text) for leaf in maps[0].files]
    return [*((row[0], rest) if row == maps[0].source else row for row in texts), *files]


def _maps_with_files(source: Source, leaves: Sequence[Leaf]) -> Iterator[_ConfigMap]:
    texts = {leaf.path: leaf.text for leaf in leaves if leaf.path[0] in ("kind", "metadata")}
    files = [
        leaf for leaf in leaves
        if leaf.path[0] == "data" and len(leaf.path) == 2 and file_profile(leaf.path[1]) is not None
    ]  # fmt: skip
    if files and texts.get(("kind",)) == "ConfigMap":
        yield _ConfigMap(source, texts.get(("metadata", "name"), ""), files)


def _manifest_without(config_map: _ConfigMap) -> str:
    """Returns the manifest without these files; empty where one is not in it verbatim."""
    lines = config_map.source[1].split("\n")
    for leaf in config_map.files:
        content = leaf.text.rstrip("\n").split("\n")
        there_lines = lines[leaf.line : leaf.line + len(content)]
        if _stripped(there_lines) != _stripped(content):
            return ""
        lines[leaf.line - 1 : leaf.line + len(content)] = [""] * (len(content) + 1)
    return "\n".join(lines)


def _stripped(lines: Iterable[str]) -> list[str]:
    return [line.strip() for line in lines]
