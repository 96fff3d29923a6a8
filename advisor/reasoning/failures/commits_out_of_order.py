"""Threads commit what each has done; the process dies, and an earlier record is not done."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Commit, Group, missing
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline

NAME = "commit.order"


def permits(pipeline: Pipeline) -> Permits:
    """A committed offset stands for all before it, done or not. A smaller one that comes later
    only has more of them handed out again, as a death before the commit has."""
    group = Group.of(pipeline)
    if group is None or not group.asynchronous or not _code_commits(group):
        return {}
    order = pipeline.text(Component.APPLICATION, NAME)
    if order == "in-order" or _kept_in_order(pipeline):
        return {}
    return missing(
        f"application.{NAME}={order} with application.processing=asynchronous: a thread that is "
        "done commits its offset, and with it earlier records that other threads have not "
        "finished."
    )


def _kept_in_order(pipeline: Pipeline) -> bool:
    """Quarkus commits up to the first record that is not done, unless it is told otherwise."""
    if pipeline.family is not Family.JAVA or NAME in pipeline.stated(Component.APPLICATION):
        return False
    return pipeline.text(Component.APPLICATION, "framework") == "quarkus"


def _code_commits(group: Group) -> bool:
    """Whether the code says what is done, after it is: by a commit, or to librdkafka's store."""
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
        "Kafka design.md, The Consumer (one offset a partition)",
    ),
)
