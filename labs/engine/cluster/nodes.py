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
"""The names of a node's first log folder, and of its separate metadata folder if it has one."""

ZOOKEEPER_ID = 0
"""The node id of a cluster's ZooKeeper."""

HostPort = tuple[str, int]
"""A host and a port."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The processes of a cluster, and their layout on this machine.

    The `brokers` are numbered from 1. By default each is also a controller (KRaft). Otherwise there
    are dedicated `controllers`, numbered after the brokers, or a `zookeeper`. If it is `linked`,
    every connection between nodes and from clients goes through a proxy, and each node listens on
    one port and advertises another. `log_dirs` is the number of log folders of a broker. Brokers
    are distributed over `racks` in turn; 0 means no racks.
    """

    brokers: int = 3
    controllers: int = 0
    zookeeper: bool = False
    linked: bool = False
    log_dirs: int = 1
    racks: int = 0

    @property
    def ports(self) -> int:
        """The number of ports that its processes use on this machine."""
        deciding = 1 if self.zookeeper else self.controllers or self.brokers
        return (self.brokers + deciding) * (2 if self.linked else 1)


@dataclass(frozen=True, slots=True)
class Address:
    """The address at which a node listens (`at`), and the address that it advertises.

    They differ if connections go through a proxy (`labs.engine.network`).
    """

    at: HostPort
    advertised: HostPort


@dataclass(frozen=True, slots=True)
class Node:
    """A process: a broker if it has a client listener, a controller if it has a quorum listener."""

    id: int
    clients: Address | None
    quorum: Address | None

    @property
    def name(self) -> str:
        """The name of its folder and its log file."""
        return f"{'broker' if self.clients else 'controller'}-{self.id}"

    @property
    def port(self) -> int:
        """The port of its first listener."""
        return next(iter(self.addresses.values())).at[1]

    @property
    def roles(self) -> str:
        """Its value of `process.roles` (KIP-500)."""
        roles = {"broker": self.clients, "controller": self.quorum}
        return ",".join(role for role, address in roles.items() if address)

    @property
    def addresses(self) -> dict[str, Address]:
        """Listener name → address."""
        addresses = {CLIENTS: self.clients, QUORUM: self.quorum}
        return {name: address for name, address in addresses.items() if address}


def address(ports: Iterator[int], *, linked: bool) -> Address:
    """Returns an address on this machine; a `linked` address is advertised at another port."""
    listening = (LOOPBACK, next(ports))
    return Address(listening, (LOOPBACK, next(ports)) if linked else listening)


def nodes(ports: Iterator[int], layout: Layout) -> tuple[Node, ...]:
    """Returns the brokers and then the controllers of a layout, at the next ports."""
    next_address = partial(address, ports, linked=layout.linked)
    only_brokers = bool(layout.controllers or layout.zookeeper)

    def broker(id_: int) -> Node:
        clients = next_address()
        return Node(id_, clients, None if only_brokers else next_address())

    first_controller = layout.brokers + 1
    brokers = [broker(id_) for id_ in range(1, first_controller)]
    controllers = [
        Node(first_controller + n, None, next_address()) for n in range(layout.controllers)
    ]
    return (*brokers, *controllers)


def log_folders(node: Node, log_dirs: int = 1) -> tuple[str, ...]:
    """Returns the folders that a node formats: `log.dirs`, and a metadata folder after several.

    A broker exits if its metadata folder fails, even if other folders work (KIP-858).
    """
    if log_dirs == 1 or not node.clients:
        return (DATA,)
    return (DATA, *(f"{DATA}-{number}" for number in range(2, log_dirs + 1)), METADATA)


def rack(id_: int, racks: int) -> int:
    """Returns the number of the rack of a broker, from 1."""
    return (id_ - 1) % racks + 1


def rack_setting(node: Node, racks: int) -> dict[str, str]:
    """Returns the setting for a broker's rack; empty without racks (KIP-36)."""
    return {"broker.rack": f"rack-{rack(node.id, racks)}"} if racks and node.clients else {}


def proxy_ports(linked: Iterable[Node], zookeeper: Address | None = None) -> list[ProxyPort]:
    """Returns the proxied listeners of these nodes: advertised port and the node's own port.

    A proxied ZooKeeper has the id `ZOOKEEPER_ID` and takes the place of the controllers.
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
