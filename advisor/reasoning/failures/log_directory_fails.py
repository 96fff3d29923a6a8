"""A log directory fails, or its disk is full, on one broker or on several in turn."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication, kafka_at_least
from advisor.reasoning.event import FailureEvent, Permits, outage
from advisor.reasoning.failures import (
    brokers_below_min_isr,
    isr_shrunk_leader_down,
    leader_killed,
)
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """What the leader's death permits, also with a shrunk in-sync set; the disk keeps its data.

    Replicas of a partition hold the same bytes, so disks of one size become full at the same time:
    the followers leave the in-sync set, and the leader continues alone until its own disk is full.
    """
    return {
        **brokers_below_min_isr.permits(pipeline),
        **isr_shrunk_leader_down.permits(pipeline),
        **leader_killed.permits(pipeline),
        **outage(_outage_reason(pipeline)),
    }


def _outage_reason(pipeline: Pipeline) -> str:
    topic = Replication(pipeline)
    if not topic.fails_over:
        return (
            "replication.factor=1: the only replica is on that disk; no replica leads until the "
            "disk is writable again and the broker is restarted."
        )
    several = "with several, it continues without that one, and another replica leads immediately"
    if not (topic.zookeeper or kafka_at_least(pipeline, "3.7")):
        several = (
            f"with several, kafka={pipeline.kafka} continues and does not inform the controller "
            "(it does since 3.7, KIP-858): no other replica leads until the broker is restarted"
        )
    return (
        f"A broker with one log directory shuts down, and {topic.fencing} must pass; {several}. "
        f"With fewer than min.insync.replicas={topic.min_isr} left, acks=all waits for space."
    )


EVENT = FailureEvent(
    name="log-directory-fails",
    title="A disk is full, or a log directory fails",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "The leader's disk accepts no more writes. A broker with one log directory shuts down; a "
        "broker with several continues without it. The disks of the other replicas hold the same "
        "data and may be full as well. The data on them is kept."
    ),
    permits=permits,
    sources=(
        "KIP-112 (a broker serves its other log directories)",
        "KIP-858 (KRaft's controllers are informed, since 3.7)",
        "LogManager.scala, handleLogDirFailure",
    ),
    beyond_settings=(
        "Alert on free space: no setting stops a log from filling its disk. retention.bytes "
        "limits each partition, but it may delete unread messages. Make space, or add a disk, "
        "before you restart a broker: it does not start with a full disk."
    ),
    scenario="log-directory-fails",
)
