"""The processes of a cluster, before they are started: who does what, at which ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from labs.engine.network import network
from labs.engine.network.links import Door

LOOPBACK = "127.0.0.1"
LISTENERS = CLIENTS, QUORUM = "CLIENTS", "QUORUM"
"""The names of a node's listeners: for clients and other brokers, and for controllers."""
DATA, METADATA = "data", "metadata"
"""The first of a node's log folders, and that of its metadata where it has one of its own."""
LAB = "LAB"
"""That of the listener which only the lab is told of, where nodes have a network of their own."""
PORTS = {9092: CLIENTS, 9093: QUORUM, 9094: LAB}
"""Where nodes listen in a network of their own."""

At = tuple[str, int]
"""A host's address and a port of it."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a node listens, and where it tells others that it does.

    They differ where the way to it leads through a proxy (`labs.engine.network`).
    """

    at: At
    told: At


@dataclass(frozen=True, slots=True)
class Node:
    """One process: a broker if clients reach it, a controller if it has a quorum's listener.

    `lab` is how the lab reaches a broker with a network of its own.
    """

    id: int
    clients: Address | None
    quorum: Address | None
    lab: Address | None = None

    @property
    def name(self) -> str:
        """Of its folder and its log."""
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
        named = {CLIENTS: self.clients, QUORUM: self.quorum, LAB: self.lab}
        return {name: address for name, address in named.items() if address}

    @property
    def asked_at(self) -> At | None:
        """For the lab's own `bootstrap.servers`, if it is a broker."""
        address = self.lab or self.clients
        return address.told if address else None


def ports_needed(
    brokers: int, controllers: int = 0, *, linked: bool = False, networked: bool = False
) -> int:
    """How many ports of this machine `nodes` takes."""
    if networked:
        return brokers
    return (brokers + (controllers or brokers)) * (2 if linked else 1)


def nodes(
    ports: Iterator[int], brokers: int, controllers: int = 0,
    *, linked: bool = False, networked: bool = False,
) -> tuple[Node, ...]:  # fmt: skip
    """Brokers numbered from 1, then the controllers; without any, each broker is one as well.

    `linked` nodes are told to others by another port than their own. `networked` ones have an
    address each in a network of their own, and a door for the lab.
    """

    def address(id_: int, port: int) -> Address:
        if networked:
            inside = (network.address(id_), port)
            return Address(inside, inside)
        own = (LOOPBACK, next(ports))
        return Address(own, (LOOPBACK, next(ports)) if linked else own)

    def broker(id_: int) -> Node:
        clients = address(id_, 9092)
        quorum = None if controllers else address(id_, 9093)
        lab = Address((network.address(id_), 9094), (LOOPBACK, next(ports))) if networked else None
        return Node(id_, clients, quorum, lab)

    serving = [broker(id_) for id_ in range(1, brokers + 1)]
    ruling = [
        Node(id_, None, address(id_, 9093)) for id_ in range(brokers + 1, brokers + controllers + 1)
    ]
    return (*serving, *ruling)


def log_folders(node: Node, log_dirs: int = 1) -> tuple[str, ...]:
    """The folders that a node formats: `log.dirs`, and after several of a broker the metadata's.

    A broker whose metadata's folder fails ends itself, whatever else it has (KIP-858).
    """
    if log_dirs == 1 or not node.clients:
        return (DATA,)
    return (DATA, *(f"{DATA}-{number}" for number in range(2, log_dirs + 1)), METADATA)


def doors(linked: Iterable[Node]) -> list[Door]:
    """Every way into such nodes from loopback: where it is told to be, and where it leads."""
    return [
        Door(address.told[1], address.at[1], str(node.id), name, host=address.at[0])
        for node in linked
        for name, address in node.addresses.items()
        if address.told != address.at
    ]
