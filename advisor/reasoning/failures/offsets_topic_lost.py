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
    """No position without a copy of the offsets; an older one if a copy may lack the last one."""
    copies = pipeline.number(Component.BROKER, NAME)
    lost = simultaneous_loss(pipeline, copies)
    if copies > pipeline.brokers:
        return {
            Anomaly.BLOCKED: (
                f"{NAME}={copies} is not possible with {counted(pipeline.brokers, 'broker')}: no "
                "group can read anything until it is lowered."
            )
        }
    no_position: Permits = {}
    if copies <= lost.count - lost.removed:
        no_position = without_position(
            pipeline, f"{NAME}={copies}: the committed offsets are lost, too. "
        )
        # If fewer brokers are lost, a copy that is behind may be left. A rack is lost as a whole.
        fewer = min(max(pipeline.requirement.survive, 1), copies - 1)
        lost = CopyLoss(fewer + lost.removed, removed=lost.removed)
    if guaranteed_copies(pipeline) <= lost.count:
        return (
            from_older_commit(pipeline, f"{commit_guarantee(pipeline)}; {lost} may be lost.")
            | no_position
        )
    return no_position or _empty_leader(pipeline, copies)


def guaranteed_copies(pipeline: Pipeline) -> int:
    """Returns how many brokers are guaranteed to have a commit: the minimum in sync, or the leader.

    Before 4.0 brokers could be configured to wait for the leader alone. Since 4.0 the coordinator
    responds when the high watermark has passed the commit (CoordinatorRuntime), and since 3.7 the
    high watermark waits for the minimum, too.
    """
    if not waits_for_all(pipeline):
        return 1
    least = pipeline.number(Component.APPLICATION, MINIMUM)
    return min(least, pipeline.number(Component.BROKER, NAME))


def waits_for_all(pipeline: Pipeline) -> bool:
    """Whether a commit waits for all replicas in sync, and so for the minimum."""
    return _acks(pipeline) == -1


def commit_guarantee(pipeline: Pipeline) -> str:
    """Returns on how many brokers a commit is guaranteed to be, with the settings behind that."""
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
    """Effects of a start at an older commit, or as auto.offset.reset says without any (R-B12)."""
    older = f"{reason} The group goes back to an older commit, or has no position."
    return {
        **without_position(pipeline, f"{reason} "),
        **repeated(pipeline, older, committed=True),
    }


def _empty_leader(pipeline: Pipeline, copies: int) -> Permits:
    """No position, if a broker with an empty disk leads __consumer_offsets (KIP-966)."""
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
