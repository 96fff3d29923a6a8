"""Who keeps the metadata of a cluster, as a broker's file tells it without a line for it.

A broker with `process.roles` in its file runs in KRaft mode, whatever else is there; one without
needs `zookeeper.connect` (KafkaConfig.scala of 2.8 to 3.9, requiresZookeeper).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from advisor.catalog import Component, has
from advisor.intake.reading import Item, Product

KRAFT, ZOOKEEPER = "process.roles", "zookeeper.connect"
_NAME = "metadata.mode"


def with_mode(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, of which those that tell the mode say so, for brokers that may have either."""
    items = list(items)
    stated = {item.name for item in items if _tells(item)}
    if not stated or not is_asked(product):
        return items
    telling, mode = (KRAFT, "kraft") if KRAFT in stated else (ZOOKEEPER, "zookeeper")
    return [
        replace(item, component=Component.APPLICATION, name=_NAME, text=mode)
        if _tells(item) and item.name == telling
        else item
        for item in items
    ]


def is_asked(product: Product) -> bool:
    """Whether brokers of this version may have either mode: 3.3 to 3.9."""
    of = (product.family, product.version, product.kafka)
    return has(*of, Component.APPLICATION, _NAME)


def _tells(item: Item) -> bool:
    named = item.component is Component.BROKER and item.name in (KRAFT, ZOOKEEPER)
    return named and bool(item.text.strip())
