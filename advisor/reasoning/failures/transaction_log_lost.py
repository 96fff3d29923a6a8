"""The brokers that hold the state of transactions are lost for good."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.replication import Replication, simultaneous_loss
from advisor.reasoning.event import FailureEvent, Permits, broker_lost_for_good
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted

FACTOR, MINIMUM = "transaction.state.log.replication.factor", "transaction.state.log.min.isr"


def permits(pipeline: Pipeline) -> Permits:
    """Torn transactions if the outcome is lost; no transactions with too few replicas in sync."""
    if not pipeline.text(Component.PRODUCER, "transactional.id"):
        return {}
    factor, least = (pipeline.number(Component.BROKER, name) for name in (FACTOR, MINIMUM))
    lost = simultaneous_loss(pipeline, factor)
    if factor > pipeline.brokers:
        return {
            Anomaly.UNAVAILABLE: (
                f"{FACTOR}={factor} is not possible with {counted(pipeline.brokers, 'broker')}: no "
                "transaction can begin until it is lowered."
            )
        }
    permitted: Permits = {}
    if min(least, factor) <= lost.count:
        reason = (
            f"{FACTOR}={factor} with {MINIMUM}={least}: the outcome of a transaction is guaranteed "
            f"{counted(min(least, factor), 'copy', 'copies')}, and {lost} may be lost; without it, "
        )
        permitted[Anomaly.TORN_TRANSACTION] = (
            f"{reason}some partitions have a marker and others do not."
        )
        permitted[Anomaly.BLOCKED] = f"{reason}readers with read_committed wait for it."
    elif factor > 1 and (topic := Replication(pipeline)).may_lead_empty(min(least, factor)):
        permitted = _empty_leader(topic, factor, least)
    if factor - lost.count < least:
        permitted[Anomaly.UNAVAILABLE] = (
            f"{FACTOR}={factor} with {MINIMUM}={least}: with {lost.count} of its "
            f"brokers{lost.where} lost, no "
            "transaction can begin or end."
        )
    return permitted


def _empty_leader(topic: Replication, factor: int, least: int) -> Permits:
    reason = (
        f"{topic.disk_lost}, {FACTOR}={factor} with {MINIMUM}={least}: without eligible leader "
        "replicas the last broker in sync returns with an empty disk and leads, and the outcomes "
        "of transactions are lost: "
    )
    return {
        Anomaly.TORN_TRANSACTION: f"{reason}some partitions have a marker and others do not.",
        Anomaly.BLOCKED: f"{reason}readers with read_committed wait for them.",
    }


EVENT = FailureEvent(
    name="transaction-log-lost",
    title="The brokers with the state of transactions are lost",
    boundary=Boundary.PRODUCER_TO_LOG,
    story=(
        "The outcome of each transaction is kept in a topic of its own, __transaction_state. The "
        "brokers with its copies are lost for good."
    ),
    permits=permits,
    scenario="transaction-log-lost",
    families=frozenset(Family) - {Family.SPARK},
    sources=(
        "KIP-98, Transaction Coordinator",
        "Kafka TransactionLogConfig, transaction.state.log.min.isr",
        "KIP-966, Motivation",
    ),
    in_scope=broker_lost_for_good,
)
