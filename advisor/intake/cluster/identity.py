"""Ids and roles of servers that KafkaConfig.validateValues refuses.

A file may hold several servers, and each is checked by itself. A setting that is not stated is
assumed to be in another file.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from advisor.catalog import Component
from advisor.catalog.versions import at_least, kafka_line
from advisor.intake.cluster.listeners import refused_listeners
from advisor.intake.cluster.mode import KRAFT, ZOOKEEPER
from advisor.intake.cluster.quorum import VOTERS, voters
from advisor.intake.cluster.roles import ANY_ROLE, reading_roles
from advisor.intake.reading import Item, Product
from advisor.intake.text import OTHER_CLUSTER, shown

SERVER_IDS = _NODE, _BROKER = "node.id", "broker.id"
_ADVERTISED = "advertised.listeners"
_ID = re.compile(r"[0-9]{1,9}", re.ASCII)
_PROTOCOL, _MIGRATION = "inter.broker.protocol.version", "zookeeper.metadata.migration.enable"
_BEFORE_KRAFT = re.compile(r"[012]\.", re.ASCII)
_LOCAL_ADDRESS = re.compile(r"[${]|^(?:localhost|127\.|0\.0\.0\.0)")
"""Addresses that are filled in, or that name the machine itself."""
_ANY_ADDRESS = re.compile(r"//0\.0\.0\.0:")


@dataclass(frozen=True, slots=True)
class Server:
    """The server that a file configures. If the file holds all its settings, also its roles, and a
    hash of its advertised listeners (`place`)."""

    name: str
    roles: frozenset[str] = frozenset()
    place: int = 0

    def reads(self, name: str, product: Product) -> bool:
        """Whether the server reads this setting from the file, which holds all its settings."""
        return not self.roles.isdisjoint(reading_roles(name, product))

    def has_id_of(self, other: Server) -> bool:
        """Whether another server, at another address, has the same id."""
        places = {self.place, other.place} - {0}
        return self.name == other.name and len(places) > 1


def only_server(items: Iterable[Item]) -> Server | None:
    """The only server that a file configures; None for several, and for one without a name."""
    broker_items = [item for item in items if item.component is Component.BROKER and not item.inert]
    ids = {item.text.strip() for item in broker_items if item.name in SERVER_IDS}
    if len(ids) == 1:
        roles = {
            role.strip()
            for item in broker_items
            if item.name == KRAFT
            for role in item.text.split(",")
        }
        places = (hash(item.text.strip()) for item in broker_items if item.name == _ADVERTISED)
        return Server(ids.pop(), frozenset(roles) or ANY_ROLE, next(places, 0))
    processes = {item.process for item in broker_items}
    if ids or len(processes) != 1 or processes == {""}:
        return None
    return Server(processes.pop())


def refused_ids(items: Iterable[Item], product: Product) -> Iterator[tuple[Item, str]]:
    """Yields the items with which a server does not start, each with Kafka's message."""
    line = kafka_line(product.kafka)
    if not at_least(line, "3.3"):
        return  # whose checks are others
    servers: dict[str, dict[str, Item]] = defaultdict(dict)
    for item in items:
        if item.component is Component.BROKER and not item.inert:
            servers[item.process][item.name] = item
    for stated in servers.values():
        yield from _ids(stated)
        yield from _in_kraft(stated)
        yield from refused_listeners(stated, line)
        advertised = stated.get(_ADVERTISED)
        if advertised and _ANY_ADDRESS.search(advertised.text):
            words = "cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP address."
            yield advertised, f"requirement failed: {_ADVERTISED} {words}"


