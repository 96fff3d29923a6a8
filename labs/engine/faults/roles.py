"""The roles of brokers (leader, follower, …), resolved at the moment of a fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from labs.engine.cluster.broker import Broker, BrokerState
from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.nodes import ZOOKEEPER_ID, rack
from labs.engine.protocol.admin import coordinator_of


@dataclass(frozen=True, slots=True)
class Target:
    """A node in the role in which it was hit; as text `leader: broker 2`, or `controller: node 4`
    if it is a controller alone."""

    role: str
    broker: Broker

    def __str__(self) -> str:
        return f"{self.role}: {self.broker.name}"


@dataclass(frozen=True, slots=True)
class Role:
    """The name of a role, and the nodes that have it in a cluster now; there may be none.

    ZooKeeper has no role but its own.
    """

    name: str
    resolve: Callable[[Cluster], list[Broker]]

    def targets(self, cluster: Cluster) -> list[Target]:
        nodes = self.resolve(cluster)
        return [Target(node.name if node.id == ZOOKEEPER_ID else self.name, node) for node in nodes]


def leader(topic: str, partition: int = 0) -> Role:
    """The broker that leads the partition, as the running brokers have it."""

    def resolve(cluster: Cluster) -> list[Broker]:
        return [
            cluster.brokers[state.leader]
            for state in cluster.describe(topic)
            if state.partition == partition and state.leader is not None
        ]

    return Role("leader", resolve)


def followers(topic: str, partition: int = 0) -> Role:
    """The partition's in-sync replicas other than its leader."""

    def resolve(cluster: Cluster) -> list[Broker]:
        return [
            cluster.brokers[id_]
            for state in cluster.describe(topic)
            if state.partition == partition
            for id_ in state.isr
            if id_ != state.leader
        ]

    return Role("follower", resolve)


def one_follower(topic: str, partition: int = 0) -> Role:
    """One of the partition's in-sync followers: the one with the lowest id."""
    all_of_them = followers(topic, partition)
    return Role("follower", lambda cluster: all_of_them.resolve(cluster)[:1])


