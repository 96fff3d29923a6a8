"""The followers are alive but slow: a full disk queue, a slow network."""

from __future__ import annotations

from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.event import FailureEvent, Permits, outage
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A wait for the slowest in-sync replica; duplicates if the client does not wait that long."""
    topic, session = Replication(pipeline), Session(pipeline)
    if not topic.fails_over:
        return {}
    slow_follower = (
        f"replica.lag.time.max.ms={topic.lag_max_ms}: a slow follower stays in sync for up to "
        f"{topic.slow_follower_ms:,} ms"
    )
    if not topic.waits_for_followers:
        return {
            Anomaly.BLOCKED: f"{slow_follower}; acks={topic.acks} does not wait for it, but nobody "
            "can read a record that it lacks."
        }
    permitted = outage(f"{slow_follower}; acks=all and the readers wait for it.")
    if session.request_timeout_ms < topic.slow_follower_ms:
        permitted |= session.repeats()
    return permitted | session.gives_up(topic.slowest_pause_ms, "A slow follower's time in sync")


EVENT = FailureEvent(
    name="followers-slow",
    title="The followers are slow",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "A follower's disk or network is slow. Until the follower leaves the in-sync set, every "
        "write with acks=all waits for it."
    ),
    permits=permits,
    scenario="followers-slow",
    sources=(
        "Kafka ConfigDef, replica.lag.time.max.ms",
        "ReplicaManager.scala, startup (ISR check)",
        "Kafka ConfigDef, request.timeout.ms",
    ),
)
