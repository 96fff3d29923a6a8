"""The step for Kafka Streams, in place of those for the clients."""

from __future__ import annotations

from collections.abc import Mapping

from advisor.catalog import Family
from advisor.questions.question import Question, Step

_ERRORS = "org.apache.kafka.streams.errors."
_HANDLERS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "deserialization": (
        (f"{_ERRORS}LogAndFailExceptionHandler", "LogAndFail: the application stops"),
        (f"{_ERRORS}LogAndContinueExceptionHandler", "LogAndContinue: it skips the message"),
    ),
    "processing": (
        (f"{_ERRORS}LogAndFailProcessingExceptionHandler", "LogAndFail: the application stops"),
        (
            f"{_ERRORS}LogAndContinueProcessingExceptionHandler",
            "LogAndContinue: it skips the message",
        ),
    ),
    "production": (
        (f"{_ERRORS}DefaultProductionExceptionHandler", "Default: the application stops"),
    ),
}
"""Exception handlers and their classes, in words."""

_TIMES = "org.apache.kafka.streams.processor."
_EXTRACTORS = (
    (f"{_TIMES}FailOnInvalidTimestamp", "FailOnInvalidTimestamp: the application stops"),
    (f"{_TIMES}LogAndSkipOnInvalidTimestamp", "LogAndSkipOnInvalidTimestamp: it drops the message"),
    (
        f"{_TIMES}UsePartitionTimeOnInvalidTimestamp",
        "UsePartitionTimeOnInvalidTimestamp: the time of the message before it",
    ),
    (f"{_TIMES}WallclockTimestampExtractor", "WallclockTimestampExtractor: the time of processing"),
)
"""Timestamp extractors: the source of a timestamp, and what happens if it is negative."""

STREAMS = Step(
    "streams",
    "Streams application",
    "How input, state and output are committed, and how many copies there are of the state.",
    (
        Question("streams.processing.guarantee"),
        Question("streams.application.id"),
        Question(
            "application.state",
            "Does the topology keep state?",
            words=(
                ("logged", "Yes, with changelog topics"),
                ("unlogged", "Yes, without (withLoggingDisabled)"),
                ("none", "No, and it does not repartition"),
            ),
        ),
        Question("streams.replication.factor"),
        Question("streams.topic.min.insync.replicas"),
        Question("streams.num.standby.replicas"),
        Question("streams.commit.interval.ms"),
        Question("streams.state.dir"),
        *(
            Question(f"streams.{default}{name}.exception.handler", words=words)
            for name, words in _HANDLERS.items()
            for default in ("", "default.")
        ),
        Question(
            "application.processing.errors",
            "What do your own processors do with a message that they cannot process?",
            words=(
                ("retry", "They throw, and the handler above decides"),
                ("skip", "They catch the error and continue without it"),
            ),
        ),
        Question("streams.default.timestamp.extractor", words=_EXTRACTORS),
        Question("producer.acks"),
        Question("producer.transaction.timeout.ms"),
        Question("consumer.auto.offset.reset"),
        Question("consumer.isolation.level"),
        Question(
            "application.upstream",
            "How do others write to the input topics?",
            words=(("plain", "Without transactions"), ("transactional", "In transactions")),
        ),
        Question(
            "application.readers",
            "How do others read the output topics?",
            words=(
                ("read_committed", "isolation.level=read_committed"),
                ("read_uncommitted", "read_uncommitted, or not sure"),
            ),
        ),
        Question("application.outage.ms", "How long may the application be away?"),
    ),
    frozenset({Family.STREAMS}),
)
