"""Several clients of one kind in one file: channels, bindings, queries, dicts of a program.

A pipeline has one producer and one consumer. If the clients of a file have different settings, an
answer would be true for one of them at most.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from advisor.catalog import Component, SettingError
from advisor.intake.clients.placeholders import FILLED_IN
from advisor.intake.reading import Item, Product, Reading
from advisor.intake.text import shown

_KINDS = {
    Component.PRODUCER: "producers",
    Component.CONSUMER: "consumers",
    Component.APPLICATION: "channels",
}
_IDS = ("group.id", "client.id", "application.id")
_CONFIGURING = {*_IDS, "bootstrap.servers", "kafka.bootstrap.servers"}
_COPIES = (Component.TOPIC, "replication.factor")
_FILE_COMPONENTS = (Component.PRODUCER, Component.CONSUMER, Component.STREAMS)
_Stated = dict[str, Item]
_Names = dict[str, int]
"""Clients of one kind, each with its first line; 0 for a client without settings."""
_MAX_OPTIONS = 8


def select_clients(reading: Reading, only: Collection[str]) -> tuple[Reading, set[str]]:
    """The reading, restricted to the clients of each kind that `only` names, if it names any of the
    kind; and the names in `only` that exist.

    A client is named by its name in the file, or by `line N`, its first line. Problems outside of a
    part of the file count unless `only` names that part.
    """
    existing, dropped = reading.part_names.intersection(only), set[str]()
    is_part = bool(existing)
    for names in _clients(reading.items, reading.clients).values():
        by_line = {f"line {line}": name for name, line in names.items() if line}
        by_name = {by_line.get(one, one): one for one in only}
        if chosen := by_name.keys() & names.keys():
            existing |= {by_name[name] for name in chosen}
            dropped |= names.keys() - chosen
    reading = reading.read_without(dropped) if dropped and reading.read_without else reading
    reading.problems += () if is_part else reading.problems_unless_chosen
    reading.items = [item for item in reading.items if item.process not in dropped]
    reading.clients = {client for client in reading.clients if client[1] not in dropped}
    return reading, existing


def _clients(
    items: Iterable[Item], every: Iterable[tuple[Component, str]]
) -> dict[Component, _Names]:
    clients: dict[Component, _Names] = {}
    for component, process in every:
        clients.setdefault(component, {})[process] = 0
    for item in items:
        if item.component in _KINDS and item.process:
            names = clients.setdefault(item.component, {})
            names[item.process] = min(names.get(item.process) or item.line, item.line)
    return clients


def id_hashes(
    items: Iterable[Item], owners: Collection[Component]
) -> dict[tuple[Component, str], int]:
    """The ids of the clients of a file that have lines of their own (`owners`), as hashes."""
    return {
        (item.component, item.name): hash(item.text.strip())
        for item in items
        if item.name in _IDS and item.component in owners
        and not (item.process or item.inert or FILLED_IN.search(item.text))
    }  # fmt: skip


def configured(reading: Reading, owners: Collection[Component]) -> frozenset[Component]:
    """The clients that a file configures, and the topic if it states its replication factor.

    A client is configured by a program, or by an id or the brokers' addresses on a line of its own
    (if it is one of `owners`).
    """
    clients = {
        item.component
        for item in reading.items
        if (item.component, item.process) in reading.clients
        or (item.component in owners and item.name in _CONFIGURING)
    }
    topics = {
        item.component
        for item in reading.items
        if (item.component, item.name) == _COPIES and not (item.inherited or reading.subject.seen)
    }
    return frozenset(clients.intersection(_FILE_COMPONENTS) | topics)


def line_owners(places: Iterable[tuple[Component, int]]) -> frozenset[Component]:
    """The clients that have lines of their own: a line that states a setting for no other
    client."""
    lines: dict[int, set[Component]] = {}
    for component, line in places:
        if component in _FILE_COMPONENTS:
            lines.setdefault(line, set()).add(component)
    return frozenset(next(iter(clients)) for clients in lines.values() if len(clients) == 1)


def differences(
    items: Iterable[Item], product: Product, every: Iterable[tuple[Component, str]] = ()
) -> Iterator[tuple[Item, str]]:
    """Yields, for each kind of client, a setting whose values differ between two clients of the
    file, with a message.

    A setting for all clients (`process` is empty) counts for each. `every` are the clients of the
    file, which may have no settings.
    """
    items, every = [*items], [*every]
    names_by_kind = _clients(items, every)
    clients: dict[Component, dict[str, _Stated]] = {}
    for component, process in every:
        clients.setdefault(component, {})[process] = {}
    for item in items:
        if item.component in _KINDS and not item.inert and (name := _modelled(item, product)):
            clients.setdefault(item.component, {}).setdefault(item.process, {})[name] = item
    for component, stated in clients.items():
        shared = stated.pop("", {})
        if difference := _first_difference(
            component, [shared | client for client in stated.values()]
        ):
            yield difference[0], f"{difference[1]}. {_choices(component, names_by_kind[component])}"


def _first_difference(component: Component, clients: list[_Stated]) -> tuple[Item, str] | None:
    """The first setting of another client that differs from the first client's."""
    for other in clients[1:]:
        for name in [*clients[0], *(name for name in other if name not in clients[0])]:
            here, there = clients[0].get(name), other.get(name)
            if (here and here.text.strip()) != (there and there.text.strip()):
                return _difference(component, here, there)
    return None


def _difference(
    component: Component, one: Item | None, two: Item | None
) -> tuple[Item, str] | None:
    item = two or one
    if item is None:
        return None
    where = f"line {one.line}" if one and two else "another one, which does not state it"
    words = f"{item.name} differs from {where}. The file has several {_KINDS[component]} with "
    return item, f"{words}different settings, and a pipeline has one"


def _choices(component: Component, names: _Names) -> str:
    """The options that choose one of the clients."""
    options = [
        f"--only {_quoted(_option(name, line))}"
        for name, line in names.items() if name and name.isprintable()
    ]  # fmt: skip
    more = " …" if len(options) > _MAX_OPTIONS else ""
    kind = _KINDS[component].removesuffix("s")
    listed = ", ".join(options[:_MAX_OPTIONS])
    words = f"Leave one {kind} in the file, or choose it on the command line:"
    return f"{words} {listed}{more}"


def _option(name: str, line: int) -> str:
    """A client's name if it may be shown, else its first line."""
    is_shown = shown(name) == name or name.startswith("line ")
    return f"line {line}" if line and not is_shown else name


def _quoted(option: str) -> str:
    return f'"{option}"' if " " in option else option


def _modelled(item: Item, product: Product) -> str:
    """The catalog's name of a setting that counts; empty for any other."""
    try:
        return product.setting(item.component, item.name).name
    except SettingError:
        return ""
