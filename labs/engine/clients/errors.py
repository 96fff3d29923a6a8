"""Which client errors prove that a message is not in the log, and which prove nothing.

Only an error after which *no* attempt of the client can have reached a broker's log is `fail`.
librdkafka reports the last of its attempts. A refusal (NOT_ENOUGH_REPLICAS) may follow an attempt
whose answer was lost, and a record that is too large or too old at the last attempt may have been
in a smaller batch, or young enough, at the first (KIP-467, KIP-937): such errors are `info`, as are
those that say nothing of the log: a time limit, a lost connection, a client that was closed.
Sources: librdkafka INTRODUCTION.md "Message reliability" and rdkafka.h (error texts); Kafka's
Errors.java; seen on Kafka 4.3.1: 4,788 of 9,902 sends that ended in _MSG_TIMED_OUT were in the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from confluent_kafka import KafkaError, KafkaException

Outcome = Literal["ok", "fail", "info"]

CUT_OFF = "cut off by the end of the run: nobody gave it up"
UNREPORTED = "the run ended before the client reported: the message may be in the log"
"""Errors in the ledger of sends that no client reported. Their outcome is `info`."""

_NEVER_WRITTEN = frozenset(
    {
        KafkaError._QUEUE_FULL,  # produce() itself refused: the message was not taken
        KafkaError.INVALID_REQUIRED_ACKS,  # a broker refuses it at every attempt
    }
)


def outcome(code: int) -> Outcome:
    """The outcome that an error of librdkafka means for a message: `fail` or `info`."""
    return "fail" if code in _NEVER_WRITTEN else "info"


def error_text(error: KafkaError) -> str:
    """The name and the text of an error."""
    return f"{error.name()}: {error.str()}"


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
