"""The leader is cut off from the other brokers, and some clients still reach it."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits, outage
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Loss of what the old leader acknowledges alone while another replica already leads.

    With acks=all it acknowledges nothing alone, even with min.insync.replicas=1: only the
    controller may shrink the in-sync set (KIP-497), and the controller is on the other side. With
    ZooKeeper, a leader that still reaches it keeps its session, and no other replica takes over,
    not even if that leader is the controller and may shrink the in-sync set itself.
    """
    topic, session = Replication(pipeline), Session(pipeline)
    if not topic.fails_over:
        return outage("replication.factor=1: no other replica can lead when the leader is fenced.")
    permitted = outage(
        f"{topic.fencing}: until the leader that is cut off is fenced, no other replica leads"
        f"{_zookeeper_clause(topic)}."
    )
    if not topic.waits_for_followers:
        permitted[Anomaly.LOST_WRITE] = (
            f"acks={topic.acks}: a leader that is cut off continues to acknowledge records of the "
            "clients that reach it, and truncates them when it follows the new leader."
        )
    permitted |= session.repeats(leader_moves=True)
    return permitted | session.gives_up(topic.failover_ms, "The wait for a new leader")


def _zookeeper_clause(topic: Replication) -> str:
    if not topic.zookeeper:
        return ""
    return (
        "; as long as it reaches ZooKeeper it is not fenced and remains leader, and "
        f"{'acks=all waits' if topic.waits_for_followers else 'readers wait'} until the network "
        "works again; if it is also the controller, it may shrink the in-sync set by itself"
    )


EVENT = FailureEvent(
    name="leader-cut-off",
    title="The leader is cut off from the other brokers",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "The network between the leader and the rest of the cluster breaks. Clients on the "
        "leader's side still reach it, the others get a new leader; later the network is "
        "repaired."
    ),
    permits=permits,
    scenario="leader-cut-off",
    sources=(
        "KIP-497 (AlterIsr)",
        "KIP-631 (broker fencing)",
        "Kafka ConfigDef, acks",
        "Kafka ConfigDef, zookeeper.session.timeout.ms (until 3.9)",
    ),
)
