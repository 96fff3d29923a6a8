"""The followers crash one after the other, and then the leader's disk is lost."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good, truncated
from advisor.reasoning.failures import isr_shrunk_leader_lost
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """What `isr-shrunk-leader-lost` permits, and loss with eligible leader replicas as well.

    A broker that registers without the mark of a clean shutdown is removed from the eligible
    replicas (KIP-966, KAFKA-15586), whatever its disk holds. If none is left, the controller elects
    the last known leader, even with an empty disk. Seen on 4.3.1 with acks=all and
    min.insync.replicas=2: 1,000 of 1,000 acknowledged messages were lost, although both followers
    had been back with all of them for ten seconds; with followers that were stopped by SIGTERM one
    after the other, 0 of 1,000. With followers stopped by SIGTERM at the same moment, 4.1.2 lost
    all 1,000 in 4 of 10 plays (docs/decisions/0096).
    """
    topic = Replication(pipeline)
    permitted = dict(isr_shrunk_leader_lost.permits(pipeline))
    if not topic.returns_empty or topic.copies < 2 or Anomaly.LOST_WRITE in permitted:
        return permitted
    reason = (
        f"{topic.disk_lost}: a follower that was killed is no longer eligible "
        "(eligible.leader.replicas.version=1), whatever its disk holds. The leader returns with "
        "an empty disk and leads, and the others truncate acknowledged messages."
    )
    return permitted | truncated(reason)


EVENT = FailureEvent(
    name="followers-killed-leader-lost",
    title="The followers crash, then the leader's disk is lost",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "The followers' processes are killed one after the other, and their disks stay intact. "
        "Then the leader's machine is lost for good. The followers are back before it is "
        "replaced."
    ),
    permits=permits,
    sources=(
        "KIP-966 (eligible leader replicas), Clean shutdown",
        "Kafka 4.1 operations/eligible-leader-replicas.md, the order of elections",
        "ReplicationControlManager.java, handleBrokerUncleanShutdown",
    ),
    beyond_settings=(
        "No setting keeps track of what is on the disk of a broker that was killed. "
        f"{isr_shrunk_leader_lost.OPERATORS_STEPS}"
    ),
    scenario="followers-killed-leader-lost",
    longer=True,
    in_scope=broker_lost_for_good,
)
