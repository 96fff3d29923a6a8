"""So many replicas are down that fewer than min.insync.replicas are in sync."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits, outage
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline, derived
from advisor.reasoning.plural import counted

IN_SYNC = "replicas.in.sync"


@derived
def permits(pipeline: Pipeline) -> Permits:
    """Refused writes with acks=all; with acks=0 or 1, since 3.7, records that stay unreadable."""
    topic = Replication(pipeline)
    return _possible_outage(topic) | _current_outage(pipeline, topic)


def _is_below_minimum(pipeline: Pipeline, topic: Replication) -> bool:
    """Whether sends are refused in the current state of the team's cluster, as described."""
    in_sync = pipeline.value(Component.APPLICATION, IN_SYNC)
    least = topic.min_isr if topic.waits_for_followers else 1
    return isinstance(in_sync, int) and in_sync < min(least, topic.factor)


def _current_outage(pipeline: Pipeline, topic: Replication) -> Permits:
    if not _is_below_minimum(pipeline, topic):
        return {}
    in_sync, session = pipeline.number(Component.APPLICATION, IN_SYNC), Session(pipeline)
    effect = (
        "a partition has no leader"
        if in_sync == 0
        else f"acks=all with min.insync.replicas={topic.min_isr} is refused"
    )
    reason = f"application.{IN_SYNC}={in_sync}: {effect}, until replicas are back."
    resends = session.application_resends or session.engine_resends
    if resends or session.delivery_timeout_ms is None:
        return outage(reason)
    return outage(reason) | {Anomaly.GIVEN_UP: reason}


def _possible_outage(topic: Replication) -> Permits:
    if topic.spares < 0:
        if not topic.waits_for_followers:
            return {}
        return {
            Anomaly.UNAVAILABLE: (
                f"min.insync.replicas={topic.min_isr} is above replication.factor={topic.factor}: "
                "before Kafka 3.7 every write with acks=all is refused, even if all brokers are "
                "up."
            )
        }
    down = counted(topic.spares + 1, "broker")
    if topic.waits_for_followers or topic.min_isr == 1:
        reason = (
            f"replication.factor={topic.factor} with min.insync.replicas={topic.min_isr}: with "
            f"{down} of the partition down, sends fail after delivery.timeout.ms, unless a replica "
            "returns before."
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
        "One more broker is down than the topic can spare for writes. No message is lost; the "
        "pipeline stops until brokers return."
    ),
    permits=permits,
    sources=("Kafka ConfigDef, min.insync.replicas", "KAFKA-15583"),
    scenario="brokers-below-min-isr",
)
