"""A transaction is aborted, and the consumer continues after its input."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Commit, Group, rolled_back, skipped
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """The aborted transaction's input is read again if the application rewinds, else skipped."""
    group = Group.of(pipeline)
    if group is None or group.commit is not Commit.IN_TRANSACTION:
        return {}
    if pipeline.text(Component.APPLICATION, "abort") == "rewinds":
        return rolled_back(
            pipeline,
            "application.abort=rewinds: the input of the aborted transaction is read again.",
        )
    return skipped(
        "application.abort=continues with application.commit=in-transaction: the consumer does "
        "not rewind by itself; the next commit is after the input of the aborted transaction."
    )


EVENT = FailureEvent(
    name="aborted-input-not-read-again",
    title="A transaction is aborted, and its input is not read again",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "An error aborts a transaction that read, processed and wrote messages. Its output is "
        "aborted; the consumer's position in memory does not go back."
    ),
    permits=permits,
    scenario="aborted-input-not-read-again",
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("Kafka design.md, Using Transactions",),
)
