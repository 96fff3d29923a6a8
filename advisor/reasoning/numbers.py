"""What a formula says of a pipeline: brokers that may be gone, seconds, messages, bytes.

Formulas are those of Kafka's design document and of the settings' own documentation; each
number carries its formula with the values put in, so that a person can follow it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.group import Commit, Group
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.replication import Replication


@dataclass(frozen=True, slots=True)
class Number:
    """One number; `value` is None where there is no bound, and `formula` then says why."""

    name: str
    title: str
    value: int | None
    unit: str
    formula: str
    source: str


def numbers(pipeline: Pipeline) -> tuple[Number, ...]:
    """Every number that the stated settings decide; those of a load only if it was stated."""
    return (*_copies(pipeline), *_pauses(pipeline), *_load(pipeline))


def _copies(pipeline: Pipeline) -> Iterator[Number]:
    topic = Replication.of(pipeline)
    design = "Kafka design.md, Availability and Durability Guarantees"
    least = f"min(min.insync.replicas, replication.factor) - 1 = {topic.min_isr} - 1"
    yield Number(
        "lost-for-good", "Brokers lost for good without losing an acknowledged message",
        topic.survives, "brokers",
        least if topic.waits_for_followers else f"acks={topic.acks}: at most the leader's copy",
        design,
    )  # fmt: skip
    yield Number(
        "down-with-writes", "Brokers down while writes with acks=all go on and can be read",
        max(topic.spares, 0), "brokers",
        f"replication.factor - min.insync.replicas = {topic.factor} - {topic.min_isr}",
        design,
    )  # fmt: skip
    yield Number(
        "down-with-reads", "Brokers down while what is committed can be read",
        topic.factor - 1, "brokers",
        f"replication.factor - 1 = {topic.factor} - 1, if one of the rest is in sync",
        design,
    )  # fmt: skip


def _pauses(pipeline: Pipeline) -> Iterator[Number]:
    topic = Replication.of(pipeline)
    yield Number(
        "stall-on-crash", "The longest stall of writes when a broker crashes",
        topic.failover_ms if topic.fails_over else None, "ms",
        f"broker.session.timeout.ms + one retry = {topic.session_timeout_ms} + 1000"
        if topic.fails_over
        else "replication.factor=1: until that broker is back",
        "KIP-631 (broker fencing)",
    )  # fmt: skip
    if pipeline.family is not Family.SPARK:
        session_ms = pipeline.number(Component.CONSUMER, "session.timeout.ms")
        yield Number(
            "stall-on-reader-crash", "The longest stall of a partition when its reader crashes",
            session_ms, "ms", f"session.timeout.ms = {session_ms}",
            "Kafka ConfigDef, session.timeout.ms",
        )  # fmt: skip


def _load(pipeline: Pipeline) -> Iterator[Number]:
    rate = pipeline.value(Component.APPLICATION, "rate")
    if not isinstance(rate, int):
        return
    group = Group.of(pipeline)
    if group is not None and group.commit is Commit.AUTO:
        yield Number(
            "repeated-after-crash", "Messages delivered again when a reader crashes, at most",
            -(-rate * group.interval_ms // 1000), "messages",
            f"rate × auto.commit.interval.ms = {rate} × {group.interval_ms} ms, and one batch",
            "KafkaConsumer javadoc, Automatic Offset Committing",
        )  # fmt: skip
    size = pipeline.value(Component.APPLICATION, "message.bytes")
    if isinstance(size, int):
        yield _disk(pipeline, rate, size)


def _disk(pipeline: Pipeline, rate: int, size: int) -> Number:
    kept_ms = pipeline.number(Component.TOPIC, "retention.ms")
    factor = pipeline.number(Component.TOPIC, "replication.factor")
    deletes = "delete" in pipeline.text(Component.TOPIC, "cleanup.policy")
    value, formula = None, "nothing is deleted by age, so there is no bound"
    if kept_ms >= 0 and deletes:
        value = rate * size * kept_ms // 1000 * factor
        formula = (
            "rate × message.bytes × retention.ms × replication.factor = "
            f"{rate} × {size} × {kept_ms} ms × {factor}"
        )
    return Number(
        "bytes-on-disk", "Bytes on all disks together", value, "bytes", formula,
        "Kafka TopicConfig, retention.ms",
    )  # fmt: skip
