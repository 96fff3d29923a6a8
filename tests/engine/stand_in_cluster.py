"""A stand-in for a cluster in tests of roles and faults, with small processes as its brokers."""

from __future__ import annotations

from dataclasses import dataclass, field

from labs.engine.cluster.broker import Broker
from labs.engine.cluster.cluster import Cluster
from labs.engine.network.links import Links
from labs.engine.protocol.topics import PartitionState


@dataclass
class StandInCluster:
    """The attributes of `Cluster` that roles and faults read, as a test sets them."""

    brokers: dict[int, Broker]
    partitions: list[PartitionState] = field(default_factory=list)
    controllers: dict[int, Broker] = field(default_factory=dict)
    active: int | None = None
    links: Links | None = None
    zookeeper: Broker | None = None
    racks: int = 0
    nodes = Cluster.nodes

    def active_controller(self) -> int | None:
        return self.active

    def describe(self, topic: str) -> list[PartitionState]:
        return self.partitions
