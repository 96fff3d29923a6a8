"""How long consumers may be absent: what the team states, but not less than a failover takes.

A consumer that crashes is noticed after its session timeout, and the member that takes over its
partitions waits for the next poll of each other member (JoinGroup of KIP-62, reconciliation of
KIP-848). Every restart that is not orderly takes that long, so a topic with a shorter retention
loses messages. A machine of a Spark query counts as lost after spark.network.timeout. Messages
also stay unread while something waits for more of them: a query for maxTriggerDelay
(KafkaMicroBatchStream.delayBatch), a broker for fetch.max.wait.ms, and a Kafka Streams task for
max.task.idle.ms.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import assigned_by_brokers, session_timeout
from advisor.reasoning.behaviour.replication import Replication
from advisor.reasoning.behaviour.session import ABORT_CHECK
from advisor.reasoning.behaviour.sizes import producer_queue
from advisor.reasoning.behaviour.timestamps import clock_skew, stamped_by_sender
from advisor.reasoning.behaviour.transactions import TIMEOUT, open_for_ms, readers_wait
from advisor.reasoning.pipeline import Pipeline, derived

NAME = "outage.ms"
"""The setting of the longest outage of the team's consumers, in ms."""

COMPACTION_LAG = "min.compaction.lag.ms"
"""The setting of how long compaction does not remove a message."""

NETWORK_MS = 120_000
"""`spark.network.timeout`, Spark's default."""

METADATA_MS = 300_000
"""`metadata.max.age.ms` and `topic.metadata.refresh.interval.ms`, the clients' defaults."""

_NEVER_MS = 10**15
_FEWEST, _DELAY = "minOffsetsPerTrigger", "maxTriggerDelay"
_MIN_BYTES, _IDLE = "fetch.min.bytes", "max.task.idle.ms"
_TIME = re.compile(r"(\d{1,15})(us|ms|s|m|min|h|d)?", re.ASCII)
_UNITS_MS = {
    "us": 0.001, "ms": 1, "s": 1_000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000,
}  # fmt: skip

POLL_MS = 300_000
"""The default `max.poll.interval.ms` of every client. A team that allows more states what that
means with `outage.ms`."""


@dataclass(frozen=True, slots=True)
class Absence:
    """How long nobody reads, in ms, and the settings that decide it."""

    ms: int
    reason: str


_NONE = Absence(0, "immediately")


@derived
def longest_absence(pipeline: Pipeline) -> Absence:
    """Returns the longer of the stated outage and the time until a dead consumer is replaced."""
    least, stated = until_replaced(pipeline), pipeline.value(Component.APPLICATION, NAME)
    if isinstance(stated, int) and stated > least.ms:
        least = Absence(stated, f"application.{NAME}={stated}")
    return least


@derived
def longest_wait(pipeline: Pipeline) -> Absence:
    """Returns how long a message may wait to be read.

    It waits for absent consumers, for consumers that wait for more messages, for a consumer that
    has not noticed that its leader is gone, or behind an abandoned transaction. Retention goes by
    the high watermark, not by the last stable offset (UnifiedLog, deletableSegments).
    """
    away = _after_delay(pipeline, longest_absence(pipeline))
    away = max(away, _until_noticed(pipeline), key=lambda wait: wait.ms)
    open_ms = sum(open_for_ms(pipeline)) if readers_wait(pipeline) else 0
    if open_ms <= away.ms:
        return away
    times = " + ".join(map(str, open_for_ms(pipeline)))
    reason = f"isolation.level=read_committed behind a transaction that is left open: {TIMEOUT} + "
    return Absence(open_ms, f"{reason}{ABORT_CHECK} = {times}")


@derived
def longest_unread(pipeline: Pipeline) -> Absence:
    """Returns how long a message in the log may wait to be read: as `longest_wait`, or for a
    leader. Retention continues without a leader: each replica deletes up to the high watermark that
    it knows (LogManager, cleanupLogs)."""
    return max(longest_wait(pipeline), _until_led(pipeline), key=lambda wait: wait.ms)


def _until_led(pipeline: Pipeline) -> Absence:
    topic = Replication(pipeline)
    first = topic.failover_with_controller_ms - topic.failover_ms
    before = f" after {first:,} ms without a controller" if first else ""
    return Absence(
        topic.failover_with_controller_ms, f"until a new leader is chosen{before}: {topic.fencing}"
    )