def other_clusters(items: Iterable[Item]) -> Iterator[tuple[Item, str]]:
    """Yields the items whose voters or ZooKeeper servers have none in common with those of another
    server, each with a message. The path after ZooKeeper's servers belongs to the cluster
    (zookeeper.connect)."""
    first: dict[str, tuple[Item, set[str]]] = {}
    for item in items:
        quorum = _addresses(item)
        if not quorum:
            continue
        before, known_addresses = first.setdefault(item.name, (item, quorum))
        if item.process != before.process and known_addresses.isdisjoint(quorum):
            words = f"names none of those on line {before.line}, so it belongs to another cluster"
            yield item, f"{item.name} {words}: {OTHER_CLUSTER}"
        known_addresses |= quorum


def addresses(items: Iterable[Item]) -> dict[str, frozenset[int]]:
    """The addresses of voters and ZooKeeper servers in a file, by setting, as hashes that are valid
    in this process only."""
    by_setting: dict[str, frozenset[int]] = {}
    for item in items:
        if quorum := _addresses(item):
            by_setting[item.name] = by_setting.get(item.name, frozenset()) | {*map(hash, quorum)}
    return by_setting


def _addresses(item: Item) -> set[str]:
    """The addresses of voters or ZooKeeper servers in a broker's setting; empty for any other
    setting, and if one of the addresses is valid on its machine only."""
    parse = _ADDRESSES.get(item.name)
    if item.component is not Component.BROKER or item.inert or parse is None:
        return set()
    addresses = parse(item.text)
    return set() if any(_LOCAL_ADDRESS.search(address) for address in addresses) else addresses


def _voters(text: str) -> set[str]:
    return {row.partition("@")[2].strip() for row in text.split(",")} - {""}


def _ensemble(text: str) -> set[str]:
    hosts, slash, path = text.partition("/")
    return {f"{host.strip()}{slash}{path.strip()}" for host in hosts.split(",") if host.strip()}


_ADDRESSES = {VOTERS: _voters, ZOOKEEPER: _ensemble}


def _in_kraft(stated: Mapping[str, Item]) -> Iterator[tuple[Item, str]]:
    """Yields settings that a server with `process.roles` does not start with, each with Kafka's
    message."""
    if KRAFT not in stated:
        return
    protocol, migration = stated.get(_PROTOCOL), stated.get(_MIGRATION)
    if protocol and _BEFORE_KRAFT.match(protocol.text.strip()):
        words = f"A non-KRaft version {shown(protocol.text.strip())} given for {_PROTOCOL}. The "
        yield protocol, f"{words}minimum version is 3.0-IV1"
    if migration and migration.text.strip().lower() == "true" and ZOOKEEPER not in stated:
        words = f"If using `{_MIGRATION}` in KRaft mode, `{ZOOKEEPER}` must also be set."
        yield migration, words


def _ids(stated: Mapping[str, Item]) -> Iterator[tuple[Item, str]]:
    numbers = {
        name: stated[name].text.strip()
        for name in SERVER_IDS
        if name in stated and _ID.fullmatch(stated[name].text.strip())
    }
    if len({int(number) for number in numbers.values()}) > 1:
        words = f"You must set `{_NODE}` to the same value as `{_BROKER}`."
        yield stated[_NODE], words
        return
    if not (numbers and KRAFT in stated and VOTERS in stated):
        return
    node_id = next(iter(numbers.values()))
    voter_ids = {voter.lstrip("0") or "0" for voter in voters(stated[VOTERS].text)}
    roles = {role.strip() for role in stated[KRAFT].text.split(",")}
    is_voter = (node_id.lstrip("0") or "0") in voter_ids
    among = f"the set of voters {VOTERS}={', '.join(sorted(voter_ids))}"
    if voter_ids and "controller" in roles and not is_voter:
        words = f"contains the 'controller' role, the node id {node_id} must be included in {among}"
        yield stated[VOTERS], f"requirement failed: If {KRAFT} {words}"
    elif roles == {"broker"} and is_voter:
        words = f"contains just the 'broker' role, the node id {node_id} must not be included in "
        yield stated[VOTERS], f"requirement failed: If {KRAFT} {words}{among}"
