"""The group gives a partition to another member while the first still works on it."""

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
    """The other member starts at the last commit; in a transaction the first one is fenced."""
    group = Group.of(pipeline)
    if group is None or group.commit is Commit.BEFORE:
        return {}
    slow_ms = pipeline.number(Component.CONSUMER, "max.poll.interval.ms")
    moved = (
        f"max.poll.interval.ms={slow_ms}: a member that works longer on one poll, or whose "
        f"partitions move, works on records that another member gets again. {_who(pipeline)}"
    )
    if group.commit is Commit.IN_TRANSACTION:
        return rolled_back(
            pipeline,
            f"{moved} {group.commit_setting}: the commit contains the group's generation, so the "
            "first member's commit is refused (KIP-447).",
        )
    return repeated(pipeline, moved)


def _who(pipeline: Pipeline) -> str:
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
