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
        gone, port = victims[0].broker.id, victims[0].broker.port
        stay = [replica for replica in _replicas(rig, topic) if replica != gone]
        reassign.ask(port, topic, 0, stay, _ASK_S)
        waits = reassign.pending(port, topic, 0, _ASK_S)
        does = "waits until these are in sync" if waits else "did so at once"
        named = ", ".join(map(str, stay))
        return f"replicas of {topic}-0 to be {named} without {gone}: the controller {does}"

    return (rig.log.attempt("reassign", f"topic: {topic}", act, _TROUBLE),)


def add_copies(rig: Rig, topic: str, copies: int, limit_s: float = 60) -> Rows:
    """Mends a topic that has too few replicas: each partition gets so many, on the running cluster.

    Its old replicas stay the first ones. Evidence is that all of them are in sync.
    """

    def act() -> str:
        with quiet_admin(rig.cluster.bootstrap) as admin:
            partitions = admin.list_topics(topic, timeout=_ASK_S).topics[topic].partitions
        port = next(
            broker.port for broker in rig.cluster.brokers.values() if broker.state == "running"
        )
        for number, partition in partitions.items():
            others = [id_ for id_ in rig.cluster.brokers if id_ not in partition.replicas]
            wanted = [*partition.replicas, *others][:copies]
            reassign.ask(port, topic, number, wanted, _ASK_S)
        rig.cluster.wait_in_sync(topic, len(partitions), copies, limit_s)
        several = "each partition" if len(partitions) > 1 else "the partition"
        return f"{several} of {topic} was reassigned to {copies} brokers, and all are in sync"

    return (rig.log.attempt("mend-copies", f"topic: {topic}", act, _TROUBLE),)


def _replicas(rig: Rig, topic: str) -> list[int]:
    with quiet_admin(rig.cluster.bootstrap) as admin:
        return list(admin.list_topics(topic, timeout=_ASK_S).topics[topic].partitions[0].replicas)
