"""Services that extend another service of their file: they inherit its settings, and override
some of them (Compose file reference, `extends`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from advisor.intake.deployments.compose.places import override_key, replaced_paths, with_list_offset
from advisor.intake.deployments.compose.servers import is_server
from advisor.intake.formats.yaml_nodes import Leaf, documents, tagged_paths

_MAX_INHERITED = 20_000
"""The maximum number of inherited values; a file with more is left as it is, and refused."""
_LIST_OFFSET = 10_000_000
"""An offset that is larger than the number of entries of any list, in any of several files."""
_TAGS = ("!override", "!reset")

_Services = dict[str, list[Leaf]]


def services(text: str) -> list[list[Leaf]]:
    """The values of each document of a compose file, with those that services inherit. A service
    that extends itself, one of another file, or a server of Kafka, which would add a server, stays
    as it is. Raises `IntakeError`."""
    parts = documents(text)
    if "extends" not in text or any(tagged_paths(text, _TAGS)):
        return parts
    return [_resolved(leaves) for leaves in parts]


def _resolved(leaves: list[Leaf]) -> list[Leaf]:
    by_service = _Services()
    for leaf in leaves:
        if leaf.path[:1] == ("services",) and len(leaf.path) > 1:
            by_service.setdefault(leaf.path[1], []).append(leaf)
    bases = {
        service: base
        for service, service_leaves in by_service.items()
        if (base := _base(service_leaves)) in by_service
        and not is_server(_variable_names(by_service[base]))
    }
    resolved = {name: values for name, values in by_service.items() if name not in bases}
    remaining = _MAX_INHERITED
    for name in bases:
        for service in _chain(name, bases, resolved):
            resolved[service] = _merged(resolved[bases[service]], by_service[service])
            remaining -= len(resolved[service])
            if remaining < 0:
                return leaves
    outside = [leaf for leaf in leaves if leaf.path[:1] != ("services",) or len(leaf.path) == 1]
    inside = (leaf for name in by_service for leaf in resolved.get(name, by_service[name]))
    return [*outside, *inside]


def _variable_names(service_leaves: Iterable[Leaf]) -> Iterator[str]:
    for leaf in service_leaves:
        if leaf.path[2:3] == ("environment",) and len(leaf.path) > 3:
            name = leaf.path[3]
            yield leaf.text.partition("=")[0] if name.isdecimal() else name


def _base(service_leaves: Iterable[Leaf]) -> str:
    """The service of the same file that this service extends; empty if there is none."""
    texts = {leaf.path[3:]: leaf.text for leaf in service_leaves if leaf.path[2:3] == ("extends",)}
    return texts.get((), texts.get(("service",), "")) if ("file",) not in texts else ""


def _chain(service: str, bases: dict[str, str], resolved: Collection[str]) -> list[str]:
    """The services to resolve before and including this one, the outermost base first; empty if
    they extend each other in a cycle."""
    chain = dict[str, None]()
    while service not in resolved:
        if service in chain:
            return []
        chain[service] = None
        service = bases[service]
    return [*reversed(chain)]


def _merged(base: Iterable[Leaf], overrides: list[Leaf]) -> list[Leaf]:
    """The values of a service: those of its base, overridden by its own."""
    name, replaced = overrides[0].path[1], replaced_paths(overrides)
    merged = dict[tuple[str, ...], Leaf]()
    for leaf in base:
        path = ("services", name, *leaf.path[2:])
        if path[2:3] != ("extends",) and path[:3] not in replaced:
            inherited = replace(leaf, path=path)
            merged[override_key(inherited)] = inherited
    for leaf in overrides:
        if leaf.path[2:3] != ("extends",):
            inherited = replace(leaf, path=with_list_offset(leaf.path, _LIST_OFFSET))
            merged[override_key(inherited)] = inherited
    return [*merged.values()]
