"""The leader's process dies while its followers are in step."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline, derived


@derived
def permits(pipeline: Pipeline) -> Permits:
    """Loss of records that no other replica had yet; a pause until the dead broker is fenced.

    When the broker is back, it leads again as the preferred replica, and the current leader hands
    over.
    """
    topic, session = Replication(pipeline), Session(pipeline)
    given_up = session.gives_up(topic.failover_ms, topic.wait_for_leader)
    permitted = {**_pause(topic), **session.repeats(leader_moves=True), **given_up}
    return permitted | lost_with_the_leader(topic)


def lost_with_the_leader(topic: Replication) -> Permits:
    """Acknowledged records that only the dead leader had."""
    if topic.acks == "0":
        return {
            Anomaly.LOST_WRITE: (
                "acks=0: a send counts as done when it leaves the client; what was on its way to "
                "the dead leader is lost without an error."
            )
        }
    if topic.acks == "1" and topic.fails_over:
        return {
            Anomaly.LOST_WRITE: (
                "acks=1: the leader acknowledges alone; records that no follower had fetched are "
                "not in the new leader's log, and the old leader truncates them when it returns."
            )
        }
    return {}


def _pause(topic: Replication) -> Permits:
    if not topic.fails_over:
        reason = "replication.factor=1: no other broker can lead until this one is back."
        return {Anomaly.UNAVAILABLE: reason, Anomaly.BLOCKED: reason}
    reason = f"{topic.fencing}: no replica leads until the dead broker is fenced{_longer(topic)}."
    return {Anomaly.UNAVAILABLE: reason, Anomaly.BLOCKED: reason}


def _longer(topic: Replication) -> str:
    """Returns a clause for clusters with ZooKeeper.

    Their new controller first reads the whole state (onControllerFailover).
    """
    if not topic.zookeeper:
        return ""
    return (
        ", and for longer if it was also the controller: the next controller first reads all of "
        "ZooKeeper's data, and no formula says how long that takes"
    )


EVENT = FailureEvent(
    name="leader-killed",
    title="The leader's process dies",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "The broker that leads the partition is killed (kill -9) while its followers are up to "
        "date. Another in-sync replica becomes leader, and the broker comes back later."
    ),
    permits=permits,
    sources=(
        "Kafka ConfigDef, acks",
        "Kafka design.md, Availability and Durability Guarantees",
        "KIP-631 (broker fencing)",
        "KIP-500, Motivation; KIP-537 (brokers with ZooKeeper)",
    ),
    scenario="leader-killed",
)
