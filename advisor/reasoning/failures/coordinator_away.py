"""The broker that coordinates the group is down or cannot be reached."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Commit, Group, assigned_by_brokers, repeated
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.offsets_topic_lost import (
    commit_guarantee,
    from_older_commit,
    waits_for_all,
)
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

NAME = "offsets.topic.replication.factor"


def permits(pipeline: Pipeline) -> Permits:
    """Blocked commits: what was processed meanwhile is delivered again.

    With one copy of the offsets no other broker can take over. Seen in a run: records were
    acknowledged, and none was consumed after the group's session timeout.
    """
    group = Group.of(pipeline)
    if group is None:
        return {}
    copies = pipeline.number(Component.BROKER, NAME)
    until = "until that broker is back" if copies == 1 else "until another broker coordinates"
    reason = f"{NAME}={copies}: the group cannot commit {until}."
    permitted: Permits = {Anomaly.BLOCKED: f"{reason} {_member_behaviour(pipeline)}"}
    if copies > 1 and not waits_for_all(pipeline):
        guarantee = commit_guarantee(pipeline)
        permitted |= from_older_commit(pipeline, f"{guarantee}; the next coordinator may lack it.")
    if group.commit in (Commit.AUTO, Commit.AFTER):
        return permitted | repeated(
            pipeline, f"{reason} {group.commit_setting}: what was processed is delivered again."
        )
    return permitted


def _member_behaviour(pipeline: Pipeline) -> str:
    """Returns how a member behaves that cannot reach its coordinator."""
    if pipeline.family is Family.LIBRDKAFKA and assigned_by_brokers(pipeline):
        return "group.protocol=consumer: the members continue to fetch and process."
    if assigned_by_brokers(pipeline):
        return "A member that joins meanwhile gets no partitions."
    if pipeline.family is not Family.LIBRDKAFKA:
        return (
            "A Java member looks for the coordinator and continues to fetch from its partitions; "
            "a member that joins meanwhile gets none."
        )
    timeout_ms = pipeline.number(Component.CONSUMER, "session.timeout.ms")
    return f"session.timeout.ms={timeout_ms}: after that a member gives up its partitions."


EVENT = FailureEvent(
    name="group-coordinator-away",
    title="The group's coordinator cannot be reached",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The broker that keeps this group's offsets is down or cut off, while the brokers of the "
        "topic itself are up."
    ),
    permits=permits,
    scenario="group-coordinator-away",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Kafka GroupCoordinatorConfig, offsets.topic.replication.factor",
        "librdkafka INTRODUCTION.md, KIP-848",
        "KIP-848",
        "Kafka AbstractCoordinator.HeartbeatThread (markCoordinatorUnknown)",
        "librdkafka rdkafka_cgrp.c, rd_kafka_cgrp_session_timeout_check",
    ),
)
