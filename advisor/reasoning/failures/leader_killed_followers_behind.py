"""The followers hang for a moment, and the leader dies in that moment."""

from __future__ import annotations

from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures import leader_killed
from advisor.reasoning.pipeline import Pipeline

EVENT_NAME = "leader-killed-followers-behind"


def permits(pipeline: Pipeline) -> Permits:
    """The same as `leader-killed`, except that with acks=1 the loss is certain, not a race.

    A follower stays in the ISR for replica.lag.time.max.ms although it fetches nothing, so it may
    be elected. acks=all waits for it, so what it lacks was never acknowledged.
    """
    return leader_killed.permits(pipeline)


EVENT = FailureEvent(
    name=EVENT_NAME,
    title="The leader dies while its followers are behind",
    boundary=leader_killed.EVENT.boundary,
    story=(
        "Both followers pause for a second (a long garbage collection, a slow disk) and the "
        "leader is killed in that second; the followers continue, and one of them becomes leader."
    ),
    permits=permits,
    sources=(
        "Kafka ConfigDef, acks",
        "Kafka ConfigDef, replica.lag.time.max.ms",
        "Kafka design.md, Replication",
    ),
    scenario=EVENT_NAME,
)
