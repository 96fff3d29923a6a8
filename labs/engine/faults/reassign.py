"""An operator reassigns a partition while one of its replicas is out of sync.

The same as kafka-reassign-partitions.sh does with a plan that names one replica fewer. Whether the
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
    """Has one in-sync follower give up its copy of the topic's first partition.

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


def _replicas(rig: Rig, topic: str) -> list[int]:
    with quiet_admin(rig.cluster.bootstrap) as admin:
        return list(admin.list_topics(topic, timeout=_ASK_S).topics[topic].partitions[0].replicas)
