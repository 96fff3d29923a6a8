"""An operator reassigns partitions: to fewer replicas, or to more brokers.

This is what kafka-reassign-partitions.sh does with a plan of other replicas. Whether the controller
waits until the remaining replicas are in sync depends on the release (KAFKA-15665).
"""

from __future__ import annotations

from confluent_kafka import KafkaException

from labs.engine.base.wait import WaitTimeout
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import followers
from labs.engine.protocol import reassign
from labs.engine.protocol.admin import quiet_admin

_REQUEST_S = 10.0
_TROUBLE = (KafkaException, OSError, ValueError, WaitTimeout)


def remove_copy(rig: Rig, topic: str) -> Rows:
    """Removes an in-sync follower from the replicas of the topic's first partition.

    The evidence is whether the controller did so immediately or waits.
    """

    def act() -> str:
        targets = followers(topic).targets(rig.cluster)
        if not targets:
            raise ValueError("no follower is in sync")
        removed = targets[0].broker.id
        replicas, port = _replicas(rig, topic)
        remaining = [replica for replica in replicas[0] if replica != removed]
        reassign.request_replicas(port, topic, 0, remaining, _REQUEST_S)
        waits = reassign.pending(port, topic, 0, _REQUEST_S)
        reaction = "waits until these are in sync" if waits else "did so immediately"
        named = ", ".join(map(str, remaining))
        return f"replicas of {topic}-0 to be {named} without {removed}: the controller {reaction}"

    return (rig.log.attempt("reassign", f"topic: {topic}", act, _TROUBLE),)


def add_copies(rig: Rig, topic: str, copies: int) -> Rows:
    """Mends a topic with too few replicas: each partition gets `copies`, on the running cluster.

    The old replicas remain the first ones. The evidence is that all replicas are in sync.
    """

    def act() -> str:
        replicas, port = _replicas(rig, topic)
        for number, first in replicas.items():
            others = [id_ for id_ in rig.cluster.brokers if id_ not in first]
            reassign.request_replicas(port, topic, number, [*first, *others][:copies], _REQUEST_S)
        rig.cluster.wait_in_sync(topic, len(replicas), copies, limit_s=60)
        several = "each partition" if len(replicas) > 1 else "the partition"
        return f"{several} of {topic} was reassigned to {copies} brokers, and all are in sync"

    return (rig.log.attempt("mend-copies", f"topic: {topic}", act, _TROUBLE),)


def _replicas(rig: Rig, topic: str) -> tuple[dict[int, list[int]], int]:
    """Returns partition → replicas, and the port of the broker that accepts a reassignment.

    With ZooKeeper only the controller accepts it. In KRaft mode every broker forwards it, and
    metadata names any broker.
    """
    with quiet_admin(rig.cluster.bootstrap) as admin:
        metadata = admin.list_topics(topic, timeout=_REQUEST_S)
    if metadata.controller_id not in rig.cluster.brokers:
        raise ValueError("no broker that accepts the request is known")
    replicas = {id_: list(p.replicas) for id_, p in metadata.topics[topic].partitions.items()}
    return replicas, rig.cluster.brokers[metadata.controller_id].port
