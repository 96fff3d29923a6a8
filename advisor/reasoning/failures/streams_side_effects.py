"""A processor writes to another system, and its messages are processed again."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline


def permits(pipeline: Pipeline) -> Permits:
    """Repeated effects, whatever the guarantee: a transaction takes back only what is in Kafka."""
    if pipeline.text(Component.APPLICATION, "sink") != "plain":
        return {}
    return {
        Anomaly.EFFECT_DUPLICATED: (
            f"application.sink=plain with {Streams(pipeline).guarantee_setting}: after a crash or "
            "an abort the message is processed again, and a processor's effect on another system "
            "is repeated. No setting changes this: a Kafka transaction takes back only what is in "
            "Kafka."
        )
    }


EVENT = FailureEvent(
    name="streams-side-effects-repeated",
    title="A processor's effects outside Kafka are repeated",
    boundary=Boundary.END_TO_END,
    story=(
        "A processor writes to a database or calls a service; the instance dies or its "
        "transaction is aborted, and the same message is processed again."
    ),
    permits=permits,
    scenario="streams-instance-killed",
    staged_as="the instance dies after its processors ran and before the offsets were committed",
    families=frozenset({Family.STREAMS}),
    sources=("Kafka Streams core concepts, Processing guarantees",),
    beyond_settings=(
        "Make the effect idempotent (keyed by topic, partition and offset of the input), or write "
        "the results to a topic and let a reader with an idempotent sink apply them."
    ),
)