def minority(topic: str, partition: int = 0) -> Role:
    """The largest minority of the brokers: the leader, then those with the lowest ids.

    Where brokers are controllers too, the others are a majority of these and go on.
    """
    leads = leader(topic, partition)

    def resolve(cluster: Cluster) -> list[Broker]:
        first = leads.resolve(cluster)
        rest = [broker for broker in cluster.brokers.values() if broker not in first]
        return [*first, *rest][: (len(cluster.brokers) - 1) // 2] if first else []

    return Role("minority", resolve)


def leaders_rack(topic: str, partition: int = 0) -> Role:
    """All brokers in the rack of the partition's leader."""
    leads = leader(topic, partition)

    def resolve(cluster: Cluster) -> list[Broker]:
        racks = {rack(broker.id, cluster.layout.racks) for broker in leads.resolve(cluster)}
        return [b for b in cluster.brokers.values() if rack(b.id, cluster.layout.racks) in racks]

    return Role("leader's rack", resolve)


def other_racks(topic: str, partition: int = 0) -> Role:
    """All brokers in other racks than that of the partition's leader, if there is one."""
    own = leaders_rack(topic, partition)

    def resolve(cluster: Cluster) -> list[Broker]:
        there = own.resolve(cluster)
        return [b for b in cluster.brokers.values() if b not in there] if there else []

    return Role("other rack", resolve)


def majority() -> Role:
    """The active one of the dedicated controllers, and as many as are a majority with it.

    Of brokers with ZooKeeper that server, the only one here: nothing is decided without it.
    """
    active = controller()

    def resolve(cluster: Cluster) -> list[Broker]:
        if cluster.zookeeper:
            return [cluster.zookeeper]
        first = active.resolve(cluster)
        rest = [node for node in cluster.controllers.values() if node not in first]
        return [*first, *rest][: len(cluster.controllers) // 2 + 1] if first else []

    return Role("majority", resolve)


def dead_controllers() -> Role:
    """All dedicated controllers that are dead, or the ZooKeeper that is."""

    def resolve(cluster: Cluster) -> list[Broker]:
        nodes = [*cluster.controllers.values(), *filter(None, [cluster.zookeeper])]
        return [node for node in nodes if node.state == "dead"]

    return Role("dead", resolve)


def killed_brokers() -> Role:
    """All dead brokers that `faults.kill` ended, and no dedicated controller."""

    def resolve(cluster: Cluster) -> list[Broker]:
        return [broker for broker in cluster.brokers.values() if broker.ended_by_sigkill]

    return Role("killed", resolve)


def controller() -> Role:
    """The active controller: the node, broker or not, that leads the metadata quorum."""

    def resolve(cluster: Cluster) -> list[Broker]:
        active = cluster.active_controller()
        return [] if active is None else [cluster.nodes[active]]

    return Role("controller", resolve)


def coordinator(group: str) -> Role:
    """The broker that coordinates a group of consumers and keeps its offsets."""

    def resolve(cluster: Cluster) -> list[Broker]:
        count = coordinator_of(cluster.bootstrap, group)
        return [] if count is None else [cluster.brokers[count]]

    return Role("coordinator", resolve)


def transaction_coordinator() -> Role:
    """The broker that coordinates all transactions, where their state has one partition."""
    leads = leader("__transaction_state")
    return Role("coordinator", leads.resolve)


def broker(id_: int, name: str = "broker") -> Role:
    """One broker by its id, whatever it does; `name` says what it was chosen for."""
    return Role(name, lambda cluster: [cluster.brokers[id_]])


def paused() -> Role:
    """All brokers that are paused."""
    return _brokers("paused", "paused")


def dead() -> Role:
    """All nodes that are dead, dedicated controllers before brokers."""
    return _nodes("dead", lambda node: node.state == "dead")


def killed() -> Role:
    """All dead nodes that `faults.kill` ended."""
    return _nodes("killed", lambda node: node.ended_by_sigkill)


def terminated() -> Role:
    """All dead nodes that `faults.terminate` ended."""
    return _nodes("terminated", lambda node: node.ended_by_sigterm)


def failed() -> Role:
    """All dead nodes that ended themselves, as a broker without a disk to write on does."""
    return _nodes("failed", lambda node: node.ended_itself)


def newest_log(topic: str, partition: int = 0) -> Role:
    """The killed broker whose log of a partition is newest, as an operator should compare them.

    That is the latest leader epoch, and then the most on the disk (KIP-966, Unclean Recovery). The
    longest log may be of a leader that took sends while it was stopped, and lacks what was
    acknowledged after that (docs/decisions/0147-a-group-may-skip-after-a-truncation.md).
    """

    def reached(broker: Broker) -> tuple[int, int]:
        folder = broker.data / f"{topic}-{partition}"
        size = sum(segment.stat().st_size for segment in folder.glob("*.log"))
        return latest_epoch(folder / "leader-epoch-checkpoint"), size

    def resolve(cluster: Cluster) -> list[Broker]:
        return sorted(killed().resolve(cluster), key=reached, reverse=True)[:1]

    return Role("newest log", resolve)


def latest_epoch(checkpoint: Path) -> int:
    """The last leader epoch of which a partition has records; -1 where it has none.

    Behind a version and a count, each line is an epoch and its first offset
    (LeaderEpochCheckpointFile.java).
    """
    lines = checkpoint.read_text("utf-8").splitlines()[2:] if checkpoint.exists() else []
    return max((int(line.split()[0]) for line in lines), default=-1)


def impaired() -> Role:
    """All brokers of which a link is cut or slow."""

    def resolve(cluster: Cluster) -> list[Broker]:
        by_name = cluster.links.impaired if cluster.links else {}
        return [cluster.brokers[id_] for id_ in by_name]

    return Role("impaired", resolve)


def running_brokers() -> Role:
    """All brokers that run."""
    return _brokers("all", "running")


def _brokers(name: str, state: BrokerState) -> Role:
    return Role(name, lambda cluster: [b for b in cluster.brokers.values() if b.state == state])


def _nodes(name: str, is_one: Callable[[Broker], bool]) -> Role:
    return Role(name, lambda cluster: [node for node in cluster.nodes.values() if is_one(node)])
