"""The number of racks, if the settings of every broker name its rack (`broker.rack`, KIP-36).

As for a live cluster, nothing is counted if a broker names none.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, MutableMapping

from advisor.catalog import Component
from advisor.intake.cluster.identity import Server
from advisor.intake.origins import Origin
from advisor.intake.reading import Item

RACK, _FIELD = "broker.rack", "application.racks"
_FILLED_IN = re.compile(r"[$<{%]")
_ASSUMED = "3"
"""The number of brokers that is assumed for a cluster."""


def hashed(text: str) -> str:
    """A hash for the name of a rack, which may be confidential; empty for an unknown name."""
    return "" if _FILLED_IN.search(text) else str(hash(text.strip()))


def count_racks(
    items: Iterable[Item], servers: Iterable[Server], fields: MutableMapping[str, str],
    origins: MutableMapping[str, Origin],
) -> None:  # fmt: skip
    """Sets the number of racks from the stored settings of all brokers, unless it is stated."""
    roles = {str(hash(server.name)): server.roles for server in servers}
    racks = {
        item.process: item
        for item in items
        if item.component is Component.BROKER and item.name == RACK and item.process
        if "broker" in roles.get(item.process, {"broker"})
    }
    is_stated = _FIELD in fields and origins[_FIELD].source not in _places(racks.values())
    brokers = {process for process, parts in roles.items() if "broker" in parts}
    number = fields.get("brokers", _ASSUMED)
    if (
        not racks
        or is_stated
        or not number.isdecimal()
        or len(racks) < int(number)
        or brokers - racks.keys()
    ):
        return
    names = {item.text for item in racks.values()}
    if "" not in names:
        fields[_FIELD] = str(len(names))
        origins[_FIELD] = Origin(_places(racks.values())[-1])


def _places(items: Iterable[Item]) -> list[str]:
    return [item.place for item in items]
