"""A producer's transaction is aborted, and the work is done again in a new one."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.group import sink_absorbs
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def writes_in_transactions(pipeline: Pipeline) -> str:
    """The words of what makes records in the topic transactional, or the empty text."""
    if pipeline.family in (Family.SPARK, Family.STREAMS):
        upstream = pipeline.text(Component.APPLICATION, "upstream")
        return "application.upstream=transactional" if upstream == "transactional" else ""
    name = pipeline.text(Component.PRODUCER, "transactional.id")
    return f"transactional.id={name}" if name else ""


def permits(pipeline: Pipeline) -> Permits:
    """A reader that does not wait for commits reads what was taken back."""
    writer = writes_in_transactions(pipeline)
    isolation = pipeline.text(Component.CONSUMER, "isolation.level")
    if not writer or isolation == "read_committed":
        return {}
    reason = (
        f"isolation.level={isolation} with {writer}: records of "
        "transactions that are open or aborted are delivered."
    )
    permitted = {Anomaly.ABORTED_READ: reason}
    if not sink_absorbs(pipeline):
        sink = pipeline.text(Component.APPLICATION, "sink")
        permitted[Anomaly.EFFECT_DUPLICATED] = (
            f"{reason} application.sink={sink} takes them, and again what replaces them."
        )
    return permitted


EVENT = FailureEvent(
    name="transaction-aborted",
    title="A transaction is aborted and its work done again",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "A transactional producer writes, aborts (an error, a time-out, a restart), and writes "
        "the same work again in a new transaction."
    ),
    permits=permits,
    sources=("KIP-98", "Kafka ConfigDef, isolation.level"),
    scenario="transaction-left-open",
    staged_as="the open transaction is aborted, and its work is done again",
)
