"""Settings in a broker's file for the metadata topic of tiered storage.

Settings of Kafka's own plug-in begin with `rlmm.config.` unless
`remote.log.metadata.manager.impl.prefix` states another prefix (RemoteLogManagerConfig). They count
when the topic is created. The minimum is one of them since 4.3 (KIP-1235).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from advisor.catalog import Component
from advisor.catalog.versions import at_least, kafka_line
from advisor.intake.reading import Item, Product

_TOPIC = "rlmm.config.remote.log.metadata.topic."
_COPIES, _MIN_ISR = f"{_TOPIC}replication.factor", f"{_TOPIC}min.isr"
_NAMES = {
    _COPIES: "remote.metadata.replication.factor",
    _MIN_ISR: "remote.metadata.min.insync.replicas",
}


def with_remote_metadata(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, with these settings under the catalog's names, for the replicas of that topic."""
    items = list(items)
    stated = {item.name for item in items if item.component is Component.APPLICATION}
    names = {
        line: name
        for line, name in _NAMES.items()
        if product.has(Component.APPLICATION, name) and name not in stated
    }
    if not at_least(kafka_line(product.kafka), "4.3"):
        names.pop(_MIN_ISR, None)
    return [
        replace(item, component=Component.APPLICATION, name=names[item.name])
        if item.component is Component.BROKER and item.name in names
        else item
        for item in items
    ]
