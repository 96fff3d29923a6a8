"""All replicas of the partition lose power at the same time."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.event import FailureEvent, Permits, never_counted, outage, truncated
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Loss of the end of every log that was only in memory: only a flush prevents it."""
    topic = Replication(pipeline)
    permitted = outage(
        f"replication.factor={topic.factor}: nothing is read or written until a replica is back."
    )
    if not topic.flushes:
        permitted[Anomaly.LOST_WRITE] = reason = (
            "flush.messages=9223372036854775807 (never): a committed record may be only in the "
            f"memory of the in-sync replicas; acks={topic.acks} does not wait for a disk."
            if topic.flushes_never
            else f"flush.messages={topic.flush_messages}: up to that many records of each replica "
            "are only in memory."
        )
        permitted |= truncated(reason)
    elif topic.acks == "0" or (topic.acks == "1" and topic.fails_over):
        permitted[Anomaly.LOST_WRITE] = (
            f"acks={topic.acks} with flush.messages=1: only the leader is guaranteed to have the "
            "record on its disk, and another replica may come back first and become leader."
        )
    return permitted


EVENT = FailureEvent(
    name="all-replicas-lose-power",
    title="All replicas lose power at once",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "All brokers that have the partition lose power at once. What the operating system had "
        "not yet written to disk is gone on all of them."
    ),
    permits=permits,
    sources=(
        "Kafka design.md, Replication (no fsync on every write)",
        "Kafka TopicConfig, flush.messages",
    ),
    scenario="all-replicas-power-cut",
    beyond_settings="Place the replicas in racks that do not share a power supply (broker.rack).",
    in_scope=never_counted,
    not_counted="a broker that is lost for good does not include a power cut",
)
