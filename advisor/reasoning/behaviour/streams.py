"""How a Kafka Streams application treats its input, its state and its results."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.pipeline import Pipeline, derived_property

_STREAMS = Component.STREAMS
INTERNAL_MINIMUM = "topic.min.insync.replicas"
"""The minimum of the changelog and repartition topics (StreamsConfig, TOPIC_PREFIX)."""

_DEAD_LETTERS = "errors.dead.letter.queue.topic.name"
_ERRORS = "org.apache.kafka.streams.errors."
_CONTINUES = frozenset({
    f"{_ERRORS}LogAndContinueExceptionHandler",
    f"{_ERRORS}LogAndContinueProcessingExceptionHandler",
})  # fmt: skip
"""Kafka's handlers that continue, and write dead letters."""
_FAILS = frozenset({
    f"{_ERRORS}LogAndFailExceptionHandler", f"{_ERRORS}LogAndFailProcessingExceptionHandler",
    f"{_ERRORS}DefaultProductionExceptionHandler",
})  # fmt: skip
"""Kafka's handlers that stop the application. A class of that name in another package is not
one."""
EXTRACTOR = "default.timestamp.extractor"
PROCESSOR = "org.apache.kafka.streams.processor."
_DROPS = f"{PROCESSOR}LogAndSkipOnInvalidTimestamp"
"""Passes a negative timestamp through; a record with one is dropped (RecordQueue.updateHead)."""


@dataclass(frozen=True, slots=True)
class Streams:
    """The application under its settings. The pipeline's family must be `streams`.

    The internal topics are the changelog and repartition topics: `internal_factor` is their
    replication.factor (-1 stands for the brokers' default, KIP-733), `internal_copies` the number
    of copies that an acknowledged record in them is sure to have. `skipping_handlers` lists each
    handler that may skip a message, with its value, in the order in which they are called.
    """

    pipeline: Pipeline

    @property
    def guarantee(self) -> str:
        return self.pipeline.text(Component.STREAMS, "processing.guarantee")

    @property
    def exactly_once(self) -> bool:
        return self.guarantee.startswith("exactly_once")

    @property
    def commit_ms(self) -> int:
        """The interval between two commits."""
        return self.pipeline.number(Component.STREAMS, "commit.interval.ms")

    @property
    def state(self) -> str:
        """`none`, `logged` or `unlogged`."""
        return self.pipeline.text(Component.APPLICATION, "state")

    @property
    def internal_factor(self) -> int:
        stated = self.pipeline.number(Component.STREAMS, "replication.factor")
        if stated > 0:
            return stated
        return self.pipeline.number(Component.BROKER, "default.replication.factor")

    @property
    def internal_min_isr(self) -> int:
        stated = self.pipeline.number(Component.STREAMS, INTERNAL_MINIMUM)
        return min(stated, self.internal_factor)

    @property
    def internal_copies(self) -> int:
        alone = {"0": 0, "1": 1}.get(self.pipeline.text(Component.PRODUCER, "acks"))
        return self.internal_min_isr if alone is None else alone

    @property
    def logs_with_acks_all(self) -> bool:
        """Whether a change of the state waits for all in-sync replicas, and so for the minimum."""
        acks = self.pipeline.text(Component.PRODUCER, "acks")
        return self.state == "logged" and acks not in ("0", "1")

    @property
    def assigned_by_brokers(self) -> bool:
        """Whether the brokers assign the tasks (KIP-1071)."""
        name = "group.protocol"
        knows = self.pipeline.knows(_STREAMS, name)
        return knows and self.pipeline.text(_STREAMS, name).lower() == "streams"

    @property
    def standby_setting(self) -> str:
        """The setting that decides `standbys`, with its value."""
        name = (
            "group.streams.num.standby.replicas"
            if self.assigned_by_brokers
            else "num.standby.replicas"
        )
        return f"{name}={self.standbys}"

    @property
    def standbys(self) -> int:
        """The number of instances that keep a copy of a state, besides the active one. With
        group.protocol=streams the brokers decide it, and the default is 0
        (group.streams.num.standby.replicas; KIP-1071)."""
        if self.assigned_by_brokers:
            return 0
        return self.pipeline.number(Component.STREAMS, "num.standby.replicas")

    @derived_property
    def skipping_handlers(self) -> tuple[str, ...]:
        return tuple(_skipping(self.pipeline, ("deserialization", "processing")))

    @property
    def record_dropping_extractor(self) -> str:
        """The extractor that drops a record with a negative timestamp, with its value; an empty
        string if there is none. Such a record does not become a dead letter."""
        value = self.pipeline.text(_STREAMS, EXTRACTOR)
        return f"{EXTRACTOR}={value}" if value == _DROPS else ""

    @property
    def dead_letters(self) -> str:
        """The setting that writes each skipped message to a dead letter topic, with its value; an
        empty string if there is none.

        Kafka's own handlers write it with the output, before the input's offset is committed
        (RecordCollectorImpl; KIP-1034). The team's own handlers may do anything.
        """
        names = {handler.partition("=")[2] for handler in self.skipping_handlers}
        if not names or not names <= _CONTINUES or not self.pipeline.knows(_STREAMS, _DEAD_LETTERS):
            return ""
        topic = self.pipeline.text(_STREAMS, _DEAD_LETTERS)
        return f"{_DEAD_LETTERS}={topic}" if topic else ""

    @derived_property
    def result_dropping_handler(self) -> str:
        """The handler that may continue without a result, with its value; else an empty string."""
        return "".join(_skipping(self.pipeline, ("production",)))

    @property
    def guarantee_setting(self) -> str:
        """The setting `processing.guarantee` with its value."""
        return f"processing.guarantee={self.guarantee}"

    @property
    def counts_twice(self) -> bool:
        """Whether a message that is processed again changes the state again."""
        return self.state != "none" and not self.exactly_once


def handler_setting(pipeline: Pipeline, kind: str) -> str | None:
    """Returns the name of an exception handler's setting in this version, or None.

    `kind` is `deserialization`, `processing` or `production`.
    """
    # KIP-1056 removed the prefix "default.".
    names = (f"{kind}.exception.handler", f"default.{kind}.exception.handler")
    return next((name for name in names if pipeline.knows(Component.STREAMS, name)), None)


def _skipping(pipeline: Pipeline, kinds: tuple[str, ...]) -> list[str]:
    names = [name for kind in kinds if (name := handler_setting(pipeline, kind))]
    handlers = {name: pipeline.text(Component.STREAMS, name) for name in names}
    return [f"{name}={value}" for name, value in handlers.items() if value not in _FAILS]


def is_transactional(pipeline: Pipeline) -> bool:
    """Whether the pipeline's own producer, or the one inside Kafka Streams, is transactional."""
    if pipeline.family is Family.STREAMS:
        return Streams(pipeline).exactly_once
    return bool(pipeline.text(Component.PRODUCER, "transactional.id"))
