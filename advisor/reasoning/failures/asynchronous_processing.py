"""Records are in other threads, the client or a container commits, and the process dies."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import Group, skipped
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Skipped records: the next poll commits what the threads may not have processed yet."""
    group = Group.of(pipeline)
    if group is None or not group.asynchronous:
        return {}
    if group.commits_when_returned:
        return skipped(
            f"application.processing=asynchronous with {group.framework}: the container commits "
            "when the listener has returned, and does not know what other threads have finished."
        )
    if not group.commits_position:
        return {}
    return skipped(
        "application.processing=asynchronous with enable.auto.commit=true: the client commits "
        f"what it has delivered, {group.commit_pace}, and does not know what has been processed."
    )


EVENT = FailureEvent(
    name="asynchronous-processing",
    title="The consumer dies with records in other threads",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The polling thread hands records to workers and polls again. The process dies while they "
        "work on records whose offsets are committed."
    ),
    permits=permits,
    scenario="consumer-killed-before-processing",
    staged_as="the process dies with unfinished records, whichever thread has them",
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=(
        "KafkaConsumer javadoc, Detecting Consumer Failures",
        "Spring for Apache Kafka reference, Committing Offsets; Asynchronous Listener Return Types",
    ),
)
