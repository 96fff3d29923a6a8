"""Groups the settings that were read by broker, topic and client."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from advisor.catalog import Component
from advisor.intake.clients.placeholders import FILLED_IN
from advisor.intake.reading import Item

ScopedSettings = tuple[Component, Mapping[str, Item], Mapping[str, str]]
"""A component, its settings by name, and the values of one broker."""


def settings_by_scope(items: Collection[Item]) -> Iterator[ScopedSettings]:
    """Yields the settings of each component, once with each broker whose settings are in the
    file."""
    brokers = [item for item in items if item.component is Component.BROKER]
    others = [item for item in items if item not in brokers and _counts(item)]
    for process in dict.fromkeys(item.process for item in brokers) or [""]:
        process_items = [item for item in brokers if item.process in ("", process)]
        of_brokers = {item.name: item.text for item in process_items}
        effective = [*filter(_counts, process_items), *others]
        for component in Component:
            by_name = {item.name: item for item in effective if item.component is component}
            yield component, by_name, of_brokers


def _counts(item: Item) -> bool:
    """Whether the product reads an item, and its value is not a placeholder."""
    is_template = item.component is Component.BROKER and FILLED_IN.search(item.text)
    return not item.inert and not is_template
