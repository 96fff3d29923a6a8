"""Whom a fault hits: roles, resolved to brokers at the moment of the fault."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from labs.engine.kafka.broker import Broker
from labs.engine.kafka.cluster import Cluster


@dataclass(frozen=True, slots=True)
class Target:
    """A broker in the role in which it was hit; as text `leader: broker 2`."""

    role: str
    broker: Broker

    def __str__(self) -> str:
        return f"{self.role}: broker {self.broker.id}"


@dataclass(frozen=True, slots=True)
class Role:
    """A role's name and who plays it in a cluster right now (nobody, perhaps)."""

    name: str
    resolve: Callable[[Cluster], list[Broker]]

    def targets(self, cluster: Cluster) -> list[Target]:
        return [Target(self.name, broker) for broker in self.resolve(cluster)]


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


def a_follower(topic: str, partition: int = 0) -> Role:
    """One of the partition's in-sync followers: the one with the lowest id."""
    all_of_them = followers(topic, partition)
    return Role("follower", lambda cluster: all_of_them.resolve(cluster)[:1])


def broker(id_: int, name: str = "broker") -> Role:
    """One broker by its id, whatever it does; `name` says what it was chosen for."""
    return Role(name, lambda cluster: [cluster.brokers[id_]])


def paused() -> Role:
    """All brokers that are paused."""
    return _in_state("paused", "paused")


def dead() -> Role:
    """All brokers that are dead."""
    return _in_state("dead", "dead")


def killed() -> Role:
    """All dead brokers that `faults.kill` ended."""
    return Role("killed", lambda cluster: [b for b in _all(cluster) if b.ended_by_sigkill])


def terminated() -> Role:
    """All dead brokers that `faults.terminate` ended."""
    return Role("terminated", lambda cluster: [b for b in _all(cluster) if b.ended_by_sigterm])


def impaired() -> Role:
    """All brokers of which a link is cut or slow."""

    def resolve(cluster: Cluster) -> list[Broker]:
        known = cluster.links.impaired if cluster.links else {}
        return [cluster.brokers[id_] for id_ in known]

    return Role("impaired", resolve)


def everyone() -> Role:
    """All brokers that run."""
    return _in_state("all", "running")


def _in_state(name: str, state: str) -> Role:
    return Role(name, lambda cluster: [b for b in _all(cluster) if b.state == state])


def _all(cluster: Cluster) -> list[Broker]:
    return list(cluster.brokers.values())
