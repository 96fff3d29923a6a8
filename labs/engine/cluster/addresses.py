"""How the processes of one cluster reach each other, and how others reach them."""

from __future__ import annotations

from pathlib import Path

from labs.engine.cluster.nodes import doors, nodes, ports_needed
from labs.engine.cluster.ports import Ports
from labs.engine.network.links import Links


class Addresses:
    """The nodes of a cluster in `home`, laid out, and the links between them.

    Without `linked` they speak to each other directly, on loopback, and `links` is None. With it
    every way leads through a proxy, where it can be cut; `note` says so. With `zookeeper` that is
    the port of the server beside them, else None. Raises `LinksFailed`.
    """

    def __init__(
        self, home: Path, brokers: int, controllers: int, log: Path, *, linked: bool,
        zookeeper: bool = False,
    ) -> None:  # fmt: skip
        needed = ports_needed(brokers, controllers, linked=linked, zookeeper=zookeeper)
        self._ports = Ports(needed + zookeeper)
        numbers = iter(self._ports.numbers)
        self.nodes = nodes(numbers, brokers, controllers, linked=linked, zookeeper=zookeeper)
        self.zookeeper = next(numbers) if zookeeper else None
        self.homes = {node: home / node.name for node in self.nodes}
        self.links: Links | None = None
        self.note = ""
        if linked:
            self.note = "links: every way from one node to another leads through a proxy"
            named = {place: node.id for node, place in self.homes.items()}
            self.links = Links(doors(self.nodes), named, log)

    @property
    def bootstrap(self) -> str:
        """For `bootstrap.servers`: the advertised addresses of all brokers."""
        told = (node.clients.advertised for node in self.nodes if node.clients)
        return ",".join(f"{host}:{port}" for host, port in told)

    def end(self) -> None:
        """Ends the links, and frees the ports."""
        if self.links:
            self.links.stop()
        self._ports.release()
