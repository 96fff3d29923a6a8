"""Processing fails, and the consumer is closed."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.group import Group, skipped
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Skipped records: with automatic commits, close() commits the position after the whole batch.

    Seen in a run: 10 records polled, the first failed, close() committed 10.
    """
    group = Group.of(pipeline)
    if group is None or group.on_error != "close" or not group.commits_position:
        return {}
    return skipped(
        "application.processing.errors=close with enable.auto.commit=true: close() commits every "
        "record that was polled, including the failed one and those after it."
    )


EVENT = FailureEvent(
    name="exception-then-close",
    title="Processing fails, and the consumer is closed",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "The code throws in the middle of a batch, and a finally block or a try-with-resources "
        "closes the consumer."
    ),
    permits=permits,
    scenario="exception-then-close",
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("KafkaConsumer javadoc, Automatic Offset Committing",),
)
