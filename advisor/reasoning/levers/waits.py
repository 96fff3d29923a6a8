"""Levers of how long brokers wait for each other."""

from __future__ import annotations

from collections.abc import Sequence

from advisor.catalog import Component, Value
from advisor.reasoning.behaviour.replication import (
    LINGER,
    LINGER_MS,
    QUORUM_TIMEOUTS_MS,
    Replication,
)
from advisor.reasoning.behaviour.session import MIN_RESPONSE_MS
from advisor.reasoning.levers.lever import (
    BROKER_FILE,
    INT_MAX,
    Lever,
    Targets,
    costs,
)
from advisor.reasoning.levers.producer import longest_transaction_ms
from advisor.reasoning.pipeline import Pipeline

_BROKER = Component.BROKER
_SESSION_MS, _HEARTBEAT_MS = 9_000, 2_000
"""`broker.session.timeout.ms` and `broker.heartbeat.interval.ms` of Kafka (KIP-631)."""

_ELECTION_MS = QUORUM_TIMEOUTS_MS | {LINGER: LINGER_MS}
"""Kafka's defaults of how long controllers wait for each other."""


def _shorter(name: str, value: int) -> Targets:
    """Kafka's default, where no client can outwait the pause."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        most = longest_transaction_ms(pipeline) or INT_MAX
        endless = pipeline.knows(_BROKER, name) and pipeline.number(_BROKER, name) > max(
            most // 2, value
        )
        return [value] if endless else []

    return targets


def _sessions(pipeline: Pipeline) -> Sequence[Value]:
    """More than two heartbeats, where a running broker is fenced between them."""
    topic = Replication(pipeline)
    beat_ms = topic.heartbeat_ms
    if beat_ms is not None and topic.repeated_fencing:
        return sorted({_SESSION_MS, max(_SESSION_MS, min(2 * beat_ms, INT_MAX // 2))})
    return _shorter("broker.session.timeout.ms", _SESSION_MS)(pipeline)


def _heartbeats(pipeline: Pipeline) -> Sequence[Value]:
    topic = Replication(pipeline)
    rare = topic.heartbeat_ms is not None and topic.heartbeat_ms > _HEARTBEAT_MS
    return [_HEARTBEAT_MS] if rare and topic.repeated_fencing else []


def _elections(name: str, usual: int) -> Targets:
    """Kafka's default, where the stated value is longer, or too short for any election."""

    def targets(pipeline: Pipeline) -> Sequence[Value]:
        if not pipeline.knows(_BROKER, name):
            return []
        now = pipeline.number(_BROKER, name)
        hopeless = name in QUORUM_TIMEOUTS_MS and now <= MIN_RESPONSE_MS
        return [usual] if now > usual or hopeless else []

    return targets


LEVERS = (
    Lever(
        _BROKER, "broker.session.timeout.ms", _sessions,
        costs(availability=(
            "a broker that dies keeps its partitions for this time, and one that pauses for "
            "longer loses them for a while."
        )),
        "KIP-631 (broker fencing); KAFKA-19432",
        BROKER_FILE,
    ),
    Lever(
        _BROKER, "broker.heartbeat.interval.ms", _heartbeats,
        costs(throughput="one more small request to the controller for each interval and broker."),
        "KIP-631 (broker fencing); KAFKA-19432",
        BROKER_FILE,
    ),
    *(
        Lever(
            _BROKER, name, _elections(name, usual),
            costs(availability="an active controller that pauses for longer is replaced."),
            f"Kafka QuorumConfig, {name}; KIP-595",
            BROKER_FILE,
        )
        for name, usual in _ELECTION_MS.items()
    ),
    Lever(
        _BROKER, "replica.lag.time.max.ms", _shorter("replica.lag.time.max.ms", 30_000),
        costs(availability=(
            "a slower follower leaves the in-sync set, and writes continue only while "
            "min.insync.replicas are left."
        )),
        "KIP-537",
        BROKER_FILE,
    ),
)  # fmt: skip