def _until_noticed(pipeline: Pipeline) -> Absence:
    """Returns how long a consumer waits for a leader that hangs (NetworkClient,
    handleTimedOutRequests). Spark gives up its task earlier. librdkafka allows no long wait."""
    if pipeline.family is Family.LIBRDKAFKA:
        return _NONE
    names = ["request.timeout.ms"]
    if pipeline.family is Family.SPARK:
        names.append("kafkaConsumer.pollTimeoutMs")
    waits = [(pipeline.number(Component.CONSUMER, name), name) for name in names]
    waited_ms, name = min(waits)
    return Absence(waited_ms, f"for the response of a leader that hangs: {name}={waited_ms}")


def _after_delay(pipeline: Pipeline, away: Absence) -> Absence:
    """Adds the waits for more messages: a consumer may crash just before it reads these."""
    delays = [delay for wait in _DELAYS if (delay := wait(pipeline)).ms > 0]
    reasons = [delay.reason for delay in delays]
    total_ms = away.ms + sum(delay.ms for delay in delays)
    return Absence(total_ms, ", ".join([*reasons, away.reason]))


def _until_more(pipeline: Pipeline) -> Absence:
    """Returns how long a broker delays a response with less than `fetch.min.bytes`
    (DelayedFetch)."""
    least = pipeline.number(Component.CONSUMER, _MIN_BYTES)
    librdkafka = pipeline.family is Family.LIBRDKAFKA
    name = "fetch.wait.max.ms" if librdkafka else "fetch.max.wait.ms"
    waited_ms = pipeline.number(Component.CONSUMER, name)
    return Absence(waited_ms if least > 1 else 0, f"{_MIN_BYTES}={least} with {name}={waited_ms}")


def _until_batch(pipeline: Pipeline) -> Absence:
    """Returns how long a query waits for a batch that is large enough."""
    least = pipeline.family is Family.SPARK and pipeline.value(Component.CONSUMER, _FEWEST)
    if not least:
        return _NONE
    delay = pipeline.text(Component.CONSUMER, _DELAY)
    return Absence(trigger_delay_ms(delay), f"{_FEWEST}={least} with {_DELAY}={delay}")


def _until_others(pipeline: Pipeline) -> Absence:
    """Returns how long a task with messages of one input waits for another input (KIP-353)."""
    if pipeline.family is not Family.STREAMS:
        return _NONE
    idle_ms = pipeline.number(Component.STREAMS, _IDLE)
    return Absence(idle_ms, f"{_IDLE}={idle_ms}")


_DELAYS = (_until_more, _until_batch, _until_others)


def trigger_delay_ms(text: str) -> int:
    """Returns the milliseconds of a time as Spark reads it (JavaUtils.timeStringAs): a number of
    milliseconds, or a number with its unit. 0 for anything else."""
    parts = _TIME.fullmatch(text.strip().lower())
    return int(int(parts[1]) * _UNITS_MS[parts[2] or "ms"]) if parts else 0


def until_replaced(pipeline: Pipeline) -> Absence:
    """Returns the longest time from a consumer's crash until another one has its partitions."""
    if pipeline.family is Family.SPARK:
        return Absence(NETWORK_MS, f"spark.network.timeout={NETWORK_MS} (Spark's default)")
    setting, session_ms = session_timeout(pipeline)
    poll_ms = pipeline.number(Component.CONSUMER, "max.poll.interval.ms")
    counted = "" if poll_ms <= POLL_MS else f", of which {POLL_MS} are counted"
    return Absence(
        until_taken_over_ms(session_ms, poll_ms),
        f"{setting}={session_ms}, and then the next poll of each other member "
        f"(max.poll.interval.ms={poll_ms}{counted})",
    )


