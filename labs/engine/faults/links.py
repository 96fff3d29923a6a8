"""Networks that fail: links cut, also one way only, slowed, broken; and mended.

The cluster must be `linked`. A cut is silence, as packets that are dropped are: no connection is
closed, none refused, and what was said waits. The proxy that every way leads through
(`labs.engine.network`) sees what is late or lost, and what it saw is the evidence.
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
"""The other end: all other brokers and controllers, or the clients."""
Way = Literal["both", "to", "from"]
"""Both ways, what goes to the broker, or what comes from it."""

_BETWEEN: Mapping[Way, str] = {
    "both": "between broker {} and {}", "to": "to broker {} from {}", "from": "from broker {} to {}"
}  # fmt: skip


def cut(rig: Rig, role: Role, peers: Peers, way: Way = "both", limit_s: float = 10) -> Rows:
    """Cuts the links between the brokers of a role and their peers, both ways or one way.

    Evidence is how many bytes wait in how many connections; at least one must.
    """

    def act(broker: Broker) -> None:
        _links(rig.cluster).impair(broker.id, _flows(rig.cluster, broker, peers, way), cut=True)

    def proof(broker: Broker) -> str | None:
        seen = _links(rig.cluster).counts(_flows(rig.cluster, broker, peers, way))
        if not seen.waiting:
            return None
        waiting = f"{seen.waiting} bytes wait in {seen.connections} connections"
        return f"nothing passes {_passage(rig.cluster, broker, peers, way)}: {waiting}"

    return inject("cut", rig, role, act, proof, limit_s)


def slow(rig: Rig, role: Role, delay_s: float, bytes_per_s: float) -> Rows:
    """Makes the lines on which the brokers of a role get what other brokers have late and narrow.

    Only replication is slow: what they say to controllers and clients is not. Evidence is how
    long the quickest piece took that came after the fault.
    """

    def flows(broker: Broker) -> list[Key]:
        return [
            key for key in _flows(rig.cluster, broker, "nodes", "to") if key[2] == nodes.CLIENTS
        ]

    def act(broker: Broker) -> None:
        _links(rig.cluster).impair(broker.id, flows(broker), delay_s=delay_s, rate=bytes_per_s)

    def proof(broker: Broker) -> str | None:
        seen = _links(rig.cluster).counts(flows(broker))
        if seen.soonest_s is None:
            return None
        took = f"{seen.late} pieces ({seen.bytes} bytes) took {seen.soonest_s:.2f} s or more"
        return f"to broker {broker.id} from other brokers {took}"

    return inject("slow", rig, role, act, proof, limit_s=30)


def sever(rig: Rig, role: Role, peers: Peers) -> Rows:
    """Breaks all connections between the brokers of a role and their peers.

    Evidence is how many there were, and how many bytes on their way were lost with them; a
    broker without any is a fault that `failed`.
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
    """Makes the impaired links of the brokers of a role whole again.

    Evidence is how many bytes have passed since, and that none waits.
    """
    mended: dict[int, frozenset[Key]] = {}

    def act(broker: Broker) -> None:
        mended[broker.id] = _links(rig.cluster).mend(broker.id)

    def proof(broker: Broker) -> str | None:
        seen = _links(rig.cluster).counts(mended[broker.id])
        passes = seen.bytes and not seen.waiting
        return f"{seen.bytes} bytes passed since, none waits" if passes else None

    return inject("mend", rig, role, act, proof, limit_s=30)


def _links(cluster: Cluster) -> Links:
    if cluster.links is None:
        raise RuntimeError("this cluster's links lead through no proxy")
    return cluster.links


def _flows(cluster: Cluster, broker: Broker, peers: Peers, way: Way) -> list[Key]:
    own, others = str(broker.id), _others(cluster, broker, peers)
    outward = [(own, other) for other in others]
    inward = [(other, own) for other in others]
    ends = {"both": outward + inward, "to": inward, "from": outward}[way]
    return [(*pair, listener) for pair in ends for listener in nodes.LISTENERS]


def _others(cluster: Cluster, broker: Broker, peers: Peers) -> list[str]:
    if peers == "clients":
        return [CLIENTS]
    return [str(id_) for id_ in cluster.nodes if id_ != broker.id]


def _passage(cluster: Cluster, broker: Broker, peers: Peers, way: Way) -> str:
    others = _others(cluster, broker, peers)
    named = "its clients" if peers == "clients" else f"nodes {', '.join(others)}"
    return _BETWEEN[way].format(broker.id, named)
