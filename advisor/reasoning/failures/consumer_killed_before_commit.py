"""The consumer dies after it processed records and before their offsets are committed."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import Commit, Group, repeated, rolled_back
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Redelivery, and repeated effects unless they are rolled back or the sink absorbs them."""
    group = Group.of(pipeline)
    if group is None:
        return {}
    reason = group.repeat_reason()
    if reason is not None:
        return repeated(pipeline, reason)
    if group.commit is Commit.IN_TRANSACTION:
        return rolled_back(
            pipeline,
            f"{group.commit_setting}: the records are delivered again, and what was done with them "
            "the first time is rolled back.",
        )
    return {
        Anomaly.REDELIVERY: (
            "application.commit=before-processing: records that were polled and not yet "
            "committed are delivered again, but none of them was processed before."
        )
    }


EVENT = FailureEvent(
    name="consumer-killed-before-commit",
    title="The consumer dies after processing, before the commit",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "A member of the group processes records and dies, or is removed from the group, before "
        "it commits their offsets."
    ),
    permits=permits,
    scenario="consumer-killed-before-commit",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Kafka design.md, Message Delivery Semantics",
        "KafkaConsumer javadoc, Automatic Offset Committing",
    ),
)
