"""How a consumer group behaves when a member crashes or has no position: skips, repeats, waits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.event import Permits
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline

POLICIES = {
    "spring": "ten tries, one for what cannot be deserialized or converted, then a log line",
    "spring-2.4": "one try, then a log line",
    "spring-cloud-stream": "the container's ten tries, then a log line, unless enable-dlq",
    "quarkus": "failure-strategy=fail: the application stops",
    "connect": "errors.tolerance=none: the task stops",
}
"""How each framework handles a message that fails, by default.

Sources: spring-kafka SeekUtils and FailedRecordProcessor, LoggingErrorHandler before 2.5; Spring
Cloud Stream Kafka binder reference, Enabling DLQ; SmallRye Reactive Messaging, Failure Management;
Kafka Connect, errors.tolerance.
"""

THREADS_ORDER = "processing.order"
"""The setting that says whether several threads keep the order of a key. Only the team knows it."""


class Commit(StrEnum):
    """When the group's position is committed, relative to the application's processing."""

    AUTO = "auto"
    BEFORE = "before-processing"
    AFTER = "after-processing"
    IN_TRANSACTION = "in-transaction"


def sink_absorbs(pipeline: Pipeline) -> bool:
    """Whether writing one message twice leaves one effect (an upsert by its own key).

    The state of a Streams application is part of its effect, and counts a message twice. A Spark
    sink may use the batchId, which only helps in micro-batches
    (Spark performance-tips.md, asynchronous progress tracking; real-time-mode.md).
    """
    if not in_batches(pipeline):
        return False
    if pipeline.text(Component.APPLICATION, "sink") != "idempotent":
        return False
    return pipeline.family is not Family.STREAMS or not Streams(pipeline).counts_twice


def in_batches(pipeline: Pipeline) -> bool:
    """Whether a batch that runs again is the same batch; True for clients without batches."""
    if pipeline.family is not Family.SPARK:
        return True
    return pipeline.text(Component.APPLICATION, "trigger") == "micro-batch"


def skipped(reason: str) -> Permits:
    """Returns the anomalies of a record that the group skips, so that it has no effect."""
    return {Anomaly.SKIPPED: reason, Anomaly.EFFECT_MISSING: reason}


def repeated(pipeline: Pipeline, reason: str, *, committed: bool = False) -> Permits:
    """Returns the anomalies of a record that is processed again.

    An idempotent sink leaves one effect. If the record was `committed` the first time, a state
    counts it twice, under exactly-once too.
    """
    state = pipeline.family is Family.STREAMS and Streams(pipeline).state != "none"
    if sink_absorbs(pipeline) and not (committed and state):
        return {Anomaly.REDELIVERY: f"{reason} application.sink=idempotent leaves one effect."}
    return {
        Anomaly.REDELIVERY: reason,
        Anomaly.EFFECT_DUPLICATED: f"{reason} {repeated_effect(pipeline)}",
    }


def rolled_back(pipeline: Pipeline, reason: str) -> Permits:
    """Returns the anomalies of a record that is delivered again after its first result was aborted.

    A reader of uncommitted results also gets that result. For Kafka Streams another event covers
    those readers.
    """
    isolation = pipeline.text(Component.CONSUMER, "isolation.level")
    permitted = {Anomaly.REDELIVERY: reason}
    waits = pipeline.family is Family.STREAMS or isolation == "read_committed"
    if not waits and not sink_absorbs(pipeline):
        permitted[Anomaly.EFFECT_DUPLICATED] = (
            f"{reason} isolation.level={isolation}: a reader of the results with this setting also "
            "gets the aborted one."
        )
    return permitted


def repeated_effect(pipeline: Pipeline) -> str:
    """Returns a sentence about a sink that receives a message ("it") twice."""
    sink = pipeline.text(Component.APPLICATION, "sink")
    if sink == "idempotent" and not in_batches(pipeline):
        trigger = pipeline.text(Component.APPLICATION, "trigger")
        return f"application.trigger={trigger}: no batchId tells the sink that it has it."
    if pipeline.family is not Family.STREAMS:
        return f"application.sink={sink} applies it again."
    state = pipeline.text(Component.APPLICATION, "state")
    if sink == "idempotent":
        return f"application.state={state}: the state counts it again, whatever the sink does."
    return f"application.sink={sink}, application.state={state}: the results are written again."


def skips_unprocessable(pipeline: Pipeline) -> bool:
    """Whether the code itself skips a message that it cannot process."""
    return pipeline.text(Component.APPLICATION, "processing.errors") == "skip"


def assigned_by_brokers(pipeline: Pipeline) -> bool:
    """Whether the brokers assign the partitions (KIP-848) or tasks (KIP-1071), not the members."""
    streams = pipeline.family is Family.STREAMS
    component = Component.STREAMS if streams else Component.CONSUMER
    if not pipeline.knows(component, "group.protocol"):
        return False
    return pipeline.text(component, "group.protocol") != "classic"


def session_timeout(pipeline: Pipeline) -> tuple[str, int]:
    """Returns the setting of how long a member without heartbeats counts as alive, and its ms."""
    if not assigned_by_brokers(pipeline):
        return "session.timeout.ms", pipeline.number(Component.CONSUMER, "session.timeout.ms")
    group = "streams" if pipeline.family is Family.STREAMS else "consumer"
    name = f"group.{group}.session.timeout.ms"
    return name, pipeline.number(Component.BROKER, name)


@dataclass(frozen=True, slots=True)
class Group:
    """How the group keeps its position.

    `commits_in_background` is true if the client itself commits what the application may still be
    processing: librdkafka stores an offset when it delivers the record to the application, and a
    thread of its own commits it (INTRODUCTION, "At-least-once processing"). The Java client
    commits inside poll() what the previous poll returned (KafkaConsumer javadoc, "Automatic Offset
    Committing"); by then synchronous processing has finished with it. `commits_position` is true
    if the client commits, in either way, how far it has delivered. `commit_setting` is the setting
    that decides when it commits, with its value. Kafka Streams commits what it has processed.
    """

    pipeline: Pipeline

    @classmethod
    def of(cls, pipeline: Pipeline) -> Group | None:
        """Returns the pipeline's group, or None for Spark, whose checkpoint keeps the position."""
        return None if pipeline.family is Family.SPARK else cls(pipeline)

    @property
    def commit(self) -> Commit:
        if self._streams:
            exactly_once = self._streams.exactly_once
            return Commit.IN_TRANSACTION if exactly_once else Commit.AFTER
        return Commit(self.pipeline.text(Component.APPLICATION, "commit"))

    @property
    def automatic(self) -> bool:
        """Whether the client commits by itself."""
        return not self._streams and self.pipeline.flag(Component.CONSUMER, "enable.auto.commit")

    @property
    def commits_in_background(self) -> bool:
        return self.pipeline.family is Family.LIBRDKAFKA and self.commits_position

    @property
    def commits_position(self) -> bool:
        if not self.automatic or self.pipeline.family is not Family.LIBRDKAFKA:
            return self.automatic
        return self.pipeline.flag(Component.CONSUMER, "enable.auto.offset.store")

    @property
    def asynchronous(self) -> bool:
        """Whether other threads process messages while the code continues to poll."""
        return self._processing == "asynchronous"

    @property
    def unordered(self) -> str:
        """Why messages of a key may be processed out of order; empty if they are not."""
        order = "" if self._streams else self.pipeline.text(Component.APPLICATION, THREADS_ORDER)
        if order != "any" or self._processing == "synchronous":
            return ""
        return (
            f"application.processing={self._processing} with application.{THREADS_ORDER}=any: "
            "threads process messages of one key at the same time, and a later one may finish "
            "first."
        )

    @property
    def _processing(self) -> str:
        return "" if self._streams else self.pipeline.text(Component.APPLICATION, "processing")

    @property
    def framework(self) -> str:
        """The framework that polls for the code, with its setting."""
        return f"application.framework={self.pipeline.text(Component.APPLICATION, 'framework')}"

    @property
    def commits_when_returned(self) -> bool:
        """Whether a container commits as soon as the code returns, as Spring's do
        (ContainerProperties.AckMode, BATCH and RECORD). A container with commits in order waits for
        the threads (asyncAcks, and listeners that return a future)."""
        if self.pipeline.family is not Family.JAVA or self.commit is not Commit.AFTER:
            return False
        if self.pipeline.stated(Component.APPLICATION).get("commit.order") == "in-order":
            return False
        return "spring" in self.pipeline.text(Component.APPLICATION, "framework")

    @property
    def on_error(self) -> str:
        """How a message that cannot be processed is handled: `retry`, `close` or `skip`."""
        if self._streams and self._streams.skipping_handlers:
            return "skip"
        return self.pipeline.text(Component.APPLICATION, "processing.errors")

    @property
    def error_policy(self) -> str:
        """The setting that decides `on_error`, with its value; the framework if none is stated."""
        stated = "processing.errors" in self.pipeline.stated(Component.APPLICATION)
        if self.pipeline.family is not Family.JAVA or stated:
            return f"application.processing.errors={self.on_error}"
        framework = self.pipeline.text(Component.APPLICATION, "framework")
        if framework == "none":
            return f"application.processing.errors={self.on_error}"
        return f"application.framework={framework} ({POLICIES[framework]})"

    @property
    def dead_letter_mode(self) -> str:
        """How a skipped message is sent to a dead letter topic: `none` if it is not, `acknowledged`
        or `unacknowledged`."""
        if self._streams:
            return "acknowledged" if self._streams.dead_letters else "none"
        if self.on_error != "skip":
            return "none"
        return self.pipeline.text(Component.APPLICATION, "dead.letter")

    @property
    def interval_ms(self) -> int:
        if self._streams:
            return self._streams.commit_ms
        return self.pipeline.number(Component.CONSUMER, "auto.commit.interval.ms")

    @property
    def commit_pace(self) -> str:
        """When the client commits by itself, as the end of a phrase. In librdkafka 0 starts no
        timer (rdkafka_cgrp.c, rd_kafka_cgrp_new), and it commits when partitions are revoked."""
        if self.on_a_timer:
            return f"every {self.interval_ms} ms"
        return "with auto.commit.interval.ms=0 only when its partitions are revoked or it closes"

    @property
    def on_a_timer(self) -> bool:
        """Whether the client commits periodically."""
        return self.pipeline.family is not Family.LIBRDKAFKA or self.interval_ms > 0

    @property
    def commit_setting(self) -> str:
        if self._streams:
            return self._streams.guarantee_setting
        return f"application.commit={self.commit}"

    @property
    def _streams(self) -> Streams | None:
        return Streams(self.pipeline) if self.pipeline.family is Family.STREAMS else None

    def skip_reason(self) -> str | None:
        """Returns why a crash before processing skips records, or None if it cannot."""
        if self.commits_outside_transaction:
            return (
                "application.commit=in-transaction with enable.auto.commit=true: the client also "
                "commits outside the transaction, and an abort does not take that back."
            )
        if self.commits_in_background:
            return (
                "enable.auto.commit=true with enable.auto.offset.store=true: librdkafka commits "
                f"what it has delivered, {self.commit_pace}, whether it was processed or not."
            )
        if self.commit is Commit.BEFORE:
            return (
                "application.commit=before-processing: the committed position is past records "
                "that were not processed."
            )
        return None

    @property
    def commits_outside_transaction(self) -> bool:
        """Whether positions are committed both in transactions and by the client (design.md, "Using
        Transactions": auto-commit off).

        librdkafka only commits stored offsets: none if the code stores none and sends its positions
        to the transaction (rdkafka_assignment.c).
        """
        return self.commit is Commit.IN_TRANSACTION and self.commits_position

    def repeat_reason(self) -> str | None:
        """Returns why a crash after processing repeats records, or None if it cannot."""
        if self.commit is Commit.AUTO:
            return (
                "application.commit=auto: what was processed since the last commit (the client "
                f"commits {self.commit_pace}) is delivered again."
            )
        if self.commit is not Commit.AFTER:
            return None
        at_most = ""
        if self.pipeline.family is Family.JAVA:
            polled = self.pipeline.number(Component.CONSUMER, "max.poll.records")
            at_most = f" (max.poll.records={polled} at most, if the code commits after each poll)"
        return (
            f"{self.commit_setting}: what was processed and not yet committed{at_most} is "
            "delivered again."
        )
