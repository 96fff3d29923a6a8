"""The metadata mode of a cluster (KRaft or ZooKeeper), inferred from a broker's file.

A broker with `process.roles` in its file runs in KRaft mode, whatever else is there; one without
needs `zookeeper.connect` (KafkaConfig.scala of 2.8 to 3.9, requiresZookeeper).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from advisor.catalog import Component, kafka_versions
from advisor.catalog.versions import at_least, kafka_line
from advisor.intake.reading import Item, Product, Reading

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


def assume_zookeeper(reading: Reading) -> None:
    """Takes the newest Kafka that has ZooKeeper for brokers that need one and say no version."""
    items = [item for item in reading.items if _tells(item)]
    with_roles = {item.process for item in items if item.name == KRAFT}
    without = [item for item in items if item.process not in with_roles]
    if not without or "kafka" in reading.heads:
        return
    newest = next(line for line in kafka_versions() if not at_least(line, "4.0"))
    reading.heads["kafka"] = newest
    words = f"{ZOOKEEPER}: Kafka {newest}, the newest with ZooKeeper, is taken. State the version"
    reading.note(without[0].line, f"{words} (--kafka) if it is another")


def without_roles(items: Iterable[Item], product: Product) -> list[tuple[Item, str]]:
    """The items of brokers with ZooKeeper that a Kafka without it does not start with, and why.

    Source: KafkaConfig of 4.0 and later (`process.roles` has no default).
    """
    if not at_least(kafka_line(product.kafka), "4.0"):
        return []
    items = [item for item in items if _tells(item)]
    with_roles = {item.process for item in items if item.name == KRAFT}
    words = (
        f'Missing required configuration "{KRAFT}" which has no default value. Kafka '
        f"{product.kafka} has no ZooKeeper; say which older version this file is for (--kafka)."
    )
    return [(item, words) for item in items if item.process not in with_roles]


def early_access(items: Iterable[Item], product: Product) -> list[tuple[Item, str]]:
    """The items of brokers in KRaft mode of a Kafka that has it as a preview, and why not.

    Source: KIP-833 (for production since 3.3).
    """
    if at_least(kafka_line(product.kafka), "3.3"):
        return []
    words = (
        f"{KRAFT} is KRaft mode, which is a preview in Kafka {product.kafka} and for production "
        "since 3.3 (KIP-833). That is not advised on; say which later version this file is for."
    )
    return [(item, words) for item in items if _tells(item) and item.name == KRAFT]


def is_asked(product: Product) -> bool:
    """Whether brokers of this version may have either mode: 3.3 to 3.9."""
    return product.has(Component.APPLICATION, _NAME)


def _tells(item: Item) -> bool:
    named = item.component is Component.BROKER and item.name in (KRAFT, ZOOKEEPER)
    return named and bool(item.text.strip())
