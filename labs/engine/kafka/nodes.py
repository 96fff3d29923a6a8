"""The processes of a cluster, before they are started: who does what, at which ports."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from labs.engine.links.links import Door

LISTENERS = CLIENTS, QUORUM = "CLIENTS", "QUORUM"
"""The names of a node's listeners: for clients and other brokers, and for controllers."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a node listens, and where it tells others that it does; loopback ports.

    They differ where the way to it leads through a proxy (`labs.engine.links`).
    """

    port: int
    told: int


@dataclass(frozen=True, slots=True)
class Node:
    """One process: a broker if clients reach it, a controller if it has a quorum's listener."""

    id: int
    clients: Address | None
    quorum: Address | None

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


def ports_needed(brokers: int, controllers: int = 0, *, linked: bool = False) -> int:
    """How many ports `nodes` takes."""
    return (brokers + (controllers or brokers)) * (2 if linked else 1)


def nodes(
    ports: Iterator[int], brokers: int, controllers: int = 0, *, linked: bool = False
) -> tuple[Node, ...]:
    """Brokers numbered from 1, then the controllers; without any, each broker is one as well.

    `linked` nodes are told to others by another port than their own.
    """

    def address() -> Address:
        port = next(ports)
        return Address(port, next(ports) if linked else port)

    def quorum() -> Address | None:
        return None if controllers else address()

    serving = [Node(id_, address(), quorum()) for id_ in range(1, brokers + 1)]
    ruling = [Node(brokers + id_, None, address()) for id_ in range(1, controllers + 1)]
    return (*serving, *ruling)


def doors(linked: Iterable[Node]) -> list[Door]:
    """Every way into such nodes: where others are told that one listens, and where it does."""
    return [
        Door(address.told, address.port, str(node.id), name)
        for node in linked
        for name, address in node.addresses.items()
    ]
