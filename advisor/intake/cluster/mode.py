"""The metadata mode of a cluster (KRaft or ZooKeeper), inferred from a broker's file.

A broker with `process.roles` in its file runs in KRaft mode, whatever else the file states. A
broker without it needs `zookeeper.connect` (KafkaConfig.scala of 2.8 to 3.9, requiresZookeeper).
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
    """The items, with the setting that decides the mode replaced by `metadata.mode`, for brokers
    that may run in either mode."""
    items = list(items)
    stated = {item.name for item in items if _is_mode_setting(item)}
    if not stated or not has_modes(product):
        return items
    setting, mode = (KRAFT, "kraft") if KRAFT in stated else (ZOOKEEPER, "zookeeper")
    return [
        replace(item, component=Component.APPLICATION, name=_NAME, text=mode)
        if _is_mode_setting(item) and item.name == setting
        else item
        for item in items
    ]


def assume_zookeeper(reading: Reading) -> None:
    """Assumes the newest Kafka with ZooKeeper for brokers that need ZooKeeper, if no version is
    stated."""
    items = [item for item in reading.items if _is_mode_setting(item)]
    with_roles = {item.process for item in items if item.name == KRAFT}
    without = [item for item in items if item.process not in with_roles]
    if not without or "kafka" in reading.heads:
        return
    newest = next(line for line in kafka_versions() if not at_least(line, "4.0"))
    reading.heads["kafka"] = newest
    words = f"{ZOOKEEPER}: Kafka {newest}, the newest with ZooKeeper, is assumed. State the version"
    reading.note(without[0].line, f"{words} (--kafka) if it is another")


def without_roles(items: Iterable[Item], product: Product) -> list[tuple[Item, str]]:
    """The items of brokers with ZooKeeper, each with a message, if this Kafka has no ZooKeeper.

    Source: KafkaConfig of 4.0 and later (`process.roles` has no default).
    """
    if not at_least(kafka_line(product.kafka), "4.0"):
        return []
    items = [item for item in items if _is_mode_setting(item)]
    with_roles = {item.process for item in items if item.name == KRAFT}
    words = (
        f'Missing required configuration "{KRAFT}" which has no default value. Kafka '
        f"{product.kafka} has no ZooKeeper; say which older version this file is for (--kafka)."
    )
    return [(item, words) for item in items if item.process not in with_roles]


def early_access(items: Iterable[Item], product: Product) -> list[tuple[Item, str]]:
    """The items that set KRaft mode, each with a message, if it is a preview in this Kafka.

    Source: KIP-833 (for production since 3.3).
    """
    if at_least(kafka_line(product.kafka), "3.3"):
        return []
    words = (
        f"{KRAFT} is KRaft mode, which is a preview in Kafka {product.kafka} and for production "
        "since 3.3 (KIP-833). That is not covered; say which later version this file is for."
    )
    return [(item, words) for item in items if _is_mode_setting(item) and item.name == KRAFT]


def has_modes(product: Product) -> bool:
    """Whether brokers of this version may run in either mode: 3.3 to 3.9."""
    return product.has(Component.APPLICATION, _NAME)


def _is_mode_setting(item: Item) -> bool:
    decides_mode = item.component is Component.BROKER and item.name in (KRAFT, ZOOKEEPER)
    return decides_mode and bool(item.text.strip())
