"""Settings that the command of a container writes by itself before it starts a process.

What a shell exports is a variable of the process, in place of the container's own; what it writes
into a file may go before both, and is not followed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence

from advisor.catalog import Component
from advisor.intake.clients.known_settings import decides
from advisor.intake.clients.placeholders import COMPOSE
from advisor.intake.deployments.commands import of_containers
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.reading import Reading
from advisor.intake.text import shown

_EXPORTED = re.compile(
    r"(?<![\w.?/:-])(?P<name>[A-Z][A-Z0-9_]{2,150})="
    r"(?P<value>\"(?:\\.|[^\"\\]){0,2000}\"|'[^']{0,2000}'|[^\s\"';&|]{0,2000})"
)
_OPTIONS = ("_OPTS", "_OPTIONS", "_ARGS")
"""Variables of arguments, which are found in the command by themselves."""
_SOURCED = re.compile(r"(?:(?<!\S)\.|\bsource|\bcat|<|--env-file=?)[ \t]*[^\s<]{0,80}\.env\b")
_WRITERS = re.compile(r"\b(?:echo|printf|cat|sed|tee|envsubst)\b")
_WRITES = re.compile(r">{1,2}[ \t]*[\"']?[^\s>]|\bsed\b|\btee\b")
_SETTING = re.compile(
    r"(?<![\w.-])(?P<name>acks|[a-z][a-z0-9]{0,30}(?:\\?\.[a-z0-9-]{1,30}){1,9})[ \t]*="
)
_FILE = re.compile(r"\.properties\b")
_ENDS = re.compile(r"&&|\|\||;|(?<!\\)\n")
_TOOLS = re.compile(r"kafka-(?:topics|configs|console|storage|run)|--override")
_BY_HAND = "is written by this command. State it as a variable of the container, and leave that out"


def refuse_written(reading: Reading, text: str, line: int, *, of_server: bool) -> None:
    """Refuses a setting that decides and that a command writes into a file."""
    part = Component.BROKER if of_server else Component.APPLICATION
    if _SOURCED.search(text):
        reading.note(line, "variables that this command takes from a file are not read here")
    for command in [text] if "<<" in text else _ENDS.split(text):
        if not _WRITES.search(command) or _TOOLS.search(command):
            continue
        if not (of_server or _WRITERS.search(command)):
            continue
        if _FILE.search(command):
            words = "what this command writes into a file of properties is not read"
            reading.note(line, f"{words}, but for the names of settings that decide")
        names = {match["name"].replace("\\", "") for match in _SETTING.finditer(command)}
        for name in sorted(filter(decides, names)):
            reading.wrong(part, name, line, f"{shown(name)} {_BY_HAND}")


def with_exported(leaves: Sequence[Leaf]) -> list[Leaf]:
    """The leaves, with what the command of each container exports as a variable of its own."""
    added, names = list[Leaf](), dict[tuple[str, ...], set[str]]()
    for path, (text, line) in of_containers(leaves).items():
        for name, value in exported(text):
            names.setdefault(path, set()).add(name)
            if path[:1] == ("services",):
                added.append(Leaf((*path, "environment", name), value, line))
            else:
                added.append(Leaf((*path, "env", name, "name"), name, line))
                added.append(Leaf((*path, "env", name, "value"), value, line))
    return [*_without(leaves, names), *added] if added else [*leaves]


def exported(text: str) -> Iterator[tuple[str, str]]:
    """Each variable with its value; what is known only where the command runs is left open."""
    for match in _EXPORTED.finditer(text):
        name, value = match["name"], match["value"]
        if value[:1] == '"':
            value = re.sub(r"\\(.)", r"\1", value[1:-1])
        if not name.endswith(_OPTIONS):
            is_open = "$" in COMPOSE.sub(r"\2", value)
            yield name, f"${{{name}}}" if is_open else value.strip("'")


def _without(
    leaves: Iterable[Leaf], names: Mapping[tuple[str, ...], set[str]]
) -> Iterator[Leaf]:  # fmt: skip
    """The leaves but for the variables of these names, by their container."""
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
