"""Which errors may be called `fail`: only those after which the message cannot be in the log."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError, KafkaException

from labs.engine.clients.errors import fatal_report, outcome


@pytest.mark.parametrize(
    "code",
    [
        KafkaError._MSG_TIMED_OUT,  # seen: 4,788 of 9,902 were in the log
        KafkaError._TRANSPORT,
        KafkaError._PURGE_INFLIGHT,
        KafkaError.REQUEST_TIMED_OUT,
        KafkaError.NOT_ENOUGH_REPLICAS,  # the attempt before may have been appended
        KafkaError.NOT_ENOUGH_REPLICAS_AFTER_APPEND,
        KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER,
        KafkaError._FATAL,
    ],
)
def test_what_may_have_been_written_is_unknown(code: int) -> None:
    assert outcome(code) == "info"


def test_what_is_too_large_in_its_last_batch_may_be_in_the_log_by_an_earlier_one() -> None:
    """Seen: reassignment-during-failure with max.message.bytes=20000, 13 such were in the log."""
    assert outcome(KafkaError.MSG_SIZE_TOO_LARGE) == "info"


@pytest.mark.parametrize("code", [KafkaError.INVALID_REQUIRED_ACKS, KafkaError._QUEUE_FULL])
def test_what_no_broker_can_have_taken_failed(code: int) -> None:
    assert outcome(code) == "fail"


def test_what_became_too_old_for_the_topic_may_be_in_the_log_by_an_earlier_attempt() -> None:
    """Seen: leader-killed with message.timestamp.before.max.ms=1000, 20 such were in the log."""
    assert outcome(KafkaError.INVALID_RECORD) == "info"


def test_an_error_that_nobody_thought_of_is_unknown() -> None:
    assert outcome(-9999) == "info"


def test_a_fatal_error_is_raised_as_itself_whatever_was_told_in_the_same_breath() -> None:
    fatal = KafkaException(KafkaError(KafkaError._FENCED))
    with pytest.raises(KafkaException) as raised, fatal_report():
        raise SystemError("returned a result with an exception set") from fatal
    assert raised.value is fatal
    with pytest.raises(SystemError), fatal_report():
        raise SystemError("something else")
