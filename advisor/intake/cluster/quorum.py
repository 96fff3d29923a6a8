"""The number of servers that store a cluster's metadata, according to its files.

`controller.quorum.voters` lists every controller (`id@host:port`).
`controller.quorum.bootstrap.servers` lists some of their addresses (KIP-853). `zookeeper.connect`
lists servers of ZooKeeper: there are at least as many as it names, and a single name may stand for
several.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from advisor.catalog import Component
from advisor.catalog.versions import at_least
from advisor.intake.cluster.mode import KRAFT, ZOOKEEPER
from advisor.intake.reading import Item, Product

VOTERS, _NAME = "controller.quorum.voters", "controllers"
_SERVERS = "zookeeper.servers"
ONE_SERVER = (
    f"names one server of ZooKeeper: if there is no other, all metadata is lost with it. State "
    f"their number as application.{_SERVERS}"
)


def with_controllers(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, with a list of voters replaced by the number of controllers.

    Before Kafka 4.0 a broker without `process.roles` lists the controllers of a future migration,
    which do not count.
    """
    items, without_zookeeper = list(items), at_least(product.kafka, "4.0")
    in_kraft = {item.process for item in items if item.name == KRAFT}
    is_stated = any(
        item.component is Component.APPLICATION and item.name == _NAME for item in items
    )
    if is_stated or not product.has(Component.APPLICATION, _NAME):
        return items
    return [
        replace(item, component=Component.APPLICATION, name=_NAME, text=str(len(ids)))
        if item.component is Component.BROKER
        and item.name == VOTERS
        and (without_zookeeper or item.process in in_kraft)
        and (ids := voters(item.text))
        else item
        for item in items
    ]


def with_ensemble(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, and the number of ZooKeeper servers if `zookeeper.connect` names several."""
    items = list(items)
    return items + [
        replace(item, component=Component.APPLICATION, name=_SERVERS, text=str(count))
        for item, count in _server_counts(items, product)
        if count > 1
    ]


def lone_servers(items: Iterable[Item], product: Product) -> list[Item]:
    """The items that name one ZooKeeper server, if the number of servers is not stated."""
    return [item for item, count in _server_counts(list(items), product) if count == 1]


def _server_counts(items: list[Item], product: Product) -> Iterator[tuple[Item, int]]:
    """Yields the `zookeeper.connect` items of brokers with ZooKeeper, each with the number of
    servers that it names, unless the number is stated."""
    in_kraft = {item.process for item in items if item.name == KRAFT}
    is_stated = any(
        item.component is Component.APPLICATION and item.name == _SERVERS for item in items
    )
    if is_stated or not product.has(Component.APPLICATION, _SERVERS):
        return
    for item in items:
        if item.component is Component.BROKER and item.name == ZOOKEEPER:
            hosts = {host.strip() for host in item.text.partition("/")[0].split(",")} - {""}
            if "{%" not in item.text and hosts and item.process not in in_kraft:
                yield item, len(hosts)


def voters(text: str) -> set[str]:
    """The ids in a list of voters; empty if the text is not such a list."""
    ids = [voter.partition("@") for voter in text.split(",") if voter.strip()]
    return {name.strip() for name, at, _ in ids} if all(at for _, at, _ in ids) else set()
