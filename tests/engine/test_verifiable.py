"""Lines of Kafka's own clients, recorded from 4.3.1, 4.0.2 and 3.3.2, become facts and outcomes."""

from __future__ import annotations

import pytest

from labs.engine.clients.verifiable import (
    Aborted,
    Answered,
    Assigned,
    Committed,
    Delivered,
    Fact,
    Going,
    Offered,
    Placed,
    Polled,
    Revoked,
    Standing,
    Stopped,
    Summary,
    at_ns,
    fact,
    outcome,
    refused_by_its_end,
)

OFFERED = (
    "55816834894495 TRACE KafkaProducer [Producer clientId=producer-1] Attempting to append record "
    "ProducerRecord(topic=orders, partition=null, headers=RecordHeaders(headers = [], isReadOnly = "
    "false), key=null, value=17, timestamp=null) with callback org.apache.kafka.tools."
    "VerifiableProducer$PrintInfoCallback@6166e06f to topic orders partition 0 "
)
PLACED = (
    "55814525370170 INFO SubscriptionState [Consumer clientId=consumer-1, groupId=app] Resetting "
    "offset for partition orders-0 to position FetchPosition{offset=7, offsetEpoch=Optional.empty, "
    "currentLeader=LeaderAndEpoch{leader=Optional[127.0.0.1:45801 (id: 3 rack: null isFenced: "
    "false)], epoch=0}}. "
)


def test_a_record_is_offered_at_the_clients_own_nanosecond() -> None:
    assert fact(OFFERED) == Offered(17, 55816834894495)


@pytest.mark.parametrize(
    ("line", "data"),
    [
        (
            '{"timestamp":1795316853864,"name":"producer_send_success","key":null,"value":"6673",'
            '"offset":6670,"partition":2,"topic":"orders"}',
            Answered(6673, 1795316853864, partition=2, offset=6670),
        ),
        (
            '{"timestamp":1795316853886,"name":"tool_data","sent":6676,"acked":6675,'
            '"target_throughput":2000,"avg_throughput":1945.221445221445}',
            Summary(6675),
        ),
        (
            '{"timestamp":1795316850829,"name":"record_data","key":null,"value":"5",'
            '"topic":"orders","partition":1,"offset":3}',
            Delivered("orders", 1, 3, 5, 1795316850829),
        ),
        (
            '{"timestamp":1795316850875,"name":"records_consumed","count":71,"partitions":'
            '[{"topic":"orders","partition":0,"count":71,"minOffset":0,"maxOffset":70}]}',
            Polled(),
        ),
        (
            '{"timestamp":1795316851053,"name":"offsets_committed","offsets":'
            '[{"topic":"orders","partition":0,"offset":71}],"success":true}',
            Committed({("orders", 0): 71}, None, 1795316851053),
        ),
        (
            '{"timestamp":1795316848208,"name":"partitions_assigned","partitions":'
            '[{"topic":"orders","partition":0},{"topic":"orders","partition":1}]}',
            Assigned(frozenset({0, 1})),
        ),
        (
            '{"timestamp":1795316854922,"name":"partitions_revoked","partitions":'
            '[{"topic":"orders","partition":0}]}',
            Revoked(frozenset({0})),
        ),
        (PLACED, Placed(0, 7)),
        ('{"timestamp":1795316850455,"name":"startup_complete"}', None),
        ('{"timestamp":1795316854913,"name":"shutdown_requested"}', None),
        ("55816259279069 INFO AbstractConfig ProducerConfig values: ", None),
        ("\tacks = 1", None),
        (OFFERED.replace("Attempting to append record", "Waking up for"), None),
    ],
)
def test_a_line_is_the_fact_that_it_tells_or_none(line: str, data: object) -> None:
    assert fact(line) == data


@pytest.mark.parametrize(
    "line",
    ['{"timestamp":1795316853864,"na', '{"timestamp":1}',
     '{"timestamp":1,"name":"producer_send_success","value":"x","offset":1,"partition":0}'],
)  # fmt: skip
def test_what_is_no_line_of_the_tools_is_an_error_and_no_guess(line: str) -> None:
    with pytest.raises((ValueError, KeyError)):
        fact(line)


def test_a_millisecond_of_the_wall_clock_is_taken_to_its_end() -> None:
    ahead = 5_000_000
    assert at_ns(8, ahead) == 3_999_999
    assert at_ns(8, ahead) < at_ns(9, ahead) == 4_999_999


def answer(exception: str | None) -> Answered:
    return Answered(1, 0, None if exception is None else "why", exception)


ERRORS = "org.apache.kafka.common.errors."


@pytest.mark.parametrize(
    ("exception", "offered", "message"),
    [
        (None, True, "ok"),
        # Metadata did not come, or the record is too large for the client: nothing was sent.
        (ERRORS + "TimeoutException", False, "fail"),
        (ERRORS + "RecordTooLargeException", False, "fail"),
        # It was in the buffer: a request may have been written before its answer was lost.
        (ERRORS + "TimeoutException", True, "info"),
        (ERRORS + "NotEnoughReplicasException", True, "info"),
        (ERRORS + "NotEnoughReplicasAfterAppendException", True, "info"),
        ("org.apache.kafka.common.KafkaException", True, "info"),
        # Too old for the topic by now: it was not at its first attempt.
        ("org.apache.kafka.common.InvalidRecordException", True, "info"),
        # Every attempt meets these, before anything is written.
        (ERRORS + "RecordTooLargeException", True, "fail"),
        ("org.apache.kafka.clients.producer.BufferExhaustedException", True, "fail"),
    ],
)
def test_only_what_can_be_in_no_log_has_failed(
    exception: str | None, offered: bool, message: str
) -> None:
    assert outcome(answer(exception), offered) == message


def test_a_call_of_the_producer_that_the_tool_closed_is_no_send() -> None:
    assert refused_by_its_end(answer("java.lang.IllegalStateException"))
    assert not refused_by_its_end(answer("org.apache.kafka.common.KafkaException"))


def test_why_the_consumer_stopped_is_the_clients_own_words() -> None:
    why = "org.apache.kafka.clients.consumer.NoOffsetForPartitionException: Undefined offset"
    line = (
        f"5 ERROR VerifiableConsumer Error during processing, terminating consumer process:  {why} "
    )
    assert fact(line) == Stopped(why)


@pytest.mark.parametrize(
    ("line", "transaction"),
    [
        ("standing processed", Standing("processed")),
        ("going", Going()),
        ('{"name":"aborted","count":3,"why":"no \\"such\\""}', Aborted('no "such"', 3)),
        ('{"name":"stopped","why":"fenced"}', Stopped("fenced")),
        ('{"name":"placed","topic":"orders","partition":2,"offset":7}', Placed(2, 7)),
        ("going home", None),
    ],
)  # fmt: skip
def test_the_transforming_application_says_more(line: str, transaction: Fact | None) -> None:
    assert fact(line) == transaction
