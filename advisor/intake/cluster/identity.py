"""What the servers' files say of who they are, where KafkaConfig.validateValues refuses it.

A file may hold several servers, and each is judged by itself. What is not stated is taken to be in
another file.
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
from advisor.intake.cluster.roles import ANY_ROLE, readers
from advisor.intake.reading import Item, Product
from advisor.intake.text import OTHER_CLUSTER, shown

SERVER_IDS = _NODE, _BROKER = "node.id", "broker.id"
_ADVERTISED = "advertised.listeners"
_ID = re.compile(r"[0-9]{1,9}", re.ASCII)
_PROTOCOL, _MIGRATION = "inter.broker.protocol.version", "zookeeper.metadata.migration.enable"
_BEFORE_KRAFT = re.compile(r"[012]\.", re.ASCII)
_NOT_A_PLACE = re.compile(r"[${]|^(?:localhost|127\.|0\.0\.0\.0)")
"""What is filled in, and what each machine calls itself."""
_NOWHERE = re.compile(r"//0\.0\.0\.0:")


@dataclass(frozen=True, slots=True)
class Server:
    """Whose settings a file holds; where it holds all of them, the roles that the server has, and
    as a mark where clients find it."""

    name: str
    roles: frozenset[str] = frozenset()
    place: int = 0

    def reads(self, name: str, product: Product) -> bool:
        """Whether its file is all that it reads, and it reads this setting."""
        return not self.roles.isdisjoint(readers(name, product))

    def has_id_of(self, other: Server) -> bool:
        """Whether another server, at another place, has the same id."""
        places = {self.place, other.place} - {0}
        return self.name == other.name and len(places) > 1


def server_of(items: Iterable[Item]) -> Server | None:
    """The one server of which a file says something; None if several, or one without a name."""
    own = [item for item in items if item.component is Component.BROKER and not item.inert]
    ids = {item.text.strip() for item in own if item.name in SERVER_IDS}
    if len(ids) == 1:
        roles = {
            role.strip() for item in own if item.name == KRAFT for role in item.text.split(",")
        }
        places = (hash(item.text.strip()) for item in own if item.name == _ADVERTISED)
        return Server(ids.pop(), frozenset(roles) or ANY_ROLE, next(places, 0))
    processes = {item.process for item in own}
    if ids or len(processes) != 1 or processes == {""}:
        return None
    return Server(processes.pop())


def mistaken(items: Iterable[Item], product: Product) -> Iterator[tuple[Item, str]]:
    """The items of servers that do not start, each with the product's words."""
    line = kafka_line(product.kafka)
    if not at_least(line, "3.3"):
        return  # which looks at other things
    servers: dict[str, dict[str, Item]] = defaultdict(dict)
    for item in items:
        if item.component is Component.BROKER and not item.inert:
            servers[item.process][item.name] = item
    for stated in servers.values():
        yield from _ids(stated)
        yield from _in_kraft(stated)
        yield from refused_listeners(stated, line)
        advertised = stated.get(_ADVERTISED)
        if advertised and _NOWHERE.search(advertised.text):
            words = "cannot use the nonroutable meta-address 0.0.0.0. Use a routable IP address."
            yield advertised, f"requirement failed: {_ADVERTISED} {words}"


def of_other_clusters(items: Iterable[Item]) -> Iterator[tuple[Item, str]]:
    """The items that name other voters, or another ZooKeeper, than another server's do: none that
    is the same. A path behind ZooKeeper's servers is one of a cluster's own (zookeeper.connect)."""
    first: dict[str, tuple[Item, set[str]]] = {}
    for item in items:
        named = _places(item)
        if not named:
            continue
        before, known = first.setdefault(item.name, (item, named))
        if item.process != before.process and known.isdisjoint(named):
            words = f"names none of those on line {before.line}, so that it is of another cluster"
            yield item, f"{item.name} {words}: {OTHER_CLUSTER}"
        known |= named


def places_of(items: Iterable[Item]) -> dict[str, frozenset[int]]:
    """Which voters, and which ZooKeeper, a file names, as marks that mean nothing elsewhere."""
    named: dict[str, frozenset[int]] = {}
    for item in items:
        if places := _places(item):
            named[item.name] = named.get(item.name, frozenset()) | {*map(hash, places)}
    return named


def _places(item: Item) -> set[str]:
    """Where a broker's setting says that the voters, or ZooKeeper's servers, are; empty for any
    other setting, and where one of them means nothing on another machine."""
    of = _NAMED.get(item.name)
    if item.component is not Component.BROKER or item.inert or of is None:
        return set()
    named = of(item.text)
    return set() if any(_NOT_A_PLACE.search(place) for place in named) else named


def _voters(text: str) -> set[str]:
    return {row.partition("@")[2].strip() for row in text.split(",")} - {""}


def _ensemble(text: str) -> set[str]:
    hosts, slash, path = text.partition("/")
    return {f"{host.strip()}{slash}{path.strip()}" for host in hosts.split(",") if host.strip()}


_NAMED = {VOTERS: _voters, ZOOKEEPER: _ensemble}


def _in_kraft(stated: Mapping[str, Item]) -> Iterator[tuple[Item, str]]:
    """What a server with `process.roles` needs beside a setting that is stated."""
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
    own = next(iter(numbers.values()))
    named = {voter.lstrip("0") or "0" for voter in voters(stated[VOTERS].text)}
    roles = {role.strip() for role in stated[KRAFT].text.split(",")}
    is_voter = (own.lstrip("0") or "0") in named
    among = f"the set of voters {VOTERS}={', '.join(sorted(named))}"
    if named and "controller" in roles and not is_voter:
        words = f"contains the 'controller' role, the node id {own} must be included in {among}"
        yield stated[VOTERS], f"requirement failed: If {KRAFT} {words}"
    elif roles == {"broker"} and is_voter:
        words = f"contains just the 'broker' role, the node id {own} must not be included in "
        yield stated[VOTERS], f"requirement failed: If {KRAFT} {words}{among}"
