"""The roles of brokers (leader, follower, …), resolved at the moment of a fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from labs.engine.cluster.broker import Broker, BrokerState
from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.nodes import ZOOKEEPER_ID, rack
from labs.engine.protocol.admin import coordinator_of

_PARTITION = 0
"""The partition of a topic that faults hit."""


@dataclass(frozen=True, slots=True)
class Target:
    """A node, and the role in which it is hit.

    As text it is `leader: broker 2`, or `controller: node 4` for a dedicated controller.
    """

    role: str
    broker: Broker

    def __str__(self) -> str:
        return f"{self.role}: {self.broker.name}"


@dataclass(frozen=True, slots=True)
class Role:
    """The name of a role, and a function that returns the nodes that have it in a cluster now.

    There may be none. The only role of ZooKeeper is its name.
    """

    name: str
    resolve: Callable[[Cluster], list[Broker]]

    def targets(self, cluster: Cluster) -> list[Target]:
        nodes = self.resolve(cluster)
        return [Target(node.name if node.id == ZOOKEEPER_ID else self.name, node) for node in nodes]


def leader(topic: str) -> Role:
    """The leader of the partition, according to the running brokers."""

    def resolve(cluster: Cluster) -> list[Broker]:
        return [
            cluster.brokers[state.leader]
            for state in cluster.describe(topic)
            if state.partition == _PARTITION and state.leader is not None
        ]

    return Role("leader", resolve)


def followers(topic: str) -> Role:
    """The partition's in-sync replicas other than its leader."""

    def resolve(cluster: Cluster) -> list[Broker]:
        return [
            cluster.brokers[id_]
            for state in cluster.describe(topic)
            if state.partition == _PARTITION
            for id_ in state.isr
            if id_ != state.leader
        ]

    return Role("follower", resolve)


def one_follower(topic: str) -> Role:
    """The in-sync follower of the partition with the lowest id."""
    all_followers = followers(topic)
    return Role("follower", lambda cluster: all_followers.resolve(cluster)[:1])


