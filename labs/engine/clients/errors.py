"""Which client errors prove that a message is not in the log, and which prove nothing.

Only an error after which *no* attempt of the client can have reached a broker's log is `fail`.
librdkafka reports the last of its attempts, so an answer that is a refusal by itself
(NOT_ENOUGH_REPLICAS) may follow an attempt that was written (a lost answer, or
NOT_ENOUGH_REPLICAS_AFTER_APPEND): such errors are `info`, as is every error not listed here.
Sources: librdkafka INTRODUCTION.md "Message reliability" and rdkafka.h (error texts); Kafka's
Errors.java; seen on Kafka 4.3.1: 4,788 of 9,902 sends that ended in _MSG_TIMED_OUT were in the log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from confluent_kafka import KafkaError, KafkaException

Outcome = Literal["ok", "fail", "info"]


@dataclass(frozen=True, slots=True)
class Ruling:
    """The outcome that an error means for the message, and the reason."""

    outcome: Outcome
    reason: str


def _fail(reason: str) -> Ruling:
    return Ruling("fail", reason)


def _info(reason: str) -> Ruling:
    return Ruling("info", reason)


REFUSED = _fail("produce() itself refused: the message never entered the client's queue")
UNLISTED = _info("nothing is known of this error: the message may be in the log")
CUT_OFF = _info("cut off by the end of the run: nobody gave it up")
UNREPORTED = _info("the run ended before the client reported: the message may be in the log")
_EARLIER = "the broker refused the last attempt; an earlier one may have been written"
_LOST_ANSWER = "the request may have been written before its answer was lost"

RULINGS: Mapping[int, Ruling] = {
    # Refused at every attempt, before anything is written.
    KafkaError._QUEUE_FULL: _fail("the client's queue was full: the message was not taken"),
    KafkaError.INVALID_REQUIRED_ACKS: _fail("the broker refuses this acks at every attempt"),
    # The last attempt failed; of those before it nothing is known.
    KafkaError._MSG_TIMED_OUT: _info("delivery timeout: " + _LOST_ANSWER),
    KafkaError._TIMED_OUT: _info("time limit: " + _LOST_ANSWER),
    KafkaError._TIMED_OUT_QUEUE: _info("waited in the queue too long, perhaps for a retry"),
    KafkaError._TRANSPORT: _info("connection lost: " + _LOST_ANSWER),
    KafkaError._PURGE_INFLIGHT: _info("given up in flight: " + _LOST_ANSWER),
    KafkaError._PURGE_QUEUE: _info("given up in the queue, perhaps while waiting for a retry"),
    KafkaError._DESTROY: _info("the client was closed: " + _LOST_ANSWER),
    KafkaError._FATAL: _info("the producer stopped for good; what was in flight is unknown"),
    KafkaError.REQUEST_TIMED_OUT: _info("the broker wrote it and waited too long for followers"),
    KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND: _info("the leader wrote it, then refused"),
    KafkaError.NOT_ENOUGH_REPLICAS: _info(_EARLIER),
    KafkaError.NOT_LEADER_FOR_PARTITION: _info(_EARLIER),
    KafkaError.LEADER_NOT_AVAILABLE: _info(_EARLIER),
    KafkaError.UNKNOWN_TOPIC_OR_PART: _info(_EARLIER),
    # Each attempt is in a new batch, and an earlier one may have been smaller.
    KafkaError.MSG_SIZE_TOO_LARGE: _info(_EARLIER),
    KafkaError.RECORD_LIST_TOO_LARGE: _info(_EARLIER),
    KafkaError.INVALID_MSG_SIZE: _info(_EARLIER),
    KafkaError.KAFKA_STORAGE_ERROR: _info(_EARLIER),
    # What is refused for its age was young enough at its first attempt (KIP-467, KIP-937).
    KafkaError.INVALID_RECORD: _info(_EARLIER),
    KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER: _info(
        "the broker misses messages before this one: an earlier attempt may have been lost"
    ),
}


def words(error: KafkaError) -> str:
    """The name and the text of an error."""
    return f"{error.name()}: {error.str()}"


def reported(code: int) -> Ruling:
    """The ruling on an error in a delivery report; unlisted errors are `info`."""
    return RULINGS.get(code, UNLISTED)


@contextmanager
def fatal_report() -> Iterator[None]:
    """Raises a fatal error as the `KafkaException` that it is.

    confluent-kafka raises it out of a callback (confluent_kafka.c, error_cb). Where a delivery
    report comes at the same time, Python raises a `SystemError` with it as the cause.
    """
    try:
        yield
    except SystemError as both:
        if isinstance(both.__cause__, KafkaException):
            raise both.__cause__ from None
        raise
