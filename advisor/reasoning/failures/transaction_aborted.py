"""A producer's transaction is aborted, and the work is done again in a new one."""

from __future__ import annotations

from advisor.catalog import Component
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.group import sink_absorbs
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """A reader that does not wait for commits reads what was taken back."""
    transactional = pipeline.text(Component.PRODUCER, "transactional.id")
    isolation = pipeline.text(Component.CONSUMER, "isolation.level")
    if not transactional or isolation == "read_committed":
        return {}
    reason = (
        f"isolation.level={isolation} with transactional.id={transactional}: records of "
        "transactions that are open or aborted are delivered."
    )
    found = {Anomaly.ABORTED_READ: reason}
    if not sink_absorbs(pipeline):
        found[Anomaly.EFFECT_DUPLICATED] = (
            f"{reason} application.sink=plain applies them, and again what replaces them."
        )
    return found


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
)
