"""The group assigns a partition to another member while the first still processes its records."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import (
    Commit,
    Group,
    assigned_by_brokers,
    repeated,
    rolled_back,
)
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Redelivery: the new owner starts at the last commit. A transaction fences the old one."""
    group = Group.of(pipeline)
    if group is None or group.commit is Commit.BEFORE:
        return {}
    poll_interval_ms = pipeline.number(Component.CONSUMER, "max.poll.interval.ms")
    reason = (
        f"max.poll.interval.ms={poll_interval_ms}: a member that works longer on one poll, or "
        "whose partitions move, works on records that another member gets again. "
        f"{_interrupted_members(pipeline)}"
    )
    if group.commit is Commit.IN_TRANSACTION:
        return rolled_back(
            pipeline,
            f"{reason} {group.commit_setting}: the commit contains the group's generation, so the "
            "first member's commit is refused (KIP-447).",
        )
    return repeated(pipeline, reason)


def _interrupted_members(pipeline: Pipeline) -> str:
    if assigned_by_brokers(pipeline):
        return (
            "group.protocol other than classic: the brokers move only some partitions, and only "
            "those are interrupted."
        )
    return "group.protocol=classic: with an eager assignor every member stops for it."


EVENT = FailureEvent(
    name="rebalance-during-processing",
    title="The group is rebalanced in the middle of processing",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "A member joins, leaves or polls too late. Its partitions go to other members while it is "
        "still processing their records."
    ),
    permits=permits,
    scenario="rebalance-during-processing",
    families=frozenset(Family) - {Family.SPARK},
    sources=("Kafka ConfigDef, max.poll.interval.ms", "KIP-62", "KIP-447", "KIP-848"),
)
