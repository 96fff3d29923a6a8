"""Two running producers have one transactional.id."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """The older producer is fenced: its work is aborted, not lost, and it stops."""
    name = pipeline.text(Component.PRODUCER, "transactional.id")
    if not name:
        return {}
    return {
        Anomaly.UNAVAILABLE: (
            f"transactional.id={name}: a second instance with this name fences the first, whose "
            "open transaction is aborted. If both are restarted, they fence each other in turn."
        )
    }


EVENT = FailureEvent(
    name="transactional-id-shared",
    title="Two producers have one transactional.id",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "A second instance starts with the same configuration, or an instance that was thought "
        "dead comes back while its successor runs."
    ),
    permits=permits,
    scenario="transactional-id-shared",
    families=frozenset({Family.JAVA, Family.LIBRDKAFKA}),
    sources=("KIP-98 (zombie fencing)", "KIP-447"),
)
