"""A request that is sent again while the first is still in progress.

What it is
    request.timeout.ms is below the time for which a slow follower stays in sync (1.5 times
    replica.lag.time.max.ms), with acks=all, retries, and no idempotence.

Why it matters
    The broker has the batch and waits for the follower; the client stops waiting and sends the
    batch again. With a follower that hung and request.timeout.ms=1000, one message was written 7
    times.

Use instead
    enable.idempotence=true: the broker then recognises the copies. Otherwise a longer
    request.timeout.ms.
"""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import Session
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports retries without idempotence that begin before a slow follower is out of sync."""
    topic, session = Replication(pipeline), Session(pipeline)
    if not (topic.fails_over and topic.waits_for_followers and session.retries_blindly):
        return None
    if session.request_timeout_ms >= topic.slow_follower_ms:
        return None
    return (
        f"request.timeout.ms={session.request_timeout_ms} with "
        f"replica.lag.time.max.ms={topic.lag_max_ms} and enable.idempotence=false: the leader "
        f"waits for a slow follower for up to {topic.slow_follower_ms} ms, and the client sends "
        "again before that."
    )


RULE = Rule(
    code="P006",
    name="request-timeout-below-lag",
    severity=Severity.MEDIUM,
    component=Component.PRODUCER,
    setting="request.timeout.ms",
    check=check,
    sources=(
        "Kafka ConfigDef, request.timeout.ms",
        "librdkafka INTRODUCTION.md, Timed out in flight",
    ),
    valid=(
        {"family": "java", "topic.replication.factor": "3"},
        {
            "family": "librdkafka",
            "topic.replication.factor": "3",
            "producer.request.timeout.ms": "60000",
        },
    ),
    invalid=({"family": "librdkafka", "topic.replication.factor": "3"},),
)
