"""Which files are read as one text, and in which order of precedence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from advisor.intake.deployments.systemd import FILE, files_of
from advisor.intake.deployments.terraform_maps import GIVEN
from advisor.intake.formats.yaml_nodes import documents
from advisor.intake.kinds import (
    MANIFESTS,
    detect_kind,
    is_manifest,
    kind_by_name,
    server_by_name,
    starts_processes,
)
from advisor.intake.programs.code_facts import has_settings_elsewhere
from advisor.intake.programs.program_files import Source, programs
from advisor.intake.text import IntakeError

_COMPOSE = re.compile(r"(?P<folder>(?:.*/)?)(?:docker-)?compose(?P<over>\.[\w-]{1,40})?\.ya?ml")
"""A compose file, or one that may be merged over it: `docker-compose.prod.yml` is where both are on
the command line (Docker, "Use Compose in production")."""
_RUN_KEYS = (("image",), ("build",), ("extends",))
_OVERRIDE = ".override"
"""The file that compose merges over the other by itself (Compose file reference, "Merge")."""


@dataclass(frozen=True, slots=True)
class Group:
    """Files that are read as one text, the kind that their names imply, and whether their values
    take precedence over those of other files."""

    files: Sequence[Source]
    kind: str
    precedes: bool


def ordered_groups(files: Sequence[Source], kind: str, *, alone: bool) -> list[Group]:
    """The files as they are read, one after the other. Where there are others, the kind of each has
    to be detected, unless it is said."""
    several = not (alone or kind)
    has_unique_names = several and len({name for name, _ in files}) == len(files)
    groups = [[file] for file in files]
    if has_unique_names:
        groups = _with_units(_with_overrides(programs(files, detect_kind)))
        groups = _with_modules(_with_manifests(groups))
    ranked_groups = list[tuple[tuple[bool, ...], Group]]()
    for group in groups:
        (name, text), is_one = group[0], len(group) == 1
        variables = kind_by_name(name, text) if several and is_one else ""
        precedes = several and (bool(variables) or any(starts_processes(text) for _, text in group))
        group_kind = kind or variables or (server_by_name(name, text) if is_one else "")
        elsewhere = has_settings_elsewhere([text for _, text in group])
        rank = (precedes, bool(variables), elsewhere, is_one)
        ranked_groups.append((rank, Group(group, group_kind, precedes)))
    return [group for _, group in sorted(ranked_groups, key=lambda row: row[0])]


def _with_manifests(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """Returns the groups, with all manifests as documents of one text: a ConfigMap and the workload
    that uses it are often in separate files, and so are a cluster of Strimzi and its topics."""
    manifests = [file for [file] in _single_files(groups) if is_manifest(file[1])]
    if len(manifests) < 2 or not any(detect_kind(text) in MANIFESTS for _, text in manifests):
        return [*groups]
    together = [*((name, f"{text}\n---") for name, text in manifests[:-1]), manifests[-1]]
    return [*(group for group in groups if group[0] not in manifests), together]


def _with_units(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """Returns the groups, with each unit of systemd as one text with its drop-ins and the files of
    variables that it refers to. A file that two units refer to stays separate."""
    singles = {name: (name, text) for [(name, text)] in _single_files(groups)}
    units = {name: [file, *_drop_ins(name, singles)] for name, file in singles.items()
             if name.endswith(".service") and detect_kind(file[1]) == "systemd"}  # fmt: skip
    bases_by_unit = {
        name: files_of("\n".join(text for _, text in sources)) for name, sources in units.items()
    }
    by_base = {name.rpartition("/")[2]: file for name, file in singles.items()}
    all_bases = [base for bases in bases_by_unit.values() for base in dict.fromkeys(bases)]
    joined = dict[Source, list[Source]]()
    for name, sources in units.items():
        for base in dict.fromkeys(bases_by_unit[name]):
            if base in by_base and all_bases.count(base) == 1 and len(by_base) == len(singles):
                (last, text) = sources[-1]
                sources[-1] = (last, f"{text}\n{FILE.format(base)}")
                sources.append(by_base[base])
        joined[singles[name]] = sources
    inside = {file[0] for sources in joined.values() for file in sources[1:]}
    return [
        joined.get(group[0], [*group]) for group in groups
        if len(group) > 1 or group[0][0] not in inside
    ]  # fmt: skip


def _drop_ins(unit: str, files: Mapping[str, Source]) -> list[Source]:
    """Returns the drop-ins of a unit, in the order of their names."""
    folder = f"{unit}.d/"
    return [files[name] for name in sorted(files) if name.startswith(folder)]


def _with_modules(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """Returns the groups, with the files of a Terraform module as one text that ends with its files
    of variables (Terraform, Files and Configuration Structure)."""
    folders = {
        _folder(file) for [file] in _single_files(groups) if detect_kind(file[1]) == "terraform"
    }
    files = [file for [file] in _single_files(groups)]
    module_files = [file for file in files if file[0].endswith(".tf") and _folder(file) in folders]
    variable_files = sorted(
        (file for file in files if file[0].endswith(".tfvars")), key=_variable_file_rank
    )
    if (
        len(folders) != 1
        or sum(map(_is_on_command_line, variable_files)) > 1
        or len(module_files) + len(variable_files) < 2
    ):
        return [*groups]
    rest = [group for group in groups if group[0] not in (*module_files, *variable_files)]
    if variable_files:
        (name, text), (last, values) = module_files[-1], variable_files[-1]
        module_files[-1], variable_files[-1] = (
            (name, f"{text}\n{GIVEN} {{"),
            (last, f"{values}\n}}"),
        )
    return [*rest, [*module_files, *variable_files]]


def _single_files(groups: Iterable[list[Source]]) -> Iterator[list[Source]]:
    return (group for group in groups if len(group) == 1)


def _folder(file: Source) -> str:
    return file[0].rpartition("/")[0]


def _is_on_command_line(file: Source) -> bool:
    """Whether Terraform reads a file of variables only if it is on the command line."""
    base = file[0].rpartition("/")[2]
    return base != "terraform.tfvars" and not base.endswith(".auto.tfvars")


def _variable_file_rank(file: Source) -> tuple[bool, bool, str]:
    """Returns the sort key for files of variables, the highest precedence last (Terraform, Variable
    Definition Precedence)."""
    base = file[0].rpartition("/")[2]
    return _is_on_command_line(file), base != "terraform.tfvars", base


def _with_overrides(groups: Sequence[list[Source]]) -> list[list[Source]]:
    """Returns the groups, with the compose file that overrides another as its second document."""
    override_by_base = dict[Source, Source]()
    for files in _by_folder(groups).values():
        base, override = files.pop("", None), files.get(_OVERRIDE)
        others = [file for file in files.values() if _needs_another(file[1])]
        override = override or (others[0] if len(others) == len(files) == 1 else None)
        if base and override and "compose" in (detect_kind(base[1]), detect_kind(override[1])):
            override_by_base[base] = override
    result = list[list[Source]]()
    for group in groups:
        if group[0] in override_by_base:
            (name, text), override = group[0], override_by_base[group[0]]
            result.append([(name, f"{text}\n---"), override])
        elif group[0] not in override_by_base.values():
            result.append(group)
    return result


def _by_folder(groups: Sequence[list[Source]]) -> dict[str, dict[str, Source]]:
    """Returns the compose files of each folder, by the part after their common name."""
    by_folder = dict[str, dict[str, Source]]()
    for group in groups:
        if match := _COMPOSE.fullmatch(group[0][0]):
            by_folder.setdefault(match["folder"], {})[match["over"] or ""] = group[0]
    return by_folder


def _needs_another(text: str) -> bool:
    """Whether a service of a compose file has neither image nor build, so that another file must
    have it."""
    try:
        leaves = [leaf for leaves in documents(text) for leaf in leaves]
    except IntakeError:  # reported where the file is read
        return False
    service_paths = [leaf.path[1:3] for leaf in leaves if leaf.path[:1] == ("services",)]
    services = {path[0] for path in service_paths if path}
    return bool(services - {path[0] for path in service_paths if path[1:] in _RUN_KEYS})
