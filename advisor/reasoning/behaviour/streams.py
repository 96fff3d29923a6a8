"""What a Kafka Streams application does with its input, its state and its results."""

from __future__ import annotations

from dataclasses import dataclass

from advisor.catalog import Component, Family
from advisor.reasoning.pipeline import Pipeline, derived_property

_STREAMS = Component.STREAMS
INTERNAL_MINIMUM = "topic.min.insync.replicas"
"""Of changelog and repartition topics (StreamsConfig, TOPIC_PREFIX)."""

_DEAD_LETTERS = "errors.dead.letter.queue.topic.name"
_ERRORS = "org.apache.kafka.streams.errors."
_CONTINUES = frozenset({
    f"{_ERRORS}LogAndContinueExceptionHandler",
    f"{_ERRORS}LogAndContinueProcessingExceptionHandler",
})  # fmt: skip
"""Kafka's handlers that go on, and write dead letters."""
_FAILS = frozenset({
    f"{_ERRORS}LogAndFailExceptionHandler", f"{_ERRORS}LogAndFailProcessingExceptionHandler",
    f"{_ERRORS}DefaultProductionExceptionHandler",
})  # fmt: skip
"""Kafka's handlers that stop the application. A class of the same name elsewhere is the team's."""
EXTRACTOR = "default.timestamp.extractor"
PROCESSOR = "org.apache.kafka.streams.processor."
_DROPS = f"{PROCESSOR}LogAndSkipOnInvalidTimestamp"
"""Hands a negative timestamp on, and a record with one is dropped (RecordQueue.updateHead)."""


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
        """How often it commits."""
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
        """Whether a change of the state waits for all brokers in sync, and so for the minimum."""
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
        """The setting that says how many such instances there are, with its value."""
        name = (
            "group.streams.num.standby.replicas"
            if self.assigned_by_brokers
            else "num.standby.replicas"
        )
        return f"{name}={self.standbys}"

    @property
    def standbys(self) -> int:
        """Instances that keep a copy of a state beside the one that works with it. With
        group.protocol=streams the brokers say how many, and by default none
        (group.streams.num.standby.replicas; KIP-1071)."""
        if self.assigned_by_brokers:
            return 0
        return self.pipeline.number(Component.STREAMS, "num.standby.replicas")

    @derived_property
    def skipping_handlers(self) -> tuple[str, ...]:
        return tuple(_passing(self.pipeline, ("deserialization", "processing")))

    @property
    def record_dropping_extractor(self) -> str:
        """The extractor that drops a record with a negative timestamp, with its value, or the
        empty word. Such a record is no dead letter."""
        value = self.pipeline.text(_STREAMS, EXTRACTOR)
        return f"{EXTRACTOR}={value}" if value == _DROPS else ""

    @property
    def dead_letters(self) -> str:
        """The setting that has each message written to a topic that is passed over, or the empty
        word.

        Kafka's own handlers do that, with the output and before the input's offset is committed
        (RecordCollectorImpl; KIP-1034); only its code says what a handler of the team's does.
        """
        names = {text.partition("=")[2] for text in self.skipping_handlers}
        if not names or not names <= _CONTINUES or not self.pipeline.knows(_STREAMS, _DEAD_LETTERS):
            return ""
        topic = self.pipeline.text(_STREAMS, _DEAD_LETTERS)
        return f"{_DEAD_LETTERS}={topic}" if topic else ""

    @derived_property
    def result_dropping_handler(self) -> str:
        """The handler that may go on without a result, with its value, or the empty word."""
        return "".join(_passing(self.pipeline, ("production",)))

    @property
    def guarantee_setting(self) -> str:
        """The setting that decides most, with its value."""
        return f"processing.guarantee={self.guarantee}"

    @property
    def counts_twice(self) -> bool:
        """Whether a message that is processed again changes the state again."""
        return self.state != "none" and not self.exactly_once


def handler_setting(pipeline: Pipeline, what: str) -> str | None:
    """The name of an exception handler's setting in this version; None where there is none."""
    # KIP-1056 took "default." off.
    names = (f"{what}.exception.handler", f"default.{what}.exception.handler")
    return next((name for name in names if pipeline.knows(Component.STREAMS, name)), None)


def _passing(pipeline: Pipeline, kinds: tuple[str, ...]) -> list[str]:
    names = [name for kind in kinds if (name := handler_setting(pipeline, kind))]
    answers = {name: pipeline.text(Component.STREAMS, name) for name in names}
    return [f"{name}={value}" for name, value in answers.items() if value not in _FAILS]


def is_transactional(pipeline: Pipeline) -> bool:
    """Whether the pipeline's own producer writes in transactions, be it that of Kafka Streams."""
    if pipeline.family is Family.STREAMS:
        return Streams(pipeline).exactly_once
    return bool(pipeline.text(Component.PRODUCER, "transactional.id"))
