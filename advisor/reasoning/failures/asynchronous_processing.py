"""Records are handed to other threads, the client or a container commits, the process dies."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import Group, missing
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """The next poll commits what the threads may not have done yet."""
    group = Group.of(pipeline)
    if group is None or not group.asynchronous:
        return {}
    if group.commits_when_returned:
        return missing(
            f"application.processing=asynchronous with {group.framework}: the container commits "
            "when the listener has returned, and does not know what other threads have finished."
        )
    if not group.commits_position:
        return {}
    return missing(
        "application.processing=asynchronous with enable.auto.commit=true: the client commits "
        f"what it has handed out, {group.pace}, and does not know what has been processed."
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
