"""Which files are read as one, and which goes before which."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.intake.deployments.systemd import FILE, files_of
from advisor.intake.deployments.terraform_maps import GIVEN
from advisor.intake.formats.yaml_nodes import documents
from advisor.intake.kinds import (
    MANIFESTS,
    goes_first,
    is_manifest,
    kind_by_name,
    kind_of,
    server_by_name,
)
from advisor.intake.programs.code_facts import has_settings_elsewhere
from advisor.intake.programs.program_files import Source, programs
from advisor.intake.text import IntakeError

_COMPOSE = re.compile(r"(?P<folder>(?:.*/)?)(?:docker-)?compose(?P<over>\.[\w-]{1,40})?\.ya?ml")
"""A compose file, and one that may be laid over it: `docker-compose.prod.yml` is if somebody names
both (Docker, "Use Compose in production")."""
_RUNS = (("image",), ("build",), ("extends",))
_OVER = ".override"
"""The one that compose lays over the other by itself (Compose file reference, "Merge")."""


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
    found = [[file] for file in files]
    if is_named:
        found = _with_units(_with_overrides(programs(files, kind_of)))
        found = _with_modules(_with_manifests(found))
    ranked = list[tuple[tuple[bool, ...], Group]]()
    for group in found:
        (name, text), is_one = group[0], len(group) == 1
        variables = kind_by_name(name, text) if several and is_one else ""
        above = several and (bool(variables) or any(goes_first(each) for _, each in group))
        own = kind or variables or (server_by_name(name, text) if is_one else "")
        rank = (above, bool(variables), has_settings_elsewhere([text for _, text in group]), is_one)
        ranked.append((rank, Group(group, own, above)))
    return [group for _, group in sorted(ranked, key=lambda row: row[0])]


def _with_manifests(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """The groups, where manifests are documents of one text: a ConfigMap and the workload that is
    given it are often in files of their own, and so are a cluster of Strimzi and its topics."""
    own = [file for [file] in _single(groups) if is_manifest(file[1])]
    if len(own) < 2 or not any(kind_of(text) in MANIFESTS for _, text in own):
        return [*groups]
    together = [*((name, f"{text}\n---") for name, text in own[:-1]), own[-1]]
    return [*(group for group in groups if group[0] not in own), together]


def _with_units(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """The groups, where a unit of systemd is one text with what is laid over it and with the files
    of variables that it names. A file that two units name is left where it is."""
    singles = {name: (name, text) for [(name, text)] in _single(groups)}
    units = {name: [file, *_dropped_in(name, singles)] for name, file in singles.items()
             if name.endswith(".service") and kind_of(file[1]) == "systemd"}  # fmt: skip
    named = {name: files_of("\n".join(text for _, text in own)) for name, own in units.items()}
    by_base = {name.rpartition("/")[2]: file for name, file in singles.items()}
    every = [base for bases in named.values() for base in dict.fromkeys(bases)]
    joined = dict[Source, list[Source]]()
    for name, own in units.items():
        for base in dict.fromkeys(named[name]):
            if base in by_base and every.count(base) == 1 and len(by_base) == len(singles):
                (last, text) = own[-1]
                own[-1] = (last, f"{text}\n{FILE.format(base)}")
                own.append(by_base[base])
        joined[singles[name]] = own
    inside = {file[0] for own in joined.values() for file in own[1:]}
    return [
        joined.get(group[0], [*group]) for group in groups
        if len(group) > 1 or group[0][0] not in inside
    ]  # fmt: skip


def _dropped_in(unit: str, files: Mapping[str, Source]) -> list[Source]:
    """What is laid over a unit, in the order of their names."""
    folder = f"{unit}.d/"
    return [files[name] for name in sorted(files) if name.startswith(folder)]


def _with_modules(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """The groups, where the files of a module of Terraform are one text, with the files of
    variables that it is given (Terraform, Files and Configuration Structure)."""
    folders = {_folder(file) for [file] in _single(groups) if kind_of(file[1]) == "terraform"}
    every = [file for [file] in _single(groups)]
    own = [file for file in every if file[0].endswith(".tf") and _folder(file) in folders]
    given = sorted((file for file in every if file[0].endswith(".tfvars")), key=_given_later)
    if len(folders) != 1 or sum(map(_is_chosen, given)) > 1 or len(own) + len(given) < 2:
        return [*groups]
    rest = [group for group in groups if group[0] not in (*own, *given)]
    if given:
        (name, text), (last, values) = own[-1], given[-1]
        own[-1], given[-1] = (name, f"{text}\n{GIVEN} {{"), (last, f"{values}\n}}")
    return [*rest, [*own, *given]]


def _single(groups: Iterable[list[Source]]) -> Iterator[list[Source]]:
    return (group for group in groups if len(group) == 1)


def _folder(file: Source) -> str:
    return file[0].rpartition("/")[0]


def _is_chosen(file: Source) -> bool:
    """Whether somebody names a file of variables on the command line: Terraform takes the others by
    itself."""
    base = file[0].rpartition("/")[2]
    return base != "terraform.tfvars" and not base.endswith(".auto.tfvars")


def _given_later(file: Source) -> tuple[bool, bool, str]:
    """Which file of variables goes before which (Terraform, Variable Definition Precedence)."""
    base = file[0].rpartition("/")[2]
    return _is_chosen(file), base != "terraform.tfvars", base


def _with_overrides(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """The groups, where a compose file has the one that is laid over it as a second document."""
    laid = dict[Source, Source]()
    for files in _by_folder(groups).values():
        base, over = files.pop("", None), files.get(_OVER)
        others = [file for file in files.values() if _needs_another(file[1])]
        over = over or (others[0] if len(others) == len(files) == 1 else None)
        if base and over and "compose" in (kind_of(base[1]), kind_of(over[1])):
            laid[base] = over
    result = list[list[Source]]()
    for group in groups:
        if group[0] in laid:
            (name, text), over = group[0], laid[group[0]]
            result.append([(name, f"{text}\n---"), over])
        elif group[0] not in laid.values():
            result.append(group)
    return result


def _by_folder(groups: Sequence[list[Source]]) -> dict[str, dict[str, Source]]:
    """The compose files of each folder, by what stands behind their common name."""
    found = dict[str, dict[str, Source]]()
    for group in groups:
        if match := _COMPOSE.fullmatch(group[0][0]):
            found.setdefault(match["folder"], {})[match["over"] or ""] = group[0]
    return found


def _needs_another(text: str) -> bool:
    """Whether a service of a compose file has nothing to run, so that another file says it."""
    try:
        leaves = [leaf for leaves in documents(text) for leaf in leaves]
    except IntakeError:  # told where the file is read
        return False
    own = [leaf.path[1:3] for leaf in leaves if leaf.path[:1] == ("services",)]
    services = {path[0] for path in own if path}
    return bool(services - {path[0] for path in own if path[1:] in _RUNS})
