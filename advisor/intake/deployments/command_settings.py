"""Settings that the command of a container sets before it starts a process.

A variable that a shell exports replaces the container's. A setting that a shell writes into a file
may override both; such files are not read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.catalog import Component
from advisor.intake.absent_files import absence
from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.deployments.commands import COMMAND_END, container_commands
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_EXPORT = re.compile(
    r"(?<![\w.?/:-])(?P<name>[A-Z][A-Z0-9_]{2,150})="
    r"(?P<value>\"(?:\\.|[^\"\\]){0,2000}\"|'[^']{0,2000}'|[^\s\"';&|]{0,2000})"
)
_ARGUMENT_SUFFIXES = ("_OPTS", "_OPTIONS", "_ARGS")
"""Variables that hold arguments: these are read where the command states them."""
_SOURCED_FILE = re.compile(r"(?:(?<!\S)\.|\bsource|\bcat|<|--env-file=?)[ \t]*[^\s<]{0,80}\.env\b")
_WRITING_TOOL = re.compile(r"\b(?:echo|printf|cat|sed|tee|envsubst)\b")
_FILE_WRITE = re.compile(r">{1,2}[ \t]*[\"']?[^\s>]|\bsed\b|\btee\b")
_SETTING = re.compile(
    r"(?<![\w.-])(?P<name>acks|[a-z][a-z0-9]{0,30}(?:\\?\.[a-z0-9-]{1,30}){1,9})[ \t]*="
)
_PROPERTIES_FILE = re.compile(r"\.properties\b")
_KAFKA_TOOL = re.compile(r"kafka-(?:topics|configs|console|storage|run)|--override")
_WRITTEN = (
    "is written by this command. State it as a variable of the container, and remove it there"
)


def refuse_written(reading: Reading, text: str, line: int, *, of_server: bool) -> None:
    """Refuses settings that decide where a command writes them into a file."""
    component = Component.BROKER if of_server else Component.APPLICATION
    if _SOURCED_FILE.search(text):
        reading.note(line, absence("variables that this command takes from a file are not read"))
    for command in [text] if "<<" in text else COMMAND_END.split(text):
        if not _FILE_WRITE.search(command) or _KAFKA_TOOL.search(command):
            continue
        if not (of_server or _WRITING_TOOL.search(command)):
            continue
        if _PROPERTIES_FILE.search(command):
            words = "what this command writes into a properties file is not read"
            reading.note(line, absence(f"{words}, except for the names of settings that matter"))
        names = {match["name"].replace("\\", "") for match in _SETTING.finditer(command)}
        for name in sorted(filter(decides, names)):
            reading.add_problem(component, name, line, f"{shown(name)} {_WRITTEN}")


def with_exported_variables(leaves: Sequence[Leaf]) -> list[Leaf]:
    """The leaves, with the exports of each container's command as variables of the container."""
    added, names = list[Leaf](), dict[tuple[str, ...], set[str]]()
    for path, (text, line) in container_commands(leaves).items():
        for name, value in exported_variables(text):
            names.setdefault(path, set()).add(name)
            if path[:1] == ("services",):
                added.append(Leaf((*path, "environment", name), value, line))
            else:
                added.append(Leaf((*path, "env", name, "name"), name, line))
                added.append(Leaf((*path, "env", name, "value"), value, line))
    return [*_without_variables(leaves, names), *added] if added else [*leaves]


def exported_variables(text: str) -> Iterator[tuple[str, str]]:
    """Yields exported variables with their values; one known only at run time stays a reference."""
    for match in _EXPORT.finditer(text):
        name, value = match["name"], match["value"]
        if value[:1] == '"':
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        if not name.endswith(_ARGUMENT_SUFFIXES):
            is_open = "$" in COMPOSE.sub(r"\2", value)
            yield name, f"${{{name}}}" if is_open else value.strip("'")


def _without_variables(
    leaves: Iterable[Leaf], names: Mapping[tuple[str, ...], set[str]]
) -> Iterator[Leaf]:  # fmt: skip
    """The leaves without the variables with these names; `names` are by container."""
    replaced = set[tuple[str, ...]]()
    for leaf in leaves:
        match leaf.path:
            case (*before, "env", number, "name") if leaf.text in names.get(tuple(before), ()):
                replaced.add((*before, "env", number))
            case (*before, "environment", name):
                name = leaf.text.partition("=")[0] if name.isdecimal() else name
                if name in names.get(tuple(before), ()):
                    replaced.add(leaf.path)
            case _:
                pass
    for leaf in leaves:
        if not any(leaf.path[:length] in replaced for length in range(len(leaf.path) + 1)):
            yield leaf
