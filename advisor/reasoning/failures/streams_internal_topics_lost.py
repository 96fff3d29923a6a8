"""The brokers that hold the changelogs of a Kafka Streams application are lost for good."""

from __future__ import annotations

from advisor.catalog import Family
from advisor.reasoning.behaviour.replication import Replication, simultaneous_loss
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import agreed, counted


def permits(pipeline: Pipeline) -> Permits:
    """Loss of state and of messages in repartition topics, if no copy is guaranteed to be left."""
    streams = Streams(pipeline)
    if streams.state == "none":
        return {}
    factor, least = streams.internal_factor, streams.internal_min_isr
    lost = simultaneous_loss(pipeline, factor)
    text = f"replication.factor={factor} of the internal topics with min.insync.replicas={least}"
    copies = counted(streams.internal_copies, "copy", "copies")
    permitted: Permits = {}
    if streams.internal_copies <= lost.count:
        reason = (
            f"{text}: {copies} of the changelog and of the messages in a repartition topic "
            f"{agreed(streams.internal_copies, 'is', 'are')} guaranteed, and {lost} may be lost."
        )
        permitted = {Anomaly.STATE_LOST: reason, Anomaly.EFFECT_MISSING: reason}
    elif factor > 1 and (topic := Replication(pipeline)).may_lead_empty(streams.internal_copies):
        reason = (
            f"{text}, {topic.disk_lost}: without eligible leader replicas the last broker in sync "
            "returns with an empty disk and leads, and the content of the changelog is lost."
        )
        permitted = {Anomaly.STATE_LOST: reason, Anomaly.EFFECT_MISSING: reason}
    if factor - lost.count < least:
        waits = (
            f"{text}: with {lost.count} of their brokers{lost.where} lost the application cannot "
            "write to them."
        )
        permitted |= {Anomaly.UNAVAILABLE: waits, Anomaly.BLOCKED: waits}
    return permitted


EVENT = FailureEvent(
    name="streams-internal-topics-lost",
    title="The brokers with the Streams application's changelogs are lost",
    boundary=Boundary.END_TO_END,
    story=(
        "State is kept in changelog topics, and messages whose key changes go through repartition "
        "topics. The brokers with their copies are lost for good."
    ),
    permits=permits,
    scenario="streams-internal-topics-lost",
    families=frozenset({Family.STREAMS}),
    sources=(
        "Kafka StreamsConfig, replication.factor",
        "KIP-733 (-1, the brokers' default.replication.factor, since 3.0)",
        "Kafka design.md, Availability and Durability Guarantees",
    ),
    in_scope=broker_lost_for_good,
)
