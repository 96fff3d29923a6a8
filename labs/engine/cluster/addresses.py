"""How the processes of one cluster reach each other, and how others reach them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from labs.engine.base.processes import Namespaces
from labs.engine.cluster.nodes import PORTS, At, Node, doors, nodes, ports_needed
from labs.engine.cluster.ports import Ports
from labs.engine.network import namespaces
from labs.engine.network.links import Carrier, Links
from labs.engine.network.network import Network


class Addresses:
    """The nodes of a cluster in `home`, laid out, and what carries their words to one another.

    Without `linked` they speak to each other directly, on loopback, and `links` is None. With it
    every way leads through `links`, where it can be cut: through network namespaces, where this
    process may make them, else through a proxy; `note` says which. Raises `LinksFailed`.
    """

    def __init__(
        self, home: Path, brokers: int, controllers: int, log: Path, *, linked: bool
    ) -> None:
        why_not = namespaces.why_not() if linked else "nothing is done to its links"
        networked = not why_not
        self._ports = Ports(ports_needed(brokers, controllers, linked=linked, networked=networked))
        self.nodes = nodes(
            iter(self._ports.numbers), brokers, controllers, linked=linked, networked=networked
        )
        self.homes = {node: home / node.name for node in self.nodes}
        self.network: Network | None = None
        self.links: Carrier | None = None
        self.note = ""
        if networked:
            ids = [node.id for node in self.nodes]
            self.links = self.network = Network(ids, PORTS, doors(self.nodes), log)
            self.note = (
                "links: each broker and the clients have a network namespace of their own, and "
                "what is done to a link is done to its packets"
            )
        elif linked:
            named = {place: node.id for node, place in self.homes.items()}
            self.links = Links(doors(self.nodes), named, log)
            self.note = f"links: they lead through a proxy, not through namespaces ({why_not})"

    @property
    def lab(self) -> str:
        """For `bootstrap.servers` of the lab itself: all brokers, where it reaches them."""
        return _joined(node.asked_at for node in self.nodes if node.asked_at)

    @property
    def told(self) -> str:
        """For `bootstrap.servers` of the clients under test: all brokers, as they tell them."""
        return _joined(node.clients.told for node in self.nodes if node.clients)

    @property
    def clients(self) -> Namespaces:
        """For `processes.spawn` of a client under test."""
        return self.network.clients if self.network else ()

    def within(self, node: Node) -> Namespaces:
        """For `processes.spawn` of a node."""
        return self.network.within(node.id) if self.network else ()

    def end(self) -> None:
        """Ends what carries, and frees the ports."""
        if self.links:
            self.links.stop()
        self._ports.release()


def _joined(at: Iterable[At]) -> str:
    return ",".join(f"{host}:{port}" for host, port in at)
