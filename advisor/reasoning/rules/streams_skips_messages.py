"""A Streams application that skips messages it cannot process.

What it is
    An exception handler that continues (LogAndContinue) or a class of your own, which may continue;
    or LogAndSkipOnInvalidTimestamp, which drops messages with a negative timestamp.

Why it matters
    The message counts as processed and nothing stops. Only a metric and a log line show it, with
    exactly_once_v2 too.

Use instead
    The handlers that stop (LogAndFail, the defaults). Since Kafka 4.2 also
    errors.dead.letter.queue.topic.name, so that Kafka's own handlers write what they skip to a
    topic. For timestamps, UsePartitionTimeOnInvalidTimestamp keeps the message and continues.
"""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.streams import Streams
from advisor.reasoning.finding import Rule, Severity
from advisor.reasoning.pipeline import Pipeline


def check(pipeline: Pipeline) -> str | None:
    """Reports handlers and extractors that do not stop the application."""
    if pipeline.family is not Family.STREAMS:
        return None
    streams = Streams(pipeline)
    handlers = [] if streams.dead_letters else [*streams.skipping_handlers]
    handlers += filter(None, [streams.result_dropping_handler, streams.record_dropping_extractor])
    if not handlers:
        return None
    return f"{' and '.join(handlers)}: the application may continue without a message."


RULE = Rule(
    code="S002",
    name="messages-passed-over-by-a-handler",
    severity=Severity.HIGH,
    component=Component.STREAMS,
    setting="deserialization.exception.handler",
    check=check,
    sources=(
        "KIP-161 (deserialization)",
        "KIP-210 (production)",
        "KIP-1033 (processing)",
        "KIP-1034 (dead letters)",
        "KIP-93 (timestamp extractors)",
    ),
    valid=(
        {"family": "streams"},
        {"family": "spark"},
        {
            "family": "streams",
            "streams.deserialization.exception.handler": "org.apache.kafka.streams.errors."
            "LogAndContinueExceptionHandler",
            "streams.errors.dead.letter.queue.topic.name": "dead",
        },
    ),
    invalid=(
        {
            "family": "streams",
            "streams.default.timestamp.extractor": "org.apache.kafka.streams.processor."
            "LogAndSkipOnInvalidTimestamp",
        },
        {
            "family": "streams",
            "streams.deserialization.exception.handler": "org.apache.kafka.streams.errors."
            "LogAndContinueExceptionHandler",
        },
        {
            "family": "streams",
            "version": "3.9",
            "streams.default.production.exception.handler": "com.example.Ignore",
        },
    ),
)
