"""References between Kubernetes resources of one file: ConfigMaps, Secrets, and the variables that
come from them.

`valueFrom` names an entry of a ConfigMap or a Secret. A Secret has its entries as base64 in `data`,
or as text in `stringData`, which overrides it; a ConfigMap may have entries as base64 in
`binaryData` (Kubernetes API reference, EnvVarSource v1, Secret v1 and ConfigMap v1).
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from advisor.intake.application_file import file_profile
from advisor.intake.clients.known_settings import decides
from advisor.intake.deployments.application_variables import OPTIONS
from advisor.intake.deployments.images import setting_name
from advisor.intake.formats.yaml_nodes import Leaf
from advisor.intake.frameworks.spring.arguments import is_argument
from advisor.intake.text import IntakeError, shown

_KINDS = {"configMapKeyRef": "ConfigMap", "secretKeyRef": "Secret"}
Variable = tuple[str, str, int]
"""The name, the value and the line of a variable."""
_Entries = Mapping[tuple[str, str, str], str]
"""The text of each entry, by kind, name and key."""


def with_references(every: Iterable[list[Leaf]]) -> list[list[Leaf]]:
    """The resources, with the entries of Secrets in the form of ConfigMaps, and with the values of
    variables that come from entries in these resources."""
    resources = [[*_with_empty_values(_with_text_entries(leaves))] for leaves in every]
    entries = {
        (_text(leaves, ("kind",)), _text(leaves, ("metadata", "name")), leaf.path[1]): leaf.text
        for leaves in resources
        for leaf in leaves
        if leaf.path[:1] == ("data",) and len(leaf.path) == 2
    }
    prefixes = _prefixes(chain.from_iterable(resources))
    filled = ([*_filled(leaves, entries)] for leaves in resources)
    return [_prefixed(leaves, prefixes) for leaves in filled]


def _with_empty_values(leaves: Sequence[Leaf]) -> Iterator[Leaf]:
    """The leaves, with an empty value for each variable that has neither a value nor a source: it
    is the empty string (Kubernetes API reference, EnvVar v1, `value`)."""
    valued = {leaf.path[:-1] for leaf in leaves if leaf.path[-1:] == ("value",)}
    valued |= {
        leaf.path[: leaf.path.index("valueFrom")] for leaf in leaves if "valueFrom" in leaf.path
    }
    for leaf in leaves:
        yield leaf
        match leaf.path:
            case (*_, "env", _, "name") if leaf.path[:-1] not in valued:
                if not OPTIONS.fullmatch(leaf.text):
                    yield replace(leaf, path=(*leaf.path[:-1], "value"), text="")
            case _:
                pass


def _prefixes(leaves: Iterable[Leaf]) -> Mapping[tuple[str, str], str]:
    """The prefix of the variables of each ConfigMap or Secret that containers use as a whole
    (Kubernetes API reference, EnvFromSource v1, `prefix`). Raises `IntakeError` if two differ.
    """
    stated, sources = dict[tuple[str, ...], str](), list[tuple[tuple[str, ...], Leaf]]()
    for leaf in leaves:
        match leaf.path:
            case (*path, "envFrom", number, "prefix"):
                stated[(*path, number)] = leaf.text
            case (*path, "envFrom", number, _, "name"):
                sources.append(((*path, number), leaf))
            case _:
                pass
    prefixes = dict[tuple[str, str], str]()
    for place, leaf in sources:
        prefix = stated.get(place, "")
        if prefixes.setdefault((leaf.path[-2], leaf.text), prefix) != prefix:
            words = "envFrom: two containers have these variables with different prefixes"
            raise IntakeError(f"Line {leaf.line}: {words}. Leave only the one that applies.")
    return prefixes


def _prefixed(leaves: list[Leaf], prefixes: Mapping[tuple[str, str], str]) -> list[Leaf]:
    """A resource whose variables have the prefix that containers see."""
    prefix = next((prefixes.get(source, "") for source in source_of(leaves)), "")
    return [
        replace(leaf, path=("data", f"{prefix}{leaf.path[1]}"))
        if prefix and leaf.path[:1] == ("data",) and leaf.path[1].isidentifier()
        else leaf
        for leaf in leaves
    ]


def with_names(resources: Iterable[list[Leaf]]) -> Iterator[tuple[str, list[Leaf]]]:
    """Yields the resources, each with a unique name: two kinds or namespaces may share a name."""
    used = set[str]()
    for leaves in resources:
        name = _text(leaves, ("metadata", "name"))
        name = f"{name}:{leaves[0].line}" if leaves and name in used else name
        used.add(name)
        yield name, leaves


def source_of(leaves: Iterable[Leaf]) -> Iterator[tuple[str, str]]:
    """Yields the kind, as in `envFrom`, and the name of a ConfigMap or a Secret."""
    stated = {
        leaf.path: leaf.text for leaf in leaves if leaf.path[:1] in (("kind",), ("metadata",))
    }
    kinds = {"ConfigMap": "configMapRef", "Secret": "secretRef"}
    if kind := kinds.get(stated.get(("kind",), "")):
        yield kind, stated.get(("metadata", "name"), "")


def has_application(leaves: Iterable[Leaf]) -> bool:
    """Whether a ConfigMap holds files of an application."""
    return any(
        leaf.path[:1] == ("data",)
        and len(leaf.path) == 2
        and file_profile(leaf.path[1]) is not None
        for leaf in leaves
    )


def _refuse_two_values(data: Iterable[tuple[str, str, int]]) -> None:
    """Raises `IntakeError` for a variable with two values in ConfigMaps: they belong to two
    applications, or to two environments of one."""
    stated: dict[str, tuple[str, int]] = {}
    for name, text, line in data:
        before, at = stated.setdefault(name, (text, line))
        if before != text and (decides(setting_name(name)) or is_argument(text)):
            words = f"{shown(name)} has another value than on line {at}. Leave only the ConfigMap"
            raise IntakeError(f"Line {line}: {words} that counts.")


def refuse_unused(rows: Iterable[tuple[str, Variable]], uses: Iterable[tuple[str, str]]) -> None:
    """Raises `IntakeError` for a variable that decides and that no container here uses."""
    used = {resource for _, resource in uses}
    for resource, (name, text, line) in rows:
        is_used = resource.partition(":")[0] in used
        if not is_used and (decides(setting_name(name)) or is_argument(text)):
            words = "is used by no container here. Remove it if it belongs to another application"
            raise IntakeError(f"Line {line}: {shown(name)} {words}.")


def given_to(leaves: Iterable[Leaf]) -> Iterator[tuple[str, str]]:
    """Yields the kind and name of each ConfigMap or Secret that containers use."""
    for leaf in leaves:
        match leaf.path:
            case (*_, "envFrom", _, "configMapRef" | "secretRef" as kind, "name"):
                yield kind, leaf.text
            case (*_, "valueFrom", "configMapKeyRef" | "secretKeyRef" as kind, "name"):
                yield kind.replace("KeyRef", "Ref"), leaf.text
            case (*_, "volumes", _, "configMap", "name") | (
                *_, "volumes", _, "projected", "sources", _, "configMap", "name",
            ):  # fmt: skip
                yield "configMapRef", leaf.text
            case (*_, "volumes", _, "secret", "secretName"):
                yield "secretRef", leaf.text
            case _:
                pass


def refuse_unmounted(resources: Sequence[Sequence[Leaf]]) -> None:
    """Raises `IntakeError` for a ConfigMap with an application's files that no pod here mounts, if
    a pod mounts one that is not here: then it belongs to another application."""
    here = {source: leaves for leaves in resources for source in source_of(leaves)}
    every = [*chain.from_iterable(resources)]
    mounted = {*given_to(leaf for leaf in every if "volumes" in leaf.path)}
    used = {*given_to(every)} if mounted - here.keys() else here.keys()
    for source, leaves in here.items():
        if source not in used and has_application(leaves):
            line = min(leaf.line for leaf in leaves)
            words = "no pod here mounts this ConfigMap. Remove it if it belongs to another"
            raise IntakeError(f"Line {line}: {words} application.")


def handed_on(
    leaves: Iterable[Leaf], place: Callable[[Sequence[str]], str]
) -> Iterator[tuple[str, str]]:
    """Yields each container with `envFrom`, and the name of the ConfigMap or Secret there."""
    for leaf in leaves:
        match leaf.path:
            case (*before, "envFrom", _, _, "name"):
                yield place(before), leaf.text
            case _:
                pass


def with_config_map_variables(
    config_map_rows: Sequence[tuple[str, Variable]], uses: Collection[tuple[str, str]],
    stated: dict[str, list[Variable]],
) -> dict[str, list[Variable]]:  # fmt: skip
    """The variables of each container, after those of ConfigMaps under an empty name; variables of
    Spring that not every application here uses are added to their containers. Raises
    `IntakeError`."""
    config_map_rows = [*_without_earlier_sources(config_map_rows, uses)]
    _refuse_two_values(row for _, row in config_map_rows)
    data = list[Variable]()
    by_container = {container: [*rows] for container, rows in stated.items()}
    applications = {container for container, rows in stated.items() if any(map(_is_spring, rows))}
    users = dict[str, dict[str, None]]()
    for container, resource in uses:
        users.setdefault(resource, {})[container] = None
    for resource, row in _not_overridden(config_map_rows, uses, stated):
        containers = users.get(resource.partition(":")[0], {})
        if _is_spring(row) and containers and applications - containers.keys():
            for container in containers:
                by_container.setdefault(container, []).insert(0, row)
        else:
            data.append(row)
    return {"": data, **by_container} if data else by_container


def _without_earlier_sources(
    config_map_rows: Sequence[tuple[str, Variable]], uses: Iterable[tuple[str, str]]
) -> Iterator[tuple[str, Variable]]:
    """Yields the variables of ConfigMaps except those that a later source of `envFrom` overrides in
    every container that uses them (Kubernetes API reference, Container v1)."""
    values = dict[str, set[str]]()
    for _, (name, text, _) in config_map_rows:
        values.setdefault(name, set()).add(text)
    stated = dict[str, set[str]]()
    for resource, (name, _, _) in config_map_rows:
        if len(values[name]) > 1:
            stated.setdefault(resource, set()).add(name)
    sources = dict[str, list[str]]()
    for container, resource in uses if stated else ():
        sources.setdefault(container, []).append(resource)
    counting, used = set[tuple[str, str]](), {*chain.from_iterable(sources.values())}
    for resources in sources.values():
        later = set[str]()
        for resource in dict.fromkeys(reversed(resources)):
            names = stated.get(resource, set())
            counting |= {(resource, name) for name in names - later}
            later |= names
    # A ConfigMap and a Secret may share a name: then it is unknown which of them is the later one.
    unclear = {resource.partition(":")[0] for resource in stated if ":" in resource}
    for resource, row in config_map_rows:
        is_known = resource in used and resource not in unclear
        if not is_known or row[0] not in stated.get(resource, ()) or (
            (resource, row[0]) in counting
        ):  # fmt: skip
            yield resource, row


def _is_spring(row: Variable) -> bool:
    return row[0].startswith("SPRING_")


def _not_overridden(
    config_map_rows: Iterable[tuple[str, Variable]], uses: Collection[tuple[str, str]],
    stated: Mapping[str, Sequence[Variable]],
) -> Iterator[tuple[str, Variable]]:  # fmt: skip
    """Yields the variables of ConfigMaps that no container overrides in its `env`, which takes
    precedence over `envFrom` (Kubernetes API reference, Container v1).

    Raises `IntakeError` if only some of the containers override one.
    """
    for resource, (name, text, line) in config_map_rows:
        users = {container for container, other in uses if other == resource.partition(":")[0]}
        others = {
            container: at
            for container, rows in stated.items()
            for variable, value, at in rows
            if variable == name and value != text
        }
        is_overridden = bool(users) and users <= others.keys()
        if not others:
            yield resource, (name, text, line)
        elif not is_overridden and (decides(setting_name(name)) or is_argument(text)):
            words = f"{shown(name)} has another value than on line {min(others.values())}"
            raise IntakeError(f"Line {line}: {words}. Leave only the one that applies.")


def _text(leaves: Iterable[Leaf], path: tuple[str, ...]) -> str:
    return next((leaf.text for leaf in leaves if leaf.path == path), "")


def _with_text_entries(leaves: list[Leaf]) -> list[Leaf]:
    """A resource whose entries are text, not base64."""
    if _text(leaves, ("kind",)) != "Secret":
        binary = (leaf.path[:1] == ("binaryData",) for leaf in leaves)
        return [_decoded(leaf) if one else leaf for leaf, one in zip(leaves, binary, strict=True)]
    stated = {leaf.path[1:] for leaf in leaves if leaf.path[:1] == ("stringData",)}
    result = list[Leaf]()
    for leaf in leaves:
        match leaf.path:
            case ("stringData", *key):
                result.append(replace(leaf, path=("data", *key)))
            case ("data", *key) if tuple(key) in stated:
                pass
            case ("data", *_):
                result.append(_decoded(leaf))
            case _:
                result.append(leaf)
    return result


def _decoded(leaf: Leaf) -> Leaf:
    """An entry that is decoded; its text is empty for bytes that are not text, as of a keystore."""
    try:
        text = base64.b64decode("".join(leaf.text.split()), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        text = ""
    return replace(leaf, path=("data", *leaf.path[1:]), text=text)


def _filled(leaves: list[Leaf], entries: _Entries) -> Iterator[Leaf]:
    names: dict[tuple[str, ...], str] = {}
    for leaf in leaves:
        match leaf.path:
            case (*before, "name") if before[-1:] and before[-1] in _KINDS:
                names[tuple(before)] = leaf.text
            case _:
                pass
    for leaf in leaves:
        yield _value(leaf, names, entries)


def _value(leaf: Leaf, named: Mapping[tuple[str, ...], str], entries: _Entries) -> Leaf:
    """A variable's `valueFrom` as its `value`, if the entry that it names is here."""
    match leaf.path:
        case (*before, "valueFrom", kind, "key") if kind in _KINDS:
            reference: Sequence[str] = leaf.path[:-1]
            place = (_KINDS[kind], named.get(tuple(reference), ""), leaf.text)
            if place in entries:
                return replace(leaf, path=(*before, "value"), text=entries[place])
        case _:
            pass
    return leaf
