"""So many replicas are down that fewer than min.insync.replicas are left."""

from __future__ import annotations

from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted
from advisor.reasoning.replication import Replication


def permits(pipeline: Pipeline) -> Permits:
    """Refused writes with acks=all; with acks=0 or 1, since 3.7, accepted and invisible ones."""
    topic = Replication(pipeline)
    if topic.spares < 0:
        if not topic.waits_for_followers:
            return {}
        return {
            Anomaly.UNAVAILABLE: f"min.insync.replicas={topic.min_isr} is above "
            f"replication.factor={topic.factor}: before Kafka 3.7 every write with acks=all is "
            "refused, with all brokers up."
        }
    down = counted(topic.spares + 1, "broker")
    if topic.waits_for_followers or topic.min_isr == 1:
        reason = (
            f"replication.factor={topic.factor} with min.insync.replicas={topic.min_isr}: with "
            f"{down} of the partition down, sends fail after delivery.timeout.ms unless it returns."
        )
        return {Anomaly.UNAVAILABLE: reason, Anomaly.BLOCKED: reason}
    if topic.hides_below_min_isr:
        return {
            Anomaly.BLOCKED: f"acks={topic.acks} with min.insync.replicas={topic.min_isr}: with "
            f"{down} of the partition down, records are acknowledged, and nobody can read them "
            "until enough replicas are in sync."
        }
    return {}


EVENT = FailureEvent(
    name="brokers-below-min-isr",
    title="Fewer replicas are in sync than min.insync.replicas",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "One broker more is down than the topic can spare for writes. Nothing is lost by it; "
        "the pipeline stops until brokers return."
    ),
    permits=permits,
    sources=("Kafka ConfigDef, min.insync.replicas", "KAFKA-15583"),
    scenario="brokers-below-min-isr",
)