def minority(topic: str) -> Role:
    """The largest minority of the brokers: the leader, then those with the lowest ids.

    If brokers are also controllers, the others are a majority of the controllers and continue.
    """
    leader_role = leader(topic)

    def resolve(cluster: Cluster) -> list[Broker]:
        first = leader_role.resolve(cluster)
        rest = [broker for broker in cluster.brokers.values() if broker not in first]
        return [*first, *rest][: (len(cluster.brokers) - 1) // 2] if first else []

    return Role("minority", resolve)


def leaders_rack(topic: str) -> Role:
    """All brokers in the rack of the partition's leader."""
    leader_role = leader(topic)

    def resolve(cluster: Cluster) -> list[Broker]:
        racks = {rack(broker.id, cluster.layout.racks) for broker in leader_role.resolve(cluster)}
        return [b for b in cluster.brokers.values() if rack(b.id, cluster.layout.racks) in racks]

    return Role("leader's rack", resolve)


def other_racks(topic: str) -> Role:
    """All brokers outside the rack of the partition's leader; none without a leader."""
    leader_rack = leaders_rack(topic)

    def resolve(cluster: Cluster) -> list[Broker]:
        in_rack = leader_rack.resolve(cluster)
        return [b for b in cluster.brokers.values() if b not in in_rack] if in_rack else []

    return Role("other rack", resolve)


def majority() -> Role:
    """A majority of the dedicated controllers, including the active one.

    For brokers with ZooKeeper it is the single ZooKeeper server.
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
    """All dead dedicated controllers, or the dead ZooKeeper."""

    def resolve(cluster: Cluster) -> list[Broker]:
        nodes = [*cluster.controllers.values(), *filter(None, [cluster.zookeeper])]
        return [node for node in nodes if node.state == "dead"]

    return Role("dead", resolve)


def killed_brokers() -> Role:
    """All dead brokers that `faults.kill` ended, without dedicated controllers."""

    def resolve(cluster: Cluster) -> list[Broker]:
        return [broker for broker in cluster.brokers.values() if broker.ended_by_sigkill]

    return Role("killed", resolve)


def controller() -> Role:
    """The active controller: the node that leads the metadata quorum, a broker or not."""

    def resolve(cluster: Cluster) -> list[Broker]:
        active = cluster.active_controller()
        return [] if active is None else [cluster.nodes[active]]

    return Role("controller", resolve)


def coordinator(group: str) -> Role:
    """The broker that coordinates a consumer group and stores its offsets."""

    def resolve(cluster: Cluster) -> list[Broker]:
        id_ = coordinator_of(cluster.bootstrap, group)
        return [] if id_ is None else [cluster.brokers[id_]]

    return Role("coordinator", resolve)


def transaction_coordinator() -> Role:
    """The broker that coordinates all transactions, if their state topic has one partition."""
    leader_role = leader("__transaction_state")
    return Role("coordinator", leader_role.resolve)


def broker(id_: int, name: str = "broker") -> Role:
    """One broker by its id; `name` says why it was chosen."""
    return Role(name, lambda cluster: [cluster.brokers[id_]])


def paused() -> Role:
    """All paused brokers."""
    return _brokers("paused", "paused")


def dead() -> Role:
    """All dead nodes, dedicated controllers before brokers."""
    return _nodes("dead", lambda node: node.state == "dead")


def killed() -> Role:
    """All dead nodes that `faults.kill` ended."""
    return _nodes("killed", lambda node: node.ended_by_sigkill)


def terminated() -> Role:
    """All dead nodes that `faults.terminate` ended."""
    return _nodes("terminated", lambda node: node.ended_by_sigterm)


def failed() -> Role:
    """All dead nodes that exited by themselves, like a broker without a writable disk."""
    return _nodes("failed", lambda node: node.ended_itself)


def newest_log(topic: str) -> Role:
    """The killed broker with the newest log of a partition, as an operator should choose it.

    The newest log has the latest leader epoch, and then the most bytes (KIP-966, Unclean Recovery).
    The longest log may be that of a leader that accepted sends while it was being stopped, without
    the records that were acknowledged later
    (docs/decisions/0147-a-group-may-skip-records-after-a-truncation.md).
    """

    def recency(broker: Broker) -> tuple[int, int]:
        folder = broker.data / f"{topic}-{_PARTITION}"
        size = sum(segment.stat().st_size for segment in folder.glob("*.log"))
        return latest_epoch(folder / "leader-epoch-checkpoint"), size

    def resolve(cluster: Cluster) -> list[Broker]:
        return sorted(killed().resolve(cluster), key=recency, reverse=True)[:1]

    return Role("newest log", resolve)


def latest_epoch(checkpoint: Path) -> int:
    """Returns the latest leader epoch with records in a partition; -1 if there is none.

    After a version and a count, each line is an epoch and its first offset
    (LeaderEpochCheckpointFile.java).
    """
    lines = checkpoint.read_text("utf-8").splitlines()[2:] if checkpoint.exists() else []
    return max((int(line.split()[0]) for line in lines), default=-1)


def impaired() -> Role:
    """All brokers with a cut or slow link."""

    def resolve(cluster: Cluster) -> list[Broker]:
        impaired_ids = cluster.links.impaired if cluster.links else {}
        return [cluster.brokers[id_] for id_ in impaired_ids]

    return Role("impaired", resolve)


def running_brokers() -> Role:
    """All running brokers."""
    return _brokers("all", "running")


def _brokers(name: str, state: BrokerState) -> Role:
    return Role(name, lambda cluster: [b for b in cluster.brokers.values() if b.state == state])


def _nodes(name: str, has_role: Callable[[Broker], bool]) -> Role:
    return Role(name, lambda cluster: [node for node in cluster.nodes.values() if has_role(node)])
