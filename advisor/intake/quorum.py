"""How many controllers a cluster has, as its files say it.

`controller.quorum.voters` names each of them (`id@host:port`). What
`controller.quorum.bootstrap.servers` names is where some of them are to be found (KIP-853).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from advisor.catalog import Component, has
from advisor.intake.mode import KRAFT
from advisor.intake.reading import Item, Product

VOTERS, _NAME = "controller.quorum.voters", "controllers"


def with_controllers(items: Iterable[Item], product: Product) -> list[Item]:
    """The items, of which a list of voters says how many controllers there are.

    Where a broker has no `process.roles` it names the controllers that are to take over.
    """
    items = list(items)
    of = (product.family, product.version, product.kafka, Component.APPLICATION)
    in_kraft = {item.process for item in items if item.name == KRAFT}
    is_stated = any(
        item.component is Component.APPLICATION and item.name == _NAME for item in items
    )
    if is_stated or not has(*of, _NAME):
        return items
    return [
        replace(item, component=Component.APPLICATION, name=_NAME, text=str(len(voters)))
        if item.component is Component.BROKER
        and item.name == VOTERS
        and item.process in in_kraft
        and (voters := _ids(item.text))
        else item
        for item in items
    ]


def _ids(text: str) -> set[str]:
    """The ids of the voters; none of a text that is no such list."""
    ids = [voter.partition("@") for voter in text.split(",") if voter.strip()]
    return {name.strip() for name, at, _ in ids} if all(at for _, at, _ in ids) else set()
