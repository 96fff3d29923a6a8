"""Numbers of a pipeline: brokers that may be lost, seconds, messages, bytes.

The formulas are those of Kafka's design document and of the settings' documentation. Each number
has its formula with the values filled in, so that it can be verified.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Commit, Group, session_timeout
from advisor.reasoning.behaviour.replication import (
    LINGER,
    LINGER_MS,
    REPLICAS_MOVED,
    ZOOKEEPER_TICK_MS,
    Replication,
    controllers,
    in_fullest_rack,
    in_racks,
    removed_early,
)
from advisor.reasoning.behaviour.session import ABORT_CHECK
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.failures import followers_killed_leader_lost
from advisor.reasoning.failures.broker_disk_lost import FACTOR, remote_copies
from advisor.reasoning.failures.rack_lost import metadata_loss, outage_without_majority
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.plural import counted


@dataclass(frozen=True, slots=True)
class Number:
    """One number. If there is no bound, `value` is None and `formula` says why."""

    name: str
    title: str
    value: int | None
    unit: str
    formula: str
    source: str


def numbers(pipeline: Pipeline) -> tuple[Number, ...]:
    """Returns every number that the settings decide; those about a load only if it was stated."""
    parts = (_copies, _racks, _controllers, _pauses, _load)
    return tuple(number for part in parts for number in part(pipeline))


def _copies(pipeline: Pipeline) -> Iterator[Number]:
    topic = Replication(pipeline)
    design = "Kafka design.md, Availability and Durability Guarantees"
    survived, formula = _survived(pipeline, topic)
    yield Number(
        "lost-for-good", "Brokers lost for good without losing an acknowledged message",
        survived, "brokers", formula, design,
    )  # fmt: skip
    yield Number(
        "down-with-writes", "Brokers down while writes with acks=all continue and can be read",
        max(topic.spares, 0), "brokers",
        f"replication.factor - min.insync.replicas = {topic.factor} - {topic.min_isr}",
        design,
    )  # fmt: skip
    yield Number(
        "down-with-reads", "Brokers down while what is committed can be read",
        topic.factor - 1, "brokers",
        f"replication.factor - 1 = {topic.factor} - 1, if one of the others is in sync",
        design,
    )  # fmt: skip


def _survived(pipeline: Pipeline, topic: Replication) -> tuple[int, str]:
    """Returns how many brokers may be lost in the worst failure, and why not more."""
    if not topic.waits_for_followers:
        return 0, f"acks={topic.acks}: at most the leader's copy"
    if topic.survives and (reason := _lost_with_one(pipeline)):
        return 0, reason
    removed = removed_early(pipeline, topic.factor)
    early = f" - 1 (application.{REPLICAS_MOVED}=any-time)" if removed else ""
    copies = remote_copies(pipeline)
    if copies is not None and copies < topic.copies:
        formula = f"guaranteed copies of __remote_log_metadata - 1 = {copies} - 1{early}"
        return max(copies - 1 - removed, 0), formula
    least = f"min(min.insync.replicas, replication.factor) - 1 = {topic.min_isr} - 1{early}"
    return max(topic.survives - removed, 0), least


def _lost_with_one(pipeline: Pipeline) -> str:
    """Returns why the loss of one disk may lose acknowledged messages, whatever their copies."""
    return followers_killed_leader_lost.permits(pipeline).get(Anomaly.LOST_WRITE, "")


def _racks(pipeline: Pipeline) -> Iterator[Number]:
    """Yields the numbers of racks, with replicas spread evenly over them (KIP-36)."""
    racks = pipeline.value(Component.APPLICATION, "racks")
    if not isinstance(racks, int):
        return
    topic = Replication(pipeline)
    factor, copies = topic.factor, topic.copies
    fullest = in_fullest_rack(factor, racks)
    formula = f"⌈replication.factor / racks⌉ = ⌈{factor} / {racks}⌉ = {fullest} in one rack"
    losses = [in_racks(factor, racks, lost) for lost in range(racks + 1)]
    removed = removed_early(pipeline, factor)
    survived = sum(replicas + removed < copies for replicas in losses[1:])
    why = f"{formula}, of {copies} guaranteed copies"
    if survived and (reason := _lost_with_one(pipeline) or metadata_loss(pipeline)):
        survived, why = 0, reason
    if (remote := remote_copies(pipeline)) is not None:
        total = pipeline.number(Component.APPLICATION, FACTOR)
        safe = sum(in_racks(total, racks, lost) + removed < remote for lost in range(1, racks + 1))
        if safe < survived:
            fullest = in_fullest_rack(total, racks)
            why = f"{fullest} of {total} replicas of __remote_log_metadata in one rack, of "
            survived, why = (
                safe,
                f"{why}{counted(remote, 'guaranteed copy', 'guaranteed copies')}",
            )
    yield Number(
        "racks-lost-for-good", "Racks lost for good without losing an acknowledged message",
        survived, "racks", why,
        "KIP-36; Kafka design.md, Replication",
    )  # fmt: skip
    spared = [lost for lost, replicas in enumerate(losses) if factor - replicas >= topic.min_isr]
    down, why = max(spared, default=0), f"{formula}, min.insync.replicas={topic.min_isr} elsewhere"
    if down and (reason := outage_without_majority(pipeline)):
        down, why = 0, reason
    yield Number(
        "racks-down-with-writes", "Racks down while writes with acks=all continue",
        down, "racks", why, "KIP-36; Kafka design.md, Availability and Durability Guarantees",
    )  # fmt: skip


def _controllers(pipeline: Pipeline) -> Iterator[Number]:
    count = controllers(pipeline)
    if count is not None:
        yield Number(
            "controllers-down", "Controllers down while a new leader can still be elected",
            (count - 1) // 2, "controllers",
            f"⌊(controllers - 1) / 2⌋ = ⌊({count} - 1) / 2⌋",
            "KIP-595 (Raft quorum); Kafka operations/kraft.md, Controllers",
        )  # fmt: skip


def _stall_on_crash(topic: Replication) -> Number:
    formula, source = "replication.factor=1: until that broker is back", "KIP-631 (broker fencing)"
    if topic.zookeeper:
        source = "KIP-537; ZooKeeper administrator's guide, tickTime and maxSessionTimeout"
    if topic.fails_over and topic.zookeeper:
        formula = (
            "zookeeper.session.timeout.ms (from 2 to 20 ticks of ZooKeeper) + one tick + one retry "
            f"= {topic.failure_detection_ms - ZOOKEEPER_TICK_MS} + {ZOOKEEPER_TICK_MS} + 1000; "
            "longer if that broker was the controller, for which there is no formula"
        )
    elif topic.fails_over:
        formula = f"{topic.session_setting} + one retry = {topic.session_timeout_ms} + 1000"
        if topic.extra_linger_ms:
            formula += f" + {topic.extra_linger_ms} ({LINGER} beyond {LINGER_MS})"
    return Number(
        "stall-on-crash", "The longest stall of writes when a broker crashes",
        topic.failover_ms if topic.fails_over else None, "ms", formula, source,
    )  # fmt: skip


def _pauses(pipeline: Pipeline) -> Iterator[Number]:
    yield _stall_on_crash(Replication(pipeline))
    if pipeline.family is not Family.SPARK:
        setting, session_ms = session_timeout(pipeline)
        yield Number(
            "stall-on-reader-crash", "The longest stall of a partition when its reader crashes",
            session_ms, "ms", f"{setting} = {session_ms}",
            f"Kafka ConfigDef, {setting}",
        )  # fmt: skip
    if pipeline.text(Component.PRODUCER, "transactional.id") or _in_transactions(pipeline):
        open_ms = pipeline.number(Component.PRODUCER, "transaction.timeout.ms")
        check_ms = pipeline.number(Component.BROKER, ABORT_CHECK)
        yield Number(
            "stall-on-open-transaction",
            "The longest wait of committed readers when a producer dies in a transaction",
            open_ms + check_ms, "ms",
            f"transaction.timeout.ms + {ABORT_CHECK} = {open_ms} + {check_ms}",
            "Kafka ConfigDef, isolation.level; TransactionStateManagerConfig",
        )  # fmt: skip


def _in_transactions(pipeline: Pipeline) -> bool:
    return pipeline.family is Family.STREAMS and Streams(pipeline).exactly_once


def _load(pipeline: Pipeline) -> Iterator[Number]:
    yield from _batches(pipeline)
    rate = pipeline.value(Component.APPLICATION, "rate")
    if not isinstance(rate, int):
        return
    group = Group.of(pipeline)
    streams = pipeline.family is Family.STREAMS
    if group is not None and group.on_a_timer and (streams or group.commit is Commit.AUTO):
        name = "commit.interval.ms" if streams else "auto.commit.interval.ms"
        yield Number(
            "repeated-after-crash", "Messages delivered again when a reader crashes, at most",
            -(-rate * group.interval_ms // 1000), "messages",
            f"rate × {name} = {rate} × {group.interval_ms} ms, and one batch",
            "Kafka StreamsConfig, commit.interval.ms" if streams
            else "KafkaConsumer javadoc, Automatic Offset Committing",
        )  # fmt: skip
    size = pipeline.value(Component.APPLICATION, "message.bytes")
    if isinstance(size, int) and pipeline.number(Component.TOPIC, "retention.bytes") < 0:
        # Otherwise each partition has as many bytes, and the number of partitions is unknown.
        yield _disk(pipeline, rate, size)


def _batches(pipeline: Pipeline) -> Iterator[Number]:
    """Yields the numbers of a Spark query with bounded batches, or of code that commits polls."""
    most, group = None, Group.of(pipeline)
    if pipeline.family is Family.JAVA and group is not None and group.commit is Commit.AFTER:
        polled = pipeline.number(Component.CONSUMER, "max.poll.records")
        yield Number(
            "repeated-after-crash", "Messages delivered again when a reader crashes, at most",
            polled, "messages",
            f"one poll, committed when all of it is processed: max.poll.records = {polled}",
            "Kafka design.md, Message Delivery Semantics; ConsumerConfig, max.poll.records",
        )  # fmt: skip
    if pipeline.family is Family.SPARK:
        most = pipeline.value(Component.CONSUMER, "maxOffsetsPerTrigger")
    if not isinstance(most, int):
        return
    source = "Spark structured-streaming-kafka-integration.md, maxOffsetsPerTrigger"
    yield Number(
        "repeated-after-crash", "Messages delivered again when a reader crashes, at most",
        most, "messages", f"one batch: maxOffsetsPerTrigger = {most}", source,
    )  # fmt: skip
    rate = pipeline.value(Component.APPLICATION, "rate")
    if isinstance(rate, int) and rate:
        yield Number(
            "batch-keeps-up", "The longest time between two batches that still keeps up",
            most * 1000 // rate, "ms", f"maxOffsetsPerTrigger ÷ rate = {most} ÷ {rate}", source,
        )  # fmt: skip


def _disk(pipeline: Pipeline, rate: int, size: int) -> Number:
    retention_ms = pipeline.number(Component.TOPIC, "retention.ms")
    factor = pipeline.number(Component.TOPIC, "replication.factor")
    value = bytes_on_disk(pipeline)
    formula = "nothing is deleted by age, so there is no bound"
    if value is not None:
        formula = (
            "rate × message.bytes × retention.ms × replication.factor = "
            f"{rate} × {size} × {retention_ms} ms × {factor}"
        )
    return Number(
        "bytes-on-disk", "Bytes on all disks together", value, "bytes", formula,
        "Kafka TopicConfig, retention.ms",
    )  # fmt: skip


def bytes_on_disk(pipeline: Pipeline) -> int | None:
    """Returns the topic's bytes on all disks; None without a bound or if no load was stated."""
    load = [pipeline.value(Component.APPLICATION, name) for name in ("rate", "message.bytes")]
    rate, size = (value if isinstance(value, int) else None for value in load)
    retention_ms = pipeline.number(Component.TOPIC, "retention.ms")
    deletes = "delete" in pipeline.text(Component.TOPIC, "cleanup.policy")
    by_size = pipeline.number(Component.TOPIC, "retention.bytes") >= 0
    if rate is None or size is None or retention_ms < 0 or not deletes or by_size:
        return None
    return (
        rate * size * retention_ms // 1000 * pipeline.number(Component.TOPIC, "replication.factor")
    )
