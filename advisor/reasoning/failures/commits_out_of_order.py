"""Threads commit offsets in any order, and the process dies before an earlier record is
processed."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Commit, Group, skipped
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline

NAME = "commit.order"


def permits(pipeline: Pipeline) -> Permits:
    """Skipped records: a committed offset covers all records before it, processed or not.

    A smaller offset that is committed later only leads to more redelivery, like a crash before the
    commit.
    """
    group = Group.of(pipeline)
    if group is None or not group.asynchronous or not _code_commits(group):
        return {}
    order = pipeline.text(Component.APPLICATION, NAME)
    if order == "in-order" or _commits_in_order(pipeline):
        return {}
    return skipped(
        f"application.{NAME}={order} with application.processing=asynchronous: a thread that is "
        "done commits its offset, and with it earlier records that other threads have not "
        "finished."
    )


def _commits_in_order(pipeline: Pipeline) -> bool:
    """Whether Quarkus commits up to the first unprocessed record, as it does unless configured."""
    if pipeline.family is not Family.JAVA or NAME in pipeline.stated(Component.APPLICATION):
        return False
    return pipeline.text(Component.APPLICATION, "framework") == "quarkus"


def _code_commits(group: Group) -> bool:
    """Whether the code commits, or stores offsets in librdkafka, after processing."""
    if group.commits_position or group.commits_when_returned:
        return False
    if group.commit is Commit.AUTO:
        return group.automatic
    return group.commit is not Commit.BEFORE


EVENT = FailureEvent(
    name="commits-out-of-order",
    title=(
        "The consumer dies after a later record was committed before an earlier one was processed"
    ),
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "Several threads process records. One commits a later offset while another is still "
        "processing an earlier record, and the process dies."
    ),
    permits=permits,
    scenario="consumer-killed-before-processing",
    staged_as=(
        "the process dies with unfinished records; in the run, another thread commits later ones "
        "at that time"
    ),
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=(
        "KafkaConsumer javadoc, Multi-threaded Processing",
        "Spring for Apache Kafka reference, ContainerProperties.asyncAcks",
        "SmallRye Reactive Messaging, Kafka connector (commit strategy throttled)",
        "Kafka design.md, The Consumer (one offset per partition)",
    ),
)
