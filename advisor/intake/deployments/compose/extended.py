"""Services that extend another one of their file: they have its settings, beneath those that
they state themselves (Compose file reference, `extends`)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from advisor.intake.deployments.compose.places import key, moved, whole
from advisor.intake.deployments.compose.servers import is_server
from advisor.intake.formats.yaml_nodes import Leaf, documents, tagged_paths

_MOST = 20_000
"""Values that services may have of others; a file with more is left as it is, and refused."""
_ENTRIES = 10_000_000
"""More entries than any list has, in whatever file of several."""
_TAGS = ("!override", "!reset")

_Services = dict[str, list[Leaf]]


def services(text: str) -> list[list[Leaf]]:
    """The values of each document of a compose file, with those that services have of others.
    What extends a service of another file, itself, or a server of Kafka, which would be one more
    server, stays as it is. Raises `IntakeError`."""
    parts = documents(text)
    if "extends" not in text or any(tagged_paths(text, _TAGS)):
        return parts
    return [_resolved(leaves) for leaves in parts]


def _resolved(leaves: list[Leaf]) -> list[Leaf]:
    own = _Services()
    for leaf in leaves:
        if leaf.path[:1] == ("services",) and len(leaf.path) > 1:
            own.setdefault(leaf.path[1], []).append(leaf)
    bases = {
        service: base
        for service, part in own.items()
        if (base := _base(part)) in own and not is_server(_variables(own[base]))
    }
    done, room = {name: part for name, part in own.items() if name not in bases}, _MOST
    for name in bases:
        for service in _chain(name, bases, done):
            done[service] = _laid_over(done[bases[service]], own[service])
            room -= len(done[service])
            if room < 0:
                return leaves
    outside = [leaf for leaf in leaves if leaf.path[:1] != ("services",) or len(leaf.path) == 1]
    return [*outside, *(leaf for name in own for leaf in done.get(name, own[name]))]


def _variables(part: Iterable[Leaf]) -> Iterator[str]:
    for leaf in part:
        if leaf.path[2:3] == ("environment",) and len(leaf.path) > 3:
            name = leaf.path[3]
            yield leaf.text.partition("=")[0] if name.isdecimal() else name


def _base(part: Iterable[Leaf]) -> str:
    """The service of the same file that this one extends; empty if there is none."""
    found = {leaf.path[3:]: leaf.text for leaf in part if leaf.path[2:3] == ("extends",)}
    return found.get((), found.get(("service",), "")) if ("file",) not in found else ""


def _chain(service: str, bases: dict[str, str], done: Collection[str]) -> list[str]:
    """The services to be resolved up to this one, the one that is nobody's heir first; none where
    they go round in a ring."""
    found = dict[str, None]()
    while service not in done:
        if service in found:
            return []
        found[service] = None
        service = bases[service]
    return [*reversed(found)]


def _laid_over(base: Iterable[Leaf], own: list[Leaf]) -> list[Leaf]:
    """What a service has: the values of the other one, and its own, which go before them."""
    name, alone = own[0].path[1], whole(own)
    found = dict[tuple[str, ...], Leaf]()
    for leaf in base:
        path = ("services", name, *leaf.path[2:])
        if path[2:3] != ("extends",) and path[:3] not in alone:
            heir = replace(leaf, path=path)
            found[key(heir)] = heir
    for leaf in own:
        if leaf.path[2:3] != ("extends",):
            heir = replace(leaf, path=moved(leaf.path, _ENTRIES))
            found[key(heir)] = heir
    return [*found.values()]
