"""An operator reassigns partitions: a copy less, or copies on more brokers.

The same as kafka-reassign-partitions.sh does with a plan that names other replicas. Whether the
controller waits until those that stay are in sync is the release's own matter (KAFKA-15665).
"""

from __future__ import annotations

from confluent_kafka import KafkaException

from labs.engine.base.wait import WaitTimeout
from labs.engine.faults.rig import Rig, Rows
from labs.engine.faults.roles import followers
from labs.engine.protocol import reassign
from labs.engine.protocol.admin import quiet_admin

_ASK_S = 10.0
_TROUBLE = (KafkaException, OSError, ValueError, WaitTimeout)


def remove_copy(rig: Rig, topic: str) -> Rows:
    """Makes one in-sync follower give up its copy of the topic's first partition.

    Evidence is what the controller makes of it: whether it did so at once, or waits.
    """

    def act() -> str:
        victims = followers(topic).targets(rig.cluster)
        if not victims:
            raise ValueError("no follower is in sync")
        gone = victims[0].broker.id
        replicas, port = _replicas(rig, topic)
        stay = [replica for replica in replicas[0] if replica != gone]
        reassign.request_replicas(port, topic, 0, stay, _ASK_S)
        waits = reassign.pending(port, topic, 0, _ASK_S)
        does = "waits until these are in sync" if waits else "did so at once"
        named = ", ".join(map(str, stay))
        return f"replicas of {topic}-0 to be {named} without {gone}: the controller {does}"

    return (rig.log.attempt("reassign", f"topic: {topic}", act, _TROUBLE),)


def add_copies(rig: Rig, topic: str, copies: int) -> Rows:
    """Mends a topic that has too few replicas: each partition gets so many, on the running cluster.

    Its old replicas stay the first ones. Evidence is that all of them are in sync.
    """

    def act() -> str:
        replicas, port = _replicas(rig, topic)
        for number, first in replicas.items():
            others = [id_ for id_ in rig.cluster.brokers if id_ not in first]
            reassign.request_replicas(port, topic, number, [*first, *others][:copies], _ASK_S)
        rig.cluster.wait_in_sync(topic, len(replicas), copies, limit_s=60)
        several = "each partition" if len(replicas) > 1 else "the partition"
        return f"{several} of {topic} was reassigned to {copies} brokers, and all are in sync"

    return (rig.log.attempt("mend-copies", f"topic: {topic}", act, _TROUBLE),)


def _replicas(rig: Rig, topic: str) -> tuple[dict[int, list[int]], int]:
    """The replicas of each partition, and the port of the broker that takes a reassignment.

    With ZooKeeper that is the controller alone. In KRaft mode each broker hands it on, and metadata
    names any of them.
    """
    with quiet_admin(rig.cluster.bootstrap) as admin:
        metadata = admin.list_topics(topic, timeout=_ASK_S)
    if metadata.controller_id not in rig.cluster.brokers:
        raise ValueError("no broker is known to take the request")
    replicas = {id_: list(p.replicas) for id_, p in metadata.topics[topic].partitions.items()}
    return replicas, rig.cluster.brokers[metadata.controller_id].port
