"""The planned processes of a cluster: their roles and ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial

from labs.engine.network.links import ProxyPort

LOOPBACK = "127.0.0.1"
LISTENERS = CLIENTS, QUORUM = "CLIENTS", "QUORUM"
"""The names of a node's listeners: for clients and other brokers, and for controllers."""
DATA, METADATA = "data", "metadata"
"""The first of a node's log folders, and that of its metadata where it has one of its own."""

ZOOKEEPER_ID = 0
"""The number of the ZooKeeper of a cluster."""

HostPort = tuple[str, int]
"""A host's address and a port of it."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Which processes a cluster has, and how they are laid out on this machine.

    The `brokers` are numbered from 1. Each is a controller too (KRaft), or there are so many
    `controllers` beside them, numbered after them; or there is a `zookeeper` and neither.
    If it is `linked`, every way from one to another and from clients to them leads through a proxy,
    and each listens on one port and advertises another. A broker has so many `log_dirs`, and
    brokers stand in so many `racks` by turns, 0 for none.
    """

    brokers: int = 3
    controllers: int = 0
    zookeeper: bool = False
    linked: bool = False
    log_dirs: int = 1
    racks: int = 0

    @property
    def ports(self) -> int:
        """How many ports of this machine its processes take."""
        ruling = 1 if self.zookeeper else self.controllers or self.brokers
        return (self.brokers + ruling) * (2 if self.linked else 1)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a node listens (`at`), and the address that it advertises.

    They differ where the way to it leads through a proxy (`labs.engine.network`).
    """

    at: HostPort
    advertised: HostPort


@dataclass(frozen=True, slots=True)
class Node:
    """One process: a broker if clients reach it, a controller if it has a quorum's listener."""

    id: int
    clients: Address | None
    quorum: Address | None

    @property
    def name(self) -> str:
        """The name of its folder and its log."""
        return f"{'broker' if self.clients else 'controller'}-{self.id}"

    @property
    def port(self) -> int:
        """Where it listens itself."""
        return next(iter(self.addresses.values())).at[1]

    @property
    def roles(self) -> str:
        """As `process.roles` has them (KIP-500)."""
        served = {"broker": self.clients, "controller": self.quorum}
        return ",".join(role for role, address in served.items() if address)

    @property
    def addresses(self) -> dict[str, Address]:
        """Its addresses by the name of the listener."""
        named = {CLIENTS: self.clients, QUORUM: self.quorum}
        return {name: address for name, address in named.items() if address}


def address(ports: Iterator[int], *, linked: bool) -> Address:
    """An address of this machine; a `linked` one is advertised at another port."""
    own = (LOOPBACK, next(ports))
    return Address(own, (LOOPBACK, next(ports)) if linked else own)


def nodes(ports: Iterator[int], layout: Layout) -> tuple[Node, ...]:
    """The brokers and then the controllers of a layout, at the ports that are next."""
    own_address = partial(address, ports, linked=layout.linked)
    only_brokers = bool(layout.controllers or layout.zookeeper)

    def broker(id_: int) -> Node:
        clients = own_address()
        return Node(id_, clients, None if only_brokers else own_address())

    after = layout.brokers + 1
    brokers = [broker(id_) for id_ in range(1, after)]
    controllers = [Node(after + n, None, own_address()) for n in range(layout.controllers)]
    return (*brokers, *controllers)


def log_folders(node: Node, log_dirs: int = 1) -> tuple[str, ...]:
    """The folders that a node formats: `log.dirs`, and after several of a broker the metadata's.

    A broker whose metadata's folder fails ends itself, whatever else it has (KIP-858).
    """
    if log_dirs == 1 or not node.clients:
        return (DATA,)
    return (DATA, *(f"{DATA}-{number}" for number in range(2, log_dirs + 1)), METADATA)


def rack(id_: int, racks: int) -> int:
    """In which of the racks a broker stands, numbered from 1."""
    return (id_ - 1) % racks + 1


def rack_setting(node: Node, racks: int) -> dict[str, str]:
    """The line of a broker's file that names its rack, if there are racks (KIP-36)."""
    return {"broker.rack": f"rack-{rack(node.id, racks)}"} if racks and node.clients else {}


def proxy_ports(linked: Iterable[Node], zookeeper: Address | None = None) -> list[ProxyPort]:
    """The proxied listeners of these nodes: each advertised port with the node's own port.

    A proxied ZooKeeper is a node of the number `ZOOKEEPER_ID`, and stands for the controllers.
    """
    listeners = [
        (str(node.id), *listener) for node in linked for listener in node.addresses.items()
    ]
    if zookeeper:
        listeners.append((str(ZOOKEEPER_ID), QUORUM, zookeeper))
    return [
        ProxyPort(address.advertised[1], address.at[1], id_, name)
        for id_, name, address in listeners
        if address.advertised != address.at
    ]
