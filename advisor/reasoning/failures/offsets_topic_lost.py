"""The brokers that hold the group's committed offsets are lost for good."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import repeated
from advisor.reasoning.behaviour.replication import CopyLoss, Replication, simultaneous_loss
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good
from advisor.reasoning.failures.no_committed_offset import without_position
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted

NAME, MINIMUM = "offsets.topic.replication.factor", "offsets.topic.min.insync.replicas"
_ACKS = "offsets.commit.required.acks"


def permits(pipeline: Pipeline) -> Permits:
    """A group without a position, if no copy of its offsets is left; one that goes back, if the
    copies that are left may lack its last commits."""
    copies = pipeline.number(Component.BROKER, NAME)
    lost = simultaneous_loss(pipeline, copies)
    if copies > pipeline.brokers:
        return {
            Anomaly.BLOCKED: (
                f"{NAME}={copies} is not possible with {counted(pipeline.brokers, 'broker')}: no "
                "group can read anything until it is lowered."
            )
        }
    gone: Permits = {}
    if copies <= lost.count - lost.removed:
        gone = without_position(pipeline, f"{NAME}={copies}: the committed offsets are lost, too. ")
        # Fewer may be lost as well, and leave a copy that is behind; a rack goes as a whole.
        fewer = min(max(pipeline.requirement.survive, 1), copies - 1)
        lost = CopyLoss(fewer + lost.removed, removed=lost.removed)
    if guaranteed_copies(pipeline) <= lost.count:
        return (
            from_older_commit(pipeline, f"{commit_guarantee(pipeline)}; {lost} may be lost.") | gone
        )
    return gone or _led_by_an_empty_disk(pipeline, copies)


def guaranteed_copies(pipeline: Pipeline) -> int:
    """Brokers that are sure to have a commit: it waits for all in sync, down to the minimum.

    Before 4.0 the brokers could be told to wait for the leader alone. Since 4.0 the coordinator
    answers when the high watermark has passed the commit (CoordinatorRuntime), which since 3.7
    waits for the minimum, too.
    """
    if not waits_for_all(pipeline):
        return 1
    least = pipeline.number(Component.APPLICATION, MINIMUM)
    return min(least, pipeline.number(Component.BROKER, NAME))


def waits_for_all(pipeline: Pipeline) -> bool:
    """Whether a commit waits for all brokers in sync, and so for the minimum."""
    return _acks(pipeline) == -1


def commit_guarantee(pipeline: Pipeline) -> str:
    """The settings that say so, with their values."""
    acks = _acks(pipeline)
    waits = "" if acks == -1 else f", {_ACKS}={acks}"
    return (
        f"{NAME}={pipeline.number(Component.BROKER, NAME)} with "
        f"min.insync.replicas={pipeline.number(Component.APPLICATION, MINIMUM)} of "
        f"__consumer_offsets{waits}: a commit is guaranteed to be on only "
        f"{counted(guaranteed_copies(pipeline), 'broker')}"
    )


def _acks(pipeline: Pipeline) -> int:
    is_known = pipeline.knows(Component.BROKER, _ACKS)
    return pipeline.number(Component.BROKER, _ACKS) if is_known else -1


def from_older_commit(pipeline: Pipeline, reason: str) -> Permits:
    """The group starts at an older commit; without any, as auto.offset.reset says (R-B12)."""
    again = f"{reason} The group goes back to an older commit, or has no position."
    return {
        **without_position(pipeline, f"{reason} "),
        **repeated(pipeline, again, committed=True),
    }


def _led_by_an_empty_disk(pipeline: Pipeline, copies: int) -> Permits:
    """__consumer_offsets has a fate like any topic's (KIP-966)."""
    least = guaranteed_copies(pipeline)
    topic = Replication(pipeline)
    if copies == 1 or not topic.may_lead_empty(least):
        return {}
    return without_position(
        pipeline,
        f"{topic.disk_lost}, {NAME}={copies} with min.insync.replicas={least} of "
        "__consumer_offsets: the last broker in sync returns with an empty disk and leads, and "
        "the committed offsets are lost. ",
    )


EVENT = FailureEvent(
    name="offsets-topic-lost",
    title="The brokers with the committed offsets are lost",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "Groups keep their positions in a topic of their own, __consumer_offsets. Brokers with "
        "its copies are lost for good, when the in-sync set is as small as the settings allow."
    ),
    permits=permits,
    scenario="offsets-topic-lost",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "Kafka GroupCoordinatorConfig, offsets.topic.replication.factor",
        "apache/kafka config/server.properties (ships 1)",
        "KIP-966, Motivation",
        "Kafka GroupCoordinatorConfig, offsets.commit.required.acks (until 3.9); KIP-1041",
        "apache/kafka GroupMetadataManager.scala; CoordinatorPartitionWriter.scala",
    ),
    in_scope=broker_lost_for_good,
)
