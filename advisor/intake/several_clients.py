"""Several clients of one kind in one file: channels, bindings, queries, dicts of a program.

One pipeline has one producer and one reader. Where those of a file do not agree, an answer would
be true for one of them at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from advisor.catalog import Component, SettingError, lookup
from advisor.intake.reading import Item, Product

_KINDS = {
    Component.PRODUCER: "producers",
    Component.CONSUMER: "consumers",
    Component.APPLICATION: "channels",
}
_Stated = dict[str, Item]


def disagreeing(
    items: Iterable[Item], product: Product, every: Iterable[tuple[Component, str]] = ()
) -> Iterator[tuple[Item, str]]:
    """A setting of which two clients of the file have different values, and the words that say so;
    one for each kind of client. What is said for all of them (`process` is empty) counts for each.
    `every` are clients that are there, and may state nothing.
    """
    clients: dict[Component, dict[str, _Stated]] = {}
    for component, process in every:
        clients.setdefault(component, {})[process] = {}
    for item in items:
        if item.component in _KINDS and not item.inert and (name := _weighed(item, product)):
            clients.setdefault(item.component, {}).setdefault(item.process, {})[name] = item
    for component, stated in clients.items():
        shared = stated.pop("", {})
        if found := _first(component, [shared | own for own in stated.values()]):
            yield found


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
    return item, f"{words}different settings, and a pipeline has one: give those of one of them"


def _weighed(item: Item, product: Product) -> str:
    """The catalog's name of a setting that counts; empty for any other."""
    of = (product.family, product.version, product.kafka, item.component)
    try:
        return lookup(*of, item.name).name
    except SettingError:
        return ""