@derived
def until_discovered(pipeline: Pipeline) -> Absence:
    """Returns how long nobody in a group reads a partition that is added to the topic.

    If members assign the partitions, the metadata of their leader has to contain it first
    (ConsumerCoordinator.rejoinNeededOrPending; rd_kafka_cgrp_metadata_update_check). Brokers that
    assign them know it immediately; then the clients' default is used. A Spark query lists all
    partitions before each batch.
    """
    if pipeline.family is Family.SPARK:
        return _NONE
    librdkafka = pipeline.family is Family.LIBRDKAFKA
    name = "topic.metadata.refresh.interval.ms" if librdkafka else "metadata.max.age.ms"
    age_ms = pipeline.number(Component.CONSUMER, name)
    if age_ms == METADATA_MS or assigned_by_brokers(pipeline):
        return Absence(METADATA_MS, f"up to {METADATA_MS:,} ms after the first producer")
    if librdkafka and age_ms <= 0:
        return Absence(_NEVER_MS, f"which with {name}={age_ms} may take until its next rebalance")
    return Absence(age_ms, f"up to {name}={age_ms} after the first producer")


def until_taken_over_ms(session_ms: int, poll_ms: int) -> int:
    """Returns the sum of a dead member's session and the longest usual rebalance."""
    return session_ms + min(poll_ms, POLL_MS)


def read_before_compaction(pipeline: Pipeline) -> bool:
    """Whether readers are back before compaction may remove a message.

    The cleaner skips segments whose newest message is younger than `min.compaction.lag.ms` (KIP-58;
    LogCleanerManager, cleanableOffsets). A sender's own timestamps may be of any age, and clocks
    differ.
    """
    lag_ms = pipeline.number(Component.TOPIC, COMPACTION_LAG)
    if lag_ms == 0:
        return False
    by_now = pipeline.text(Component.APPLICATION, "timestamps") == "now"
    return lag_ms > uncompacted_ms(pipeline) and (by_now or not stamped_by_sender(pipeline))


def uncompacted_ms(pipeline: Pipeline) -> int:
    """Returns how long a message must not be compacted, so that readers get it in any case."""
    return longest_unread(pipeline).ms + clock_skew(pipeline).ms


def covers_retention(pipeline: Pipeline, start: str) -> bool:
    """Whether a consumer that starts at `by_duration:…` (KIP-1106) skips nothing that retention
    guarantees: everything older may already be deleted.

    A sender's own timestamps may be of any age, and clocks differ.
    """
    retention_ms = pipeline.number(Component.TOPIC, "retention.ms")
    deletes = (
        "compact" not in pipeline.text(Component.TOPIC, "cleanup.policy") and retention_ms >= 0
    )
    by_now = pipeline.text(Component.APPLICATION, "timestamps") == "now"
    return deletes and by_now and duration_ms(start) >= retention_ms + clock_skew(pipeline).ms


_DURATION = re.compile(
    r"by_duration:P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)(?:[.,]\d*)?S)?)?",
    re.ASCII | re.IGNORECASE,
)


def duration_ms(start: str) -> int:
    """Returns the milliseconds of an ISO-8601 duration as Java's Duration reads it, else 0. Its
    letters may be in any case."""
    parts = _DURATION.fullmatch(start)
    units = (86_400_000, 3_600_000, 60_000, 1_000)
    texts = parts.groups() if parts else ()
    return sum(int(text or 0) * unit for text, unit in zip(texts, units, strict=False))


@dataclass(frozen=True, slots=True)
class RetentionSize:
    """The least `retention.bytes` that keeps what consumers still need, or None if none does."""

    least: int | None
    reason: str


def required_retention(pipeline: Pipeline, away: Absence | None = None) -> RetentionSize:
    """Returns the size for what is written while consumers are absent, at worst to one partition.

    `away` is the absence, by default the longest wait. If neither a load nor an absence was stated,
    it is the size of one producer's buffer, which is sent when brokers are back. Brokers delete
    whole segments, and keep at least `retention.bytes` (UnifiedLog,
    deleteRetentionSizeBreachedSegments).
    """
    rate, size = (pipeline.value(Component.APPLICATION, name) for name in ("rate", "message.bytes"))
    if isinstance(rate, int) and isinstance(size, int):
        written = rate * size * (away or longest_wait(pipeline)).ms // 1000
        return RetentionSize(written + 1, f"rate × message.bytes = {written}")
    if away or pipeline.value(Component.APPLICATION, NAME) is not None:
        return RetentionSize(None, "as many as come")
    if pipeline.family is Family.LIBRDKAFKA:
        limit = producer_queue(pipeline)
        return RetentionSize(limit.most, f"{limit} of one producer")
    memory = pipeline.number(Component.PRODUCER, "buffer.memory")
    return RetentionSize(memory, f"buffer.memory={memory} of one producer")
