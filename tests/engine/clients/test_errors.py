"""Errors count as `fail` only if the message cannot be in the log, and as `info` otherwise."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from labs.engine.clients.errors import fatal_report, outcome


@pytest.mark.parametrize(
    "code",
    [
        KafkaError._MSG_TIMED_OUT,  # observed: 4,788 of 9,902 such messages were in the log
        KafkaError._TRANSPORT,
        KafkaError._PURGE_INFLIGHT,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NOT_ENOUGH_REPLICAS,  # an earlier attempt may have been appended
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER,
        KafkaError._FATAL,
    ],
)
def test_errors_after_which_the_message_may_be_in_the_log_are_unknown(code: int) -> None:
    assert outcome(code) == "info"


def test_a_too_large_message_may_be_in_the_log_from_an_earlier_attempt() -> None:
    """Observed in reassignment-during-failure with max.message.bytes=20000: 13 were in the log."""
    assert outcome(KafkaError.MSG_SIZE_TOO_LARGE) == "info"


@pytest.mark.parametrize("code", [KafkaError.INVALID_REQUIRED_ACKS, KafkaError._QUEUE_FULL])
def test_errors_before_a_broker_could_accept_the_message_are_failures(code: int) -> None:
    assert outcome(code) == "fail"


def test_a_message_with_a_rejected_timestamp_may_be_in_the_log_from_an_earlier_attempt() -> None:
    """Observed in leader-killed with message.timestamp.before.max.ms=1000: 20 were in the log."""
    assert outcome(KafkaError.INVALID_RECORD) == "info"


def test_an_unlisted_error_code_is_unknown() -> None:
    assert outcome(-9999) == "info"


def test_a_fatal_error_is_raised_instead_of_the_system_error_that_wraps_it() -> None:
    fatal = KafkaException(KafkaError(KafkaError._FENCED))
    with pytest.raises(KafkaException) as raised, fatal_report():
        raise SystemError("returned a result with an exception set") from fatal
    assert raised.value is fatal
    with pytest.raises(SystemError), fatal_report():
        raise SystemError("something else")
