"""A replica of __consumer_offsets that lacks the last commits becomes leader."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures.offsets_topic_lost import (
    NAME,
    commit_guarantee,
    from_older_commit,
    guaranteed_copies,
)
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline

_UNCLEAN = "unclean.leader.election.enable"


def permits(pipeline: Pipeline) -> Permits:
    """An older position, if the brokers' setting allows unclean elections.

    __consumer_offsets is created without the setting, and __transaction_state with false
    (TransactionStateManager).
    """
    copies = pipeline.number(Component.BROKER, NAME)
    unclean = pipeline.flag(Component.BROKER, _UNCLEAN)
    if not unclean or copies > pipeline.brokers or guaranteed_copies(pipeline) >= copies:
        return {}
    return from_older_commit(
        pipeline,
        f"{_UNCLEAN}=true of the brokers, {commit_guarantee(pipeline)}; another one may lead.",
    )


EVENT = FailureEvent(
    name="offsets-unclean-election",
    title="A replica that lacks the last committed offsets leads",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The replicas of __consumer_offsets that are in sync are down together, and one that had "
        "fallen behind is up."
    ),
    permits=permits,
    scenario="offsets-topic-lost",
    staged_as=(
        "the group's last commits are lost with a disk, as they are when a replica leads that "
        "never had them"
    ),
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Kafka design.md, Unclean leader election",
        "apache/kafka GroupMetadataManager.java; TransactionStateManager.scala (topic configs)",
    ),
)
