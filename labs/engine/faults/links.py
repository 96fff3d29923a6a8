"""Network faults: links are cut (also in one direction), slowed or broken; and mended.

The cluster must be `linked`. A cut acts like dropped packets: no connection is closed or refused,
and sent bytes wait. All connections go through a proxy (`labs.engine.network`), which counts late
and lost bytes. These counts are the evidence.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from labs.engine.cluster import nodes
from labs.engine.cluster.broker import Broker
from labs.engine.cluster.cluster import Cluster
from labs.engine.faults.inject import inject
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import Role
from labs.engine.network.flows import Key
from labs.engine.network.links import Links, Severed
from labs.engine.network.proxy import CLIENTS

Peers = Literal["nodes", "clients"]
"""The other end of the links: all other brokers and controllers, or the clients."""
Direction = Literal["both", "to", "from"]
"""Both directions, only to the broker, or only from it."""

_BETWEEN: Mapping[Direction, str] = {
    "both": "between broker {} and {}", "to": "to broker {} from {}", "from": "from broker {} to {}"
}  # fmt: skip


def cut(
    rig: Rig, role: Role, peers: Peers, direction: Direction = "both", limit_s: float = 10
) -> Rows:
    """Cuts the links between the brokers of a role and their peers, in both directions or one.

    The evidence is the number of waiting bytes and of their connections; at least one byte waits.
    """

    def act(broker: Broker) -> None:
        _links(rig.cluster).impair(
            broker.id, _flows(rig.cluster, broker, peers, direction), cut=True
        )

    def proof(broker: Broker) -> str | None:
        counts = _links(rig.cluster).counts(_flows(rig.cluster, broker, peers, direction))
        if not counts.waiting:
            return None
        waiting = f"{counts.waiting} bytes wait in {counts.connections} connections"
        return f"nothing passes {_passage(rig.cluster, broker, peers, direction)}: {waiting}"

    return inject("cut", rig, role, act, proof, limit_s)


def slow(rig: Rig, role: Role, delay_s: float, bytes_per_s: float) -> Rows:
    """Delays and throttles the links from other brokers to the brokers of a role.

    Only replication is slow; traffic with controllers and clients is not. The evidence is the
    shortest time that a piece of data took after the fault.
    """

    def flows(broker: Broker) -> list[Key]:
        return [
            key for key in _flows(rig.cluster, broker, "nodes", "to") if key[2] == nodes.CLIENTS
        ]

    def act(broker: Broker) -> None:
        _links(rig.cluster).impair(broker.id, flows(broker), delay_s=delay_s, rate=bytes_per_s)

    def proof(broker: Broker) -> str | None:
        counts = _links(rig.cluster).counts(flows(broker))
        if counts.soonest_s is None:
            return None
        took = f"{counts.late} pieces ({counts.bytes} bytes) took {counts.soonest_s:.2f} s or more"
        return f"to broker {broker.id} from other brokers {took}"

    return inject("slow", rig, role, act, proof, limit_s=30)


def sever(rig: Rig, role: Role, peers: Peers) -> Rows:
    """Breaks all connections between the brokers of a role and their peers.

    The evidence is the number of connections and of the bytes that were lost with them. If a broker
    has no connection, the fault `failed`.
    """
    broken: dict[int, Severed] = {}

    def act(broker: Broker) -> None:
        broken[broker.id] = _links(rig.cluster).sever(_flows(rig.cluster, broker, peers, "both"))
        if not broken[broker.id].connections:
            raise RuntimeError(f"broker {broker.id} had no connection with {peers}")

    def proof(broker: Broker) -> str | None:
        lost, passage = broken[broker.id], _passage(rig.cluster, broker, peers, "both")
        return f"{lost.connections} connections {passage} broken, {lost.bytes} bytes in them lost"

    return inject("sever", rig, role, act, proof, limit_s=10)


def mend(rig: Rig, role: Role) -> Rows:
    """Mends the impaired links of the brokers of a role.

    The evidence is the number of bytes that have passed since then, and that none wait.
    """
    mended: dict[int, frozenset[Key]] = {}

    def act(broker: Broker) -> None:
        mended[broker.id] = _links(rig.cluster).mend(broker.id)

    def proof(broker: Broker) -> str | None:
        counts = _links(rig.cluster).counts(mended[broker.id])
        passes = counts.bytes and not counts.waiting
        return f"{counts.bytes} bytes have passed since then, none wait" if passes else None

    return inject("mend", rig, role, act, proof, limit_s=30)


def _links(cluster: Cluster) -> Links:
    if cluster.links is None:
        raise RuntimeError("this cluster's links do not go through a proxy")
    return cluster.links


def _flows(cluster: Cluster, broker: Broker, peers: Peers, direction: Direction) -> list[Key]:
    broker_id, others = str(broker.id), _others(cluster, broker, peers)
    outward = [(broker_id, other) for other in others]
    inward = [(other, broker_id) for other in others]
    ends = {"both": outward + inward, "to": inward, "from": outward}[direction]
    return [(*pair, listener) for pair in ends for listener in nodes.LISTENERS]


def _others(cluster: Cluster, broker: Broker, peers: Peers) -> list[str]:
    if peers == "clients":
        return [CLIENTS]
    return [str(id_) for id_ in cluster.nodes if id_ != broker.id]


def _passage(cluster: Cluster, broker: Broker, peers: Peers, direction: Direction) -> str:
    others = _others(cluster, broker, peers)
    names = "its clients" if peers == "clients" else f"nodes {', '.join(others)}"
    return _BETWEEN[direction].format(broker.id, names)
