"""A producer's transaction is aborted, and the work is done again in a new one."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.catalog.versions import at_least, effective_client
from advisor.reasoning.behaviour.group import sink_absorbs
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.behaviour.transactions import writes_in_transactions
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

VERIFICATION = "transaction.partition.verification.enable"


def permits(pipeline: Pipeline) -> Permits:
    """Aborted reads, if the reader does not wait for commits."""
    writer = writes_in_transactions(pipeline)
    isolation = pipeline.text(Component.CONSUMER, "isolation.level")
    if not writer or isolation == "read_committed":
        return _late_send(pipeline)
    reason = (
        f"isolation.level={isolation} with {writer}: records of "
        "transactions that are open or aborted are delivered."
    )
    permitted = {Anomaly.ABORTED_READ: reason}
    if not sink_absorbs(pipeline):
        sink = pipeline.text(Component.APPLICATION, "sink")
        permitted[Anomaly.EFFECT_DUPLICATED] = (
            f"{reason} application.sink={sink} applies them, and also the records that replace "
            "them."
        )
    return permitted


def _late_send(pipeline: Pipeline) -> Permits:
    """A delayed send of the aborted transaction (KIP-890; KAFKA-14402).

    If each transaction has its own epoch, brokers recognise the send by that.
    """
    if not has_transactions(pipeline) or not is_unverified(pipeline) or has_own_epochs(pipeline):
        return {}
    unverified = f"{VERIFICATION}=false: a late message of the aborted transaction is accepted"
    return {
        Anomaly.ABORTED_READ: f"{unverified} for the next one, and committed with it.",
        Anomaly.BLOCKED: (
            f"{unverified} without a transaction, and readers of committed records wait before it "
            "until somebody aborts it (kafka-transactions.sh)."
        ),
    }


def is_unverified(pipeline: Pipeline) -> bool:
    """Whether brokers that could ask a transaction's coordinator accept messages without asking."""
    is_known = pipeline.knows(Component.BROKER, VERIFICATION)
    return is_known and not pipeline.flag(Component.BROKER, VERIFICATION)


def has_transactions(pipeline: Pipeline) -> bool:
    """Whether anyone writes in transactions: before the pipeline, or in it."""
    if pipeline.family is Family.STREAMS and Streams(pipeline).exactly_once:
        return True
    return bool(writes_in_transactions(pipeline))


def has_own_epochs(pipeline: Pipeline) -> bool:
    """Whether each transaction has its own epoch (KIP-890).

    It has with brokers and Java clients of 4.0 or later and transaction.version=2. A writer before
    the pipeline may be any client.
    """
    if pipeline.family in (Family.LIBRDKAFKA, Family.SPARK):
        return False
    version = "transaction.version"
    client = effective_client(pipeline.family, pipeline.version)
    if not at_least(client, "4.0") or not pipeline.knows(Component.APPLICATION, version):
        return False
    return pipeline.number(Component.APPLICATION, version) == 2


EVENT = FailureEvent(
    name="transaction-aborted",
    title="A transaction is aborted and its work done again",
    boundary=Boundary.LOG_TO_CONSUMER,
    story=(
        "A transactional producer writes, aborts (an error, a timeout, a restart), and writes the "
        "same messages again in a new transaction."
    ),
    permits=permits,
    sources=("KIP-98", "Kafka ConfigDef, isolation.level", "KIP-890"),
    scenario="transaction-left-open",
    staged_as="the open transaction is aborted, and its work is done again",
)
