"""What a consumer group does when a member dies or has no position: skips, repeats, waits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from advisor.catalog import Component, Family
from advisor.reasoning.event import Permits
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.streams import Streams

STREAMS_SESSION_MS = 45_000
"""group.streams.session.timeout.ms, the brokers' default (GroupCoordinatorConfig, KIP-1071)."""


class Commit(StrEnum):
    """When the group's position is saved, seen from the application's processing."""

    AUTO = "auto"
    BEFORE = "before-processing"
    AFTER = "after-processing"
    IN_TRANSACTION = "in-transaction"


def sink_absorbs(pipeline: Pipeline) -> bool:
    """Whether writing one message twice leaves one effect (an upsert by its own key).

    The state of a Streams application is part of what it writes, and counts a message twice.
    """
    if pipeline.text(Component.APPLICATION, "sink") != "idempotent":
        return False
    return pipeline.family is not Family.STREAMS or not Streams.of(pipeline).counts_twice


def missing(reason: str) -> Permits:
    """A record that the group passes over: skipped, and without an effect."""
    return {Anomaly.SKIPPED: reason, Anomaly.EFFECT_MISSING: reason}


def repeated(pipeline: Pipeline, reason: str, *, committed: bool = False) -> Permits:
    """A record that is processed again; an idempotent sink leaves one effect.

    If it was `committed` the first time, a state keeps it, under exactly-once too.
    """
    state = pipeline.family is Family.STREAMS and Streams.of(pipeline).state != "none"
    if sink_absorbs(pipeline) and not (committed and state):
        return {Anomaly.REDELIVERY: f"{reason} application.sink=idempotent leaves one effect."}
    return {Anomaly.REDELIVERY: reason, Anomaly.EFFECT_DUPLICATED: f"{reason} {again(pipeline)}"}


def again(pipeline: Pipeline, what: str = "it") -> str:
    """The words for a sink that takes a message twice."""
    sink = pipeline.text(Component.APPLICATION, "sink")
    if pipeline.family is not Family.STREAMS:
        return f"application.sink={sink} applies {what} again."
    state = pipeline.text(Component.APPLICATION, "state")
    if sink == "idempotent":
        return f"application.state={state}: the state counts {what} again, whatever the sink does."
    return f"application.sink={sink}, application.state={state}: the results are written again."


def assigned_by_brokers(pipeline: Pipeline) -> bool:
    """Whether the brokers assign the partitions (KIP-848) or tasks (KIP-1071), not the members."""
    return pipeline.derived(_assigned_by_brokers)


def _assigned_by_brokers(pipeline: Pipeline) -> bool:
    streams = pipeline.family is Family.STREAMS
    component = Component.STREAMS if streams else Component.CONSUMER
    if not pipeline.knows(component, "group.protocol"):
        return False
    return pipeline.text(component, "group.protocol") != "classic"


def session_timeout(pipeline: Pipeline) -> tuple[str, int]:
    """The setting that says for how long a silent member counts as alive, and its value in ms."""
    if not assigned_by_brokers(pipeline):
        return "session.timeout.ms", pipeline.number(Component.CONSUMER, "session.timeout.ms")
    if pipeline.family is Family.STREAMS:
        return "group.streams.session.timeout.ms", STREAMS_SESSION_MS
    name = "group.consumer.session.timeout.ms"
    return name, pipeline.number(Component.BROKER, name)


@dataclass(frozen=True, slots=True)
class Group:
    """How the group keeps its position.

    `background` tells whether the client itself commits what the application may still be
    working on: librdkafka stores an offset when it hands the record out and a thread of its
    own commits it (INTRODUCTION, "At-least-once processing"); the Java client commits inside
    poll() what the poll before handed out (KafkaConsumer javadoc, "Automatic Offset
    Committing"), which synchronous processing has finished by then. `commits_position` tells
    whether the client commits how far it handed out at all, in either way. `named` is the setting
    that says when it commits, with its value. Kafka Streams commits what it has processed.
    """

    commit: Commit
    automatic: bool
    background: bool
    interval_ms: int
    commits_position: bool
    asynchronous: bool
    on_error: str
    named: str

    @classmethod
    def of(cls, pipeline: Pipeline) -> Group | None:
        """The group of a pipeline; Spark has none, its checkpoint keeps the position."""
        return pipeline.derived(cls._of)

    @classmethod
    def _of(cls, pipeline: Pipeline) -> Group | None:
        if pipeline.family is Family.SPARK:
            return None
        if pipeline.family is Family.STREAMS:
            return cls._of_streams(pipeline)
        automatic = pipeline.flag(Component.CONSUMER, "enable.auto.commit")
        librdkafka = pipeline.family is Family.LIBRDKAFKA
        stores = not librdkafka or pipeline.flag(Component.CONSUMER, "enable.auto.offset.store")
        application = Component.APPLICATION
        return cls(
            commit=Commit(pipeline.text(application, "commit")),
            automatic=automatic,
            background=automatic and librdkafka and stores,
            commits_position=automatic and stores,
            asynchronous=pipeline.text(application, "processing") == "asynchronous",
            on_error=pipeline.text(application, "processing.errors"),
            interval_ms=pipeline.number(Component.CONSUMER, "auto.commit.interval.ms"),
            named=f"application.commit={pipeline.text(application, 'commit')}",
        )

    @classmethod
    def _of_streams(cls, pipeline: Pipeline) -> Group:
        streams = Streams.of(pipeline)
        return cls(
            commit=Commit.IN_TRANSACTION if streams.exactly_once else Commit.AFTER,
            automatic=False,
            background=False,
            commits_position=False,
            asynchronous=False,
            on_error="skip" if streams.passes_over else "retry",
            interval_ms=streams.commit_ms,
            named=streams.named,
        )

    def skips(self) -> str | None:
        """Why a death before processing leaves records behind, or None if it cannot."""
        if self.background:
            return (
                "enable.auto.commit=true with enable.auto.offset.store=true: librdkafka commits "
                f"what it handed out, every {self.interval_ms} ms, whether or not it was processed."
            )
        if self.commit is Commit.BEFORE:
            return (
                "application.commit=before-processing: the position is past records that nobody "
                "processed."
            )
        if self.outside_transaction:
            return (
                "application.commit=in-transaction with enable.auto.commit=true: the client also "
                "commits outside the transaction, and an abort does not take that back."
            )
        return None

    @property
    def outside_transaction(self) -> bool:
        """Positions saved on both ways (design.md, "Using Transactions": auto-commit off)."""
        return self.commit is Commit.IN_TRANSACTION and self.automatic

    def repeats(self) -> str | None:
        """Why a death after processing has records processed again, or None if it cannot."""
        if self.commit is Commit.AUTO:
            return (
                f"application.commit=auto: what was processed since the last commit "
                f"(auto.commit.interval.ms={self.interval_ms}) is handed out again."
            )
        if self.commit is Commit.AFTER:
            return f"{self.named}: what was processed and not yet committed is handed out again."
        return None
