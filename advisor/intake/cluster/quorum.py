"""How many servers keep a cluster's metadata, as its files say it.

`controller.quorum.voters` names each controller (`id@host:port`). What
`controller.quorum.bootstrap.servers` names is where some of them are to be found (KIP-853), and
`zookeeper.connect` names servers of ZooKeeper: several are as many as there are at least, and one
name may stand for several.
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
    f"names one server of ZooKeeper: with no other, it takes all metadata with it. How many there "
    f"are, application.{_SERVERS} says"
)


def with_controllers(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, of which a list of voters says how many controllers there are.

    Where a broker has no `process.roles` it names the controllers that are to take over, before
    Kafka 4.0.
    """
    items, always = list(items), at_least(product.kafka, "4.0")
    in_kraft = {item.process for item in items if item.name == KRAFT}
    is_stated = any(
        item.component is Component.APPLICATION and item.name == _NAME for item in items
    )
    if is_stated or not product.has(Component.APPLICATION, _NAME):
        return items
    return [
        replace(item, component=Component.APPLICATION, name=_NAME, text=str(len(named)))
        if item.component is Component.BROKER
        and item.name == VOTERS
        and (always or item.process in in_kraft)
        and (named := voters(item.text))
        else item
        for item in items
    ]


def with_ensemble(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, and how many servers ZooKeeper has where `zookeeper.connect` names several."""
    items = list(items)
    return items + [
        replace(item, component=Component.APPLICATION, name=_SERVERS, text=str(count))
        for item, count in _named(items, product)
        if count > 1
    ]


def lone_servers(items: Iterable[Item], product: Product) -> list[Item]:
    """The items that name one server of ZooKeeper, where nothing says how many there are."""
    return [item for item, count in _named(list(items), product) if count == 1]


def _named(items: list[Item], product: Product) -> Iterator[tuple[Item, int]]:
    """How many servers the brokers with ZooKeeper name, unless their number is stated."""
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
    """The ids of the voters; none if the text is not such a list."""
    ids = [voter.partition("@") for voter in text.split(",") if voter.strip()]
    return {name.strip() for name, at, _ in ids} if all(at for _, at, _ in ids) else set()
