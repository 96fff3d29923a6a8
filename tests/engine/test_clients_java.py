"""The processes around Kafka's tools, with a script that prints what a tool does in its place."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.engine.base.wait import until
from labs.engine.clients.errors import CUT_OFF
from labs.engine.clients.java_consumer import JavaConsumerConfig
from labs.engine.clients.java_producer import JavaProducerConfig
from labs.engine.clients.process import ClientFailed, ClientProcess

pytestmark = pytest.mark.process

LIMIT_S = 60.0
NOW_MS = time.time_ns() // 1_000_000
"""A moment of this machine's own life: one before it was switched on is on no clock of a ledger."""
_SCRIPT = """
import signal, sys, threading
end = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: end.set())
print({begin!r}, flush=True)
end.wait()
print({after!r}, flush=True)
"""
_DEAF = """
import signal
signal.signal(signal.SIGTERM, lambda *_: print({torn!r}, end="", flush=True))
print({begin!r}, flush=True)
while True:
    signal.pause()
"""


def offered(value: int, time_ns: int) -> str:
    return (
        f"{time_ns} TRACE KafkaProducer [Producer clientId=p] Attempting to append record "
        f"ProducerRecord(topic=orders, key=null, value={value}, timestamp=null) with callback"
    )


def success(value: int, offset: int) -> str:
    return (
        f'{{"timestamp":{NOW_MS},"name":"producer_send_success","key":null,"value":"{value}",'
        f'"offset":{offset},"partition":0,"topic":"orders"}}'
    )


def refusal(value: int, exception: str) -> str:
    return (
        f'{{"timestamp":{NOW_MS},"name":"producer_send_error","key":null,"value":"{value}",'
        f'"exception":"class {exception}","message":"why","topic":"orders"}}'
    )


def closed(value: int) -> str:
    """What the tool says of a record whose `send()` was ended by its own closing."""
    text = refusal(value, "org.apache.kafka.common.KafkaException")
    return text.replace('"why"', '"Producer closed while send in progress"')


def summary(acknowledged: int) -> str:
    return f'{{"timestamp":1,"name":"tool_data","sent":9,"acked":{acknowledged}}}'


def script(*begin: str, after: tuple[str, ...] = ()) -> tuple[str, ...]:
    """The command of a tool that prints `begin`, and `after` when it is asked to end."""
    text = _SCRIPT.format(begin="\n".join(begin), after="\n".join(after))
    return (sys.executable, "-c", text)


def producer(
    folder: Path, command: tuple[str, ...], acknowledged: int, flush_limit_s: float = LIMIT_S
) -> ClientProcess:
    config = JavaProducerConfig(
        str(folder / "ledger"), "producer-1", "orders", command, flush_limit_s=flush_limit_s
    )
    client = ClientProcess("java_producer", config, folder, folder)
    until(
        lambda: client.latest.get("acknowledged") == acknowledged or client.returncode is not None,
        LIMIT_S, "the answers were not heard",
    )  # fmt: skip
    return client


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    read = pq.read_table(folder / "ledger" / f"{table}.parquet")
    return read.sort_by("value").to_pylist() if "value" in read.column_names else read.to_pylist()


TIMEOUT = "org.apache.kafka.common.errors.TimeoutException"


def test_every_send_is_a_row_with_what_was_told_of_it(tmp_path: Path) -> None:
    command = script(
        offered(0, 1_000), success(0, 7), offered(1, 2_000), offered(1, 2_500), offered(2, 3_000),
        refusal(2, TIMEOUT), refusal(3, TIMEOUT), offered(4, 5_000), "a word of the client",
        after=(
            success(1, 8), refusal(5, "java.lang.IllegalStateException"), offered(6, 6_000),
            closed(6), closed(7), refusal(8, TIMEOUT), summary(2),
        ),
    )  # fmt: skip
    client = producer(tmp_path, command, acknowledged=1)
    client.ask_to_stop()
    data = client.await_end(LIMIT_S)
    assert (data["sent"], data["acknowledged"], data["failed"]) == (8, 2, 6)
    assert [
        (row["value"], row["invoked_ns"], row["outcome"], row["offset"], row["error"])
        for row in rows(tmp_path, "sends")
    ] == [
        (0, 1_000, "ok", 7, None),
        (1, 2_000, "ok", 8, None),
        (2, 3_000, "info", None, "TimeoutException: why"),
        (3, None, "fail", None, "TimeoutException: why"),
        (4, 5_000, "info", None, CUT_OFF.reason),
        (6, 6_000, "info", None, CUT_OFF.reason),
        (7, None, "info", None, CUT_OFF.reason),
        (8, None, "fail", None, "TimeoutException: why"),
    ]
    assert {row["value"] for row in rows(tmp_path, "sends") if row["cut_off"]} == {4, 6, 7}
    assert "a word of the client" in (tmp_path / "java_producer.log").read_text()


def test_a_tool_that_does_not_end_is_killed_and_a_torn_line_counts_as_unsaid(
    tmp_path: Path,
) -> None:
    begin = "\n".join((offered(0, 1), success(0, 0), offered(1, 2)))
    command = (sys.executable, "-c", _DEAF.format(begin=begin, torn=success(1, 1)[:40]))
    client = producer(tmp_path, command, acknowledged=1, flush_limit_s=0.5)
    client.ask_to_stop()
    assert client.await_end(LIMIT_S)["ended"]
    assert [row["outcome"] for row in rows(tmp_path, "sends")] == ["ok", "info"]


