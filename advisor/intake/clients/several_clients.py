"""Several clients of one kind in one file: channels, bindings, queries, dicts of a program.

One pipeline has one producer and one reader. Where those of a file do not agree, an answer would
be true for one of them at most.
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
_SET_UP = {*_IDS, "bootstrap.servers", "kafka.bootstrap.servers"}
_COPIES = (Component.TOPIC, "replication.factor")
_OF_FILES = (Component.PRODUCER, Component.CONSUMER, Component.STREAMS)
_Stated = dict[str, Item]
_Names = dict[str, int]
"""Clients of one kind, each with its first line; 0 for one of which nothing is stated."""
_MOST_NAMED = 8


def kept(reading: Reading, only: Collection[str]) -> tuple[Reading, set[str]]:
    """What is read of those clients of each kind that `only` names, where it names any; and the
    names that were there. A client goes by its name in the file, or by `line N`, its first line.
    What is wrong beside a part of the file counts unless that part is named."""
    there, dropped = reading.part_names.intersection(only), set[str]()
    is_part = bool(there)
    for names in _clients(reading.items, reading.clients).values():
        by_line = {f"line {line}": name for name, line in names.items() if line}
        asked = {by_line.get(one, one): one for one in only}
        if chosen := asked.keys() & names.keys():
            there |= {asked[name] for name in chosen}
            dropped |= names.keys() - chosen
    reading = reading.read_without(dropped) if dropped and reading.read_without else reading
    reading.problems += () if is_part else reading.problems_unless_chosen
    reading.items = [item for item in reading.items if item.process not in dropped]
    reading.clients = {client for client in reading.clients if client[1] not in dropped}
    return reading, there


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


def ids_of(items: Iterable[Item], own: Collection[Component]) -> dict[tuple[Component, str], int]:
    """What the clients of a file that have lines of their `own` call themselves, as marks."""
    return {
        (item.component, item.name): hash(item.text.strip())
        for item in items
        if item.name in _IDS and item.component in own
        and not (item.process or item.inert or FILLED_IN.search(item.text))
    }  # fmt: skip


def set_up_by(reading: Reading, own: Collection[Component]) -> frozenset[Component]:
    """The clients that a file sets up, and the topic where it states the number of its copies.

    A client is set up by a program, or by an id or the addresses of brokers on a line of its `own`.
    """
    clients = {
        item.component
        for item in reading.items
        if (item.component, item.process) in reading.clients
        or (item.component in own and item.name in _SET_UP)
    }
    topics = {
        item.component
        for item in reading.items
        if (item.component, item.name) == _COPIES and not (item.inherited or reading.subject.seen)
    }
    return frozenset(clients.intersection(_OF_FILES) | topics)


def with_own_lines(places: Iterable[tuple[Component, int]]) -> frozenset[Component]:
    """The clients for which a line states something that it does not state for another one."""
    lines: dict[int, set[Component]] = {}
    for component, line in places:
        if component in _OF_FILES:
            lines.setdefault(line, set()).add(component)
    return frozenset(next(iter(clients)) for clients in lines.values() if len(clients) == 1)


def disagreeing(
    items: Iterable[Item], product: Product, every: Iterable[tuple[Component, str]] = ()
) -> Iterator[tuple[Item, str]]:
    """A setting of which two clients of the file have different values, and the words that say so;
    one for each kind of client. What is said for all of them (`process` is empty) counts for each.
    `every` are clients that are there, and may state nothing.
    """
    items, every = [*items], [*every]
    named = _clients(items, every)
    clients: dict[Component, dict[str, _Stated]] = {}
    for component, process in every:
        clients.setdefault(component, {})[process] = {}
    for item in items:
        if item.component in _KINDS and not item.inert and (name := _weighed(item, product)):
            clients.setdefault(item.component, {}).setdefault(item.process, {})[name] = item
    for component, stated in clients.items():
        shared = stated.pop("", {})
        if found := _first(component, [shared | own for own in stated.values()]):
            yield found[0], f"{found[1]}. {_how_to_go_on(component, named[component])}"


def _first(component: Component, clients: list[_Stated]) -> tuple[Item, str] | None:
    """The first difference from the first client."""
    for other in clients[1:]:
        for name in [*clients[0], *(name for name in other if name not in clients[0])]:
            here, there = clients[0].get(name), other.get(name)
            if (here and here.text.strip()) != (there and there.text.strip()):
                return _words(component, here, there)
    return None


def _words(component: Component, one: Item | None, two: Item | None) -> tuple[Item, str] | None:
    item = two or one
    if item is None:
        return None
    where = f"line {one.line}" if one and two else "another one, which does not state it"
    words = f"{item.name} differs from {where}. The file has several {_KINDS[component]} with "
    return item, f"{words}different settings, and a pipeline has one"


def _how_to_go_on(component: Component, names: _Names) -> str:
    """The option that chooses each client of this kind."""
    options = [f"--only {_quoted(_option(name, line))}" for name, line in names.items() if name]
    more = " …" if len(options) > _MOST_NAMED else ""
    kind = _KINDS[component].removesuffix("s")
    listed = ", ".join(options[:_MOST_NAMED])
    words = f"Leave one {kind} in the file, or choose it on the command line:"
    return f"{words} {listed}{more}"


def _option(name: str, line: int) -> str:
    """A name, if it may be shown, else the client's first line."""
    is_shown = shown(name) == name or name.startswith("line ")
    return f"line {line}" if line and not is_shown else name


def _quoted(option: str) -> str:
    return f'"{option}"' if " " in option else option


def _weighed(item: Item, product: Product) -> str:
    """The catalog's name of a setting that counts; empty for any other."""
    try:
        return product.setting(item.component, item.name).name
    except SettingError:
        return ""
