"""Changelogs with one copy.

What it is
    A Streams application with state, whose internal topics have a replication.factor of 1: by
    its own setting, or by -1 (the default since 3.0) with default.replication.factor=1 of the
    brokers.

Why it matters
    The state is restored from the changelog. If that one disk is lost, the state is lost, and so
    are the messages in a repartition topic. Exactly-once does not help.

Use instead
    replication.factor=3 and topic.min.insync.replicas=2 in the application. Existing internal
    topics need a reassignment.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports one copy of the changelogs on a cluster of several brokers."""
    if pipeline.family is not Family.STREAMS or pipeline.brokers < 2:
        return None
    streams = Streams(pipeline)
    if streams.state == "none" or streams.internal_factor > 1:
        return None
    stated = pipeline.number(Component.STREAMS, "replication.factor")
    brokers_default = ", so default.replication.factor=1 of the brokers" if stated < 0 else ""
    return (
        f"replication.factor={stated}{brokers_default}: each changelog and repartition topic has "
        "one copy, and the state is lost with its disk."
    )


RULE = Rule(
    code="S001",
    name="changelogs-with-one-copy",
    severity=Severity.HIGH,
    component=Component.STREAMS,
    setting="replication.factor",
    check=check,
    sources=(
        "Kafka StreamsConfig, replication.factor",
        "KIP-733",
    ),
    valid=(
        {"family": "java"},
        {"family": "streams", "streams.replication.factor": "3"},
        {"family": "streams", "broker.default.replication.factor": "3"},
        {"family": "streams", "application.state": "none"},
    ),
    invalid=(
        {"family": "streams"},
        {"family": "streams", "version": "2.8", "broker.default.replication.factor": "3"},
    ),
)