def test_a_tool_that_somebody_kills_takes_its_process_with_it(tmp_path: Path) -> None:
    client = producer(tmp_path, script(offered(0, 1), success(0, 0)), acknowledged=1)
    threads = Path(f"/proc/{client.pid}/task").glob("*/children")
    (tool,) = (int(pid) for thread in threads for pid in thread.read_text().split())
    os.kill(tool, signal.SIGKILL)
    with pytest.raises(ClientFailed, match=r"the JVM of the \w+ was killed, and not by this run"):
        client.await_end(LIMIT_S)


@pytest.mark.parametrize(
    ("begin", "after", "message"),
    [
        ([success(0, 0)], [], "0 was acknowledged, and never seen to be sent"),
        ([offered(0, 1), success(0, 0)], [summary(2)], "the tool had 2 answers, 1 heard"),
        ([offered(0, 1), success(0, 0), '{"torn'], [], "JSONDecodeError"),
    ],
)
def test_a_record_that_would_not_be_complete_is_refused(
    tmp_path: Path, begin: list[str], after: list[str], message: str
) -> None:
    client = producer(tmp_path, script(*begin, after=tuple(after)), acknowledged=1)
    client.ask_to_stop()
    with pytest.raises(ClientFailed, match=message):
        client.await_end(LIMIT_S)


def test_a_tool_that_cannot_start_is_a_failure_with_its_own_words(tmp_path: Path) -> None:
    command = (sys.executable, "-c", "import sys; sys.exit('no such setting')")
    client = producer(tmp_path, command, acknowledged=1)
    with pytest.raises(ClientFailed, match="no such setting"):
        client.await_end(LIMIT_S)


def event(name: str, fields: str) -> str:
    return f'{{"timestamp":1795316850829,"name":"{name}",{fields}}}'


ASSIGNED = event("partitions_assigned", '"partitions":[{"topic":"orders","partition":0}]')
PLACED = "9 INFO SubscriptionState Resetting offset for partition orders-0 to position FetchPosition{offset=4,"  # noqa: E501


def record(value: int, offset: int) -> str:
    place = f'"topic":"orders","partition":0,"offset":{offset}'
    return event("record_data", f'"key":null,"value":"{value}",{place}')


def committed(offset: int, success: str) -> str:
    place = f'"topic":"orders","partition":0,"offset":{offset}'
    return event("offsets_committed", f'"offsets":[{{{place}}}],{success}')


def consumer(folder: Path, command: tuple[str, ...], tells_commits: bool) -> ClientProcess:
    config = JavaConsumerConfig(
        str(folder / "ledger"), "consumer-1", "app", "orders", "127.0.0.1:1", "read_committed",
        command, tells_commits, drain_limit_s=0.0,
    )  # fmt: skip
    return ClientProcess("java_consumer", config, folder, folder)


POLLED = event("records_consumed", '"count":1,"partitions":[]')


def test_polls_and_commits_are_rows_as_they_were_told(tmp_path: Path) -> None:
    command = script(
        ASSIGNED, PLACED, record(7, 4), record(8, 5), POLLED, committed(6, '"success":true'),
        POLLED, record(9, 6), POLLED, committed(7, '"error":"disconnected","success":false'),
        after=(record(10, 7),),
    )  # fmt: skip
    client = consumer(tmp_path, command, tells_commits=True)
    client.await_ready(LIMIT_S)
    until(lambda: client.latest.get("delivered") == 3, LIMIT_S, "the records were not heard")
    client.ask_to_stop()
    assert client.await_end(LIMIT_S)["delivered"] == 4
    records = rows(tmp_path, "deliveries")
    assert [(row["value"], row["offset"], row["poll"]) for row in records] == [
        (7, 4, 0), (8, 5, 0), (9, 6, 1), (10, 7, 2),
    ]  # fmt: skip
    assert {(row["group"], row["isolation"]) for row in records} == {("app", "read_committed")}
    assert [(row["offset"], row["outcome"]) for row in rows(tmp_path, "commits")] == [
        (6, "ok"), (7, "info"),
    ]  # fmt: skip


def test_commits_that_the_tool_does_not_tell_of_are_no_table(tmp_path: Path) -> None:
    command = script(ASSIGNED, PLACED, record(7, 4), POLLED)
    client = consumer(tmp_path, command, tells_commits=False)
    client.await_ready(LIMIT_S)
    client.ask_to_stop()
    client.await_end(LIMIT_S)
    assert not (tmp_path / "ledger" / "commits.parquet").exists()


def test_a_group_without_a_place_to_read_from_says_so_and_the_run_goes_on(tmp_path: Path) -> None:
    why = "NoOffsetForPartitionException: Undefined offset with no reset policy"
    line = (
        f"5 ERROR VerifiableConsumer Error during processing, terminating consumer process: {why}"
    )
    command = (sys.executable, "-c", f"print({line!r})")
    client = consumer(tmp_path, command, tells_commits=True)
    client.await_ready(LIMIT_S)
    assert client.latest["stopped"] == why
    client.ask_to_stop()
    assert client.await_end(LIMIT_S)["delivered"] == 0
