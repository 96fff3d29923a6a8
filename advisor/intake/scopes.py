"""Which settings one broker, topic or client has together, of all that was read."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from advisor.catalog import Component
from advisor.intake.clients.placeholders import FILLED_IN
from advisor.intake.reading import Item

Stated = tuple[Component, Mapping[str, Item], Mapping[str, str]]
"""A component, its settings by name, and the texts of a broker beside it."""


def stated_together(every: Collection[Item]) -> Iterator[Stated]:
    """What each component states, beside each of the brokers that a file holds the settings of."""
    brokers = [item for item in every if item.component is Component.BROKER]
    others = [item for item in every if item not in brokers and _counts(item)]
    for process in dict.fromkeys(item.process for item in brokers) or [""]:
        own = [item for item in brokers if item.process in ("", process)]
        of_brokers = {item.name: item.text for item in own}
        counted = [*filter(_counts, own), *others]
        for component in Component:
            stated = {item.name: item for item in counted if item.component is component}
            yield component, stated, of_brokers


def _counts(item: Item) -> bool:
    """Whether the product reads an item, and reads the text that stands there."""
    is_template = item.component is Component.BROKER and FILLED_IN.search(item.text)
    return not item.inert and not is_template
