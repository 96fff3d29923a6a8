"""Which files are read as one, and which goes before which."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from advisor.intake.kinds import goes_first, kind_by_name, kind_of, server_by_name
from advisor.intake.programs.code_facts import is_topology
from advisor.intake.programs.program_files import Source, programs

_COMPOSE = re.compile(r"(?P<folder>(?:.*/)?)(?:docker-)?compose(?P<over>\.override)?\.ya?ml")
"""The files that compose reads where it is told none: the second is laid over the first (Compose
file reference, "Merge")."""
_NOT_MERGED = re.compile(r"!(?:override|reset)\b")


@dataclass(frozen=True, slots=True)
class Group:
    """Files that are read as one, the kind that their names tell, and whether what they state goes
    before what others do."""

    files: Sequence[Source]
    kind: str
    above: bool


def in_order(files: Sequence[Source], kind: str, *, alone: bool) -> list[Group]:
    """The files as they are read, one after the other. Where there are others, the kind of each has
    to be detected, unless it is said."""
    several = not (alone or kind)
    is_named = several and len({name for name, _ in files}) == len(files)
    found = _with_overrides(programs(files, kind_of)) if is_named else [[file] for file in files]
    ranked = list[tuple[tuple[bool, ...], Group]]()
    for group in found:
        (name, text), is_one = group[0], len(group) == 1
        variables = kind_by_name(name, text) if several and is_one else ""
        above = several and (bool(variables) or goes_first(text))
        own = kind or variables or (server_by_name(name, text) if is_one else "")
        rank = (above, bool(variables), is_one and is_topology(text), is_one)
        ranked.append((rank, Group(group, own, above)))
    return [group for _, group in sorted(ranked, key=lambda row: row[0])]


def _with_overrides(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """The groups, where a compose file has the one that is laid over it as a second document."""
    named = {(match["folder"], bool(match["over"])): group[0] for group in groups
             if (match := _COMPOSE.fullmatch(group[0][0]))}  # fmt: skip
    laid = {
        base: over for (folder, is_over), over in named.items()
        if is_over and (base := named.get((folder, False)))
        and "compose" in (kind_of(base[1]), kind_of(over[1])) and not _NOT_MERGED.search(over[1])
    }  # fmt: skip
    result = list[list[Source]]()
    for group in groups:
        if group[0] in laid:
            (name, text), over = group[0], laid[group[0]]
            result.append([(name, f"{text}\n---"), over])
        elif group[0] not in laid.values():
            result.append(group)
    return result
