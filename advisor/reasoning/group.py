"""What a consumer group does when a member dies or has no position: skips, repeats, waits."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from advisor.catalog import Component, Family
from advisor.reasoning.event import Permits
from advisor.reasoning.guarantees import Anomaly
from advisor.reasoning.pipeline import Pipeline


class Commit(StrEnum):
    """When the group's position is saved, seen from the application's processing."""

    AUTO = "auto"
    BEFORE = "before-processing"
    AFTER = "after-processing"
    IN_TRANSACTION = "in-transaction"


def sink_absorbs(pipeline: Pipeline) -> bool:
    """Whether writing one message twice leaves one effect (an upsert by its own key)."""
    return pipeline.text(Component.APPLICATION, "sink") == "idempotent"


def missing(reason: str) -> Permits:
    """A record that the group passes over: skipped, and without an effect."""
    return {Anomaly.SKIPPED: reason, Anomaly.EFFECT_MISSING: reason}


def repeated(pipeline: Pipeline, reason: str) -> Permits:
    """A record that is processed again; an idempotent sink leaves one effect."""
    if sink_absorbs(pipeline):
        return {Anomaly.REDELIVERY: f"{reason} application.sink=idempotent leaves one effect."}
    return {
        Anomaly.REDELIVERY: reason,
        Anomaly.EFFECT_DUPLICATED: f"{reason} application.sink=plain applies it again.",
    }


@dataclass(frozen=True, slots=True)
class Group:
    """How the group keeps its position.

    `background` tells whether the client itself commits what the application may still be
    working on: librdkafka stores an offset when it hands the record out and a thread of its
    own commits it (INTRODUCTION, "At-least-once processing"); the Java client commits inside
    poll() what the poll before handed out (KafkaConsumer javadoc, "Automatic Offset
    Committing"), which synchronous processing has finished by then. `commits_position` tells
    whether the client commits how far it handed out at all, in either way.
    """

    commit: Commit
    automatic: bool
    background: bool
    interval_ms: int
    commits_position: bool
    asynchronous: bool
    on_error: str

    @classmethod
    def of(cls, pipeline: Pipeline) -> Group | None:
        """The group of a pipeline; Spark has none, its checkpoint keeps the position."""
        return pipeline.derived(cls._of)

    @classmethod
    def _of(cls, pipeline: Pipeline) -> Group | None:
        if pipeline.family is Family.SPARK:
            return None
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
            return (
                "application.commit=after-processing: what was processed and not yet committed "
                "is handed out again."
            )
        return None
