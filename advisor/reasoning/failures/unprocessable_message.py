"""A message cannot be processed, now or later."""

from __future__ import annotations

from advisor.catalog import Component, Family
from advisor.reasoning.behaviour.group import Group, skips_unprocessable
from advisor.reasoning.behaviour.streams import Streams, handler_setting
from advisor.reasoning.event import FailureEvent, Permits
from advisor.reasoning.failures import exception_then_close
from advisor.reasoning.guarantees import Anomaly, Boundary
from advisor.reasoning.pipeline import Pipeline

_CAUGHT = (
    "application.processing.errors=skip: the code catches the error and continues without "
    "the message, and only what the code itself logs shows it."
)


def permits(pipeline: Pipeline) -> Permits:
    """A blocked partition, or a missing effect: the code continues, or close() commits.

    Seen in a run: the message and 208 after it had no effect after such a close().
    """
    group = Group.of(pipeline)
    if group is None:
        return _in_spark(pipeline)
    if pipeline.family is Family.STREAMS:
        return _in_streams(pipeline)
    reordered = _retry_topics(pipeline)
    if group.on_error == "skip":
        return reordered | _skipped_message(group)
    if reordered:
        closes = group.on_error == "close"
        return reordered | dict(exception_then_close.permits(pipeline) if closes else {})
    return exception_then_close.permits(pipeline) or {
        Anomaly.BLOCKED: f"{group.error_policy}: the partition is blocked at this message until "
        "somebody acts."
    }


def _skipped_message(group: Group) -> Permits:
    """A missing effect, or a reordered key if the message goes to a dead-letter topic."""
    if group.dead_letter_mode == "none":
        return {
            Anomaly.EFFECT_MISSING: (
                f"{group.error_policy}: the message is skipped, and only a log line shows it."
            )
        }
    return {
        Anomaly.KEY_REORDERED: (
            f"application.dead.letter={group.dead_letter_mode}: the message waits in a topic of "
            "its own while later ones of its key are processed."
        )
    }


def _retry_topics(pipeline: Pipeline) -> Permits:
    """A reordered key: later messages are processed before this one is delivered again."""
    if not pipeline.flag(Component.APPLICATION, "retry.topics"):
        return {}
    return {
        Anomaly.KEY_REORDERED: (
            "application.retry.topics=true: the message is delivered again from another topic, "
            "after later ones of its key were processed."
        )
    }


def _in_spark(pipeline: Pipeline) -> Permits:
    """A function that throws fails its task, and after four attempts the query."""
    if skips_unprocessable(pipeline):
        return {Anomaly.EFFECT_MISSING: _CAUGHT}
    return {
        Anomaly.BLOCKED: "application.processing.errors=retry: the query stops at the message, and "
        "again after each restart, until somebody acts."
    }


def _in_streams(pipeline: Pipeline) -> Permits:
    streams = Streams(pipeline)
    handlers, dead_letters = streams.skipping_handlers, streams.dead_letters
    untimed = _negative_timestamps(streams)
    if skips_unprocessable(pipeline):
        return {Anomaly.EFFECT_MISSING: " ".join([_CAUGHT, *untimed.values()])}
    if dead_letters:
        return untimed | {
            Anomaly.KEY_REORDERED: (
                f"{dead_letters}: the message waits in a topic of its own while later ones of its "
                "key are processed. A message of a GlobalKTable is not written there."
            )
        }
    if handlers:
        return {
            Anomaly.EFFECT_MISSING: (
                f"{' and '.join(handlers)}: the application may continue without the message; a "
                "metric and a log line show it."
            )
        }
    if untimed:
        return untimed
    name = handler_setting(pipeline, "deserialization")
    return {
        Anomaly.BLOCKED: (
            f"{name}=LogAndFailExceptionHandler: the application stops at the message, and again "
            "after each restart, until somebody acts."
        )
    }


def _negative_timestamps(streams: Streams) -> dict[Anomaly, str]:
    """A missing effect of a message with a negative timestamp, as it has if its writer set none."""
    if not streams.record_dropping_extractor:
        return {}
    return {
        Anomaly.EFFECT_MISSING: (
            f"{streams.record_dropping_extractor}: a message with a negative timestamp is dropped; "
            "a metric and a log line show it."
        )
    }


EVENT = FailureEvent(
    name="unprocessable-message",
    title="A message cannot be processed",
    boundary=Boundary.LOG_TO_CONSUMER,
    story="A message cannot be read, or makes the code fail, no matter how often it is retried.",
    permits=permits,
    scenario="unprocessable-message",
    sources=(
        "KafkaConsumer javadoc, poll() (RecordDeserializationException)",
        "KIP-1036",
        "Spring for Apache Kafka reference, Handling Exceptions (DefaultErrorHandler)",
        "Spring for Apache Kafka reference, Non-Blocking Retries (the order is lost)",
        "SmallRye Reactive Messaging, Receiving Kafka Records, Failure Management",
        "KIP-161 and KIP-1033 (exception handlers of Kafka Streams)",
        "Kafka Streams RecordQueue.updateHead, LogAndSkipOnInvalidTimestamp (KIP-93)",
        "KIP-1034 and KIP-1295 (dead letters of Kafka Streams, and of its global tables none)",
    ),
    beyond_settings=(
        "Send such messages to a topic of their own, with the reason, and continue. Kafka Streams "
        "can do this since 4.2 (errors.dead.letter.queue.topic.name)."
    ),
)
