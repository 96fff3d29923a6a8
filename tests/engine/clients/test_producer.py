"""The producer process records every send attempt, and no outcome that it does not know.

These tests use librdkafka's mock brokers (`test.mock.num.brokers`); tests/cluster has real ones.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import KafkaError, KafkaException

from labs.engine.base.wait import until
from labs.engine.clients.control import Control
from labs.engine.clients.process import ClientFailed, ClientProcess
from labs.engine.clients.producer import ProducerConfig, Run
from tests.engine.clients.ending import LIMIT_S, stop

pytestmark = pytest.mark.process

NOBODY = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}
MOCK = {"test.mock.num.brokers": 1, "acks": "all", "log_level": 0}


def config(folder: Path, client: dict[str, Any], **options: Any) -> ProducerConfig:
    return ProducerConfig(
        ledger=str(folder / "ledger"), name="producer-1", topic="orders",
        **{"rate_per_s": 500, "client": client, **options},
    )  # fmt: skip


def start(folder: Path, client: dict[str, Any], **options: Any) -> ClientProcess:
    return ClientProcess("producer", config(folder, client, **options), folder, folder)


def sends(folder: Path) -> list[dict[str, Any]]:
    return pq.read_table(folder / "ledger" / "sends.parquet").to_pylist()


def await_count(producer: ClientProcess, name: str, count: int) -> None:
    until(lambda: producer.latest.get(name, 0) >= count, LIMIT_S, f"{count} were not {name}")


def test_each_attempt_is_one_row_with_the_response_of_the_broker(tmp_path: Path) -> None:
    producer = start(tmp_path, MOCK)
    await_count(producer, "acknowledged", 200)
    answers = stop(producer)
    rows = sorted(sends(tmp_path), key=lambda row: row["value"])
    assert answers["sent"] == answers["acknowledged"] == len(rows)
    assert [row["value"] for row in rows] == list(range(len(rows)))
    assert {row["outcome"] for row in rows} == {"ok"}
    assert all(row["invoked_ns"] < row["completed_ns"] for row in rows)
    offsets = Counter((row["partition"], row["offset"]) for row in rows)
    assert set(offsets.values()) == {1}, "each has a place of its own in the log"


def test_with_acks_0_a_send_succeeds_without_an_offset(tmp_path: Path) -> None:
    producer = start(tmp_path, {**MOCK, "acks": "0"})
    await_count(producer, "acknowledged", 20)
    stop(producer)
    assert {(row["outcome"], row["offset"]) for row in sends(tmp_path)} == {("ok", None)}


def test_the_outcome_of_unanswered_sends_is_unknown(tmp_path: Path) -> None:
    producer = start(tmp_path, NOBODY, flush_limit_s=0.2)
    await_count(producer, "sent", 50)
    answers = stop(producer)
    rows = sends(tmp_path)
    assert answers["failed"] == len(rows) >= 50
    assert {(row["outcome"], row["completed_ns"]) for row in rows} == {("info", None)}
    assert all(row["cut_off"] for row in rows), "the run ended; the client had not given them up"


def test_the_outcome_of_a_delivery_timeout_is_unknown(tmp_path: Path) -> None:
    producer = start(tmp_path, {**NOBODY, "delivery.timeout.ms": 300})
    await_count(producer, "failed", 50)
    stop(producer)
    rows = [row for row in sends(tmp_path) if row["completed_ns"] is not None]
    assert {row["outcome"] for row in rows} == {"info"}
    assert rows[0]["error"].startswith("_MSG_TIMED_OUT")
    assert not any(row["cut_off"] for row in rows), "the client gave these up"


def test_a_producer_that_does_not_finish_is_reported_on_every_call(tmp_path: Path) -> None:
    client = {**NOBODY, "delivery.timeout.ms": 200}
    producer = start(tmp_path, client, resend=True, flush_limit_s=LIMIT_S)
    await_count(producer, "failed", 50)
    producer.ask_to_stop()
    for _ in range(2):
        with pytest.raises(
            ClientFailed, match=r"did not finish in 1 s: [\d,]+ of its [\d,]+ sends failed$"
        ):
            producer.await_end(1)


def test_with_a_full_queue_the_application_waits_and_drops_nothing(tmp_path: Path) -> None:
    client = {**MOCK, "queue.buffering.max.messages": 5, "linger.ms": 50}
    producer = start(tmp_path, client, rate_per_s=2000)
    await_count(producer, "acknowledged", 60)
    stop(producer)
    rows = sends(tmp_path)
    acknowledged = sorted(row["value"] for row in rows if row["outcome"] == "ok")
    assert acknowledged == list(range(len(acknowledged)))
    # At most one send was waiting at the stop: the end of the run cut it off.
    others = [row for row in rows if row["outcome"] != "ok"]
    assert [(row["outcome"], row["cut_off"]) for row in others] in ([], [("info", True)])


def test_an_application_that_resends_has_one_row_per_attempt(tmp_path: Path) -> None:
    client = {**NOBODY, "delivery.timeout.ms": 200}
    producer = start(tmp_path, client, resend=True, rate_per_s=20, flush_limit_s=1.0)
    await_count(producer, "failed", 5)
    stop(producer)
    rows = sends(tmp_path)
    assert max(Counter(row["value"] for row in rows).values()) > 1
    # It was still trying to send each of them when the run ended.
    assert {row["value"] for row in rows if row["cut_off"]} == {row["value"] for row in rows}


@pytest.mark.parametrize(("block_s", "has_failures"), [(0.0, True), (0.05, True), (None, False)])
def test_a_send_that_finds_no_buffer_space_in_time_fails(
    tmp_path: Path, block_s: float | None, has_failures: bool
) -> None:
    client = {**MOCK, "queue.buffering.max.messages": 5, "linger.ms": 400}
    producer = start(tmp_path, client, rate_per_s=200, block_s=block_s)
    await_count(producer, "acknowledged", 10)
    stop(producer)
    # The last send was interrupted by the stop.
    *before, _last = sorted(sends(tmp_path), key=lambda row: row["value"])
    waited_s = [
        (row["completed_ns"] - row["invoked_ns"]) / 1e9
        for row in before
        if row["outcome"] == "fail"
    ]
    assert bool(waited_s) == has_failures
    assert all(waited >= (block_s or 0) for waited in waited_s)


def test_with_resend_a_send_is_retried_until_the_buffer_has_space(tmp_path: Path) -> None:
    client = {**MOCK, "queue.buffering.max.messages": 5, "linger.ms": 100}
    values = range(20)
    producer = start(
        tmp_path, client, rate_per_s=0, block_s=0.0, resend=True, first=20, again=[*values]
    )
    await_count(producer, "acknowledged", len(values))
    stop(producer)
    rows = sends(tmp_path)
    assert sorted(row["value"] for row in rows if row["outcome"] == "ok") == [*values]
    failed = Counter(row["value"] for row in rows if row["outcome"] == "fail")
    assert max(failed.values()) > 1, "15 of 20 had no space at first, and 5 find space each time"


def test_an_application_waits_before_it_sends_a_value_again(tmp_path: Path) -> None:
    client = {**MOCK, "queue.buffering.max.messages": 1, "linger.ms": 1000}
    producer = start(tmp_path, client, rate_per_s=100, block_s=0.0, resend=True)
    await_count(producer, "failed", 50)
    stop(producer)
    invoked_ns = defaultdict[int, list[int]](list)
    for row in sends(tmp_path):
        invoked_ns[row["value"]].append(row["invoked_ns"])
    # The first wait may be shorter: values that failed are sent again together.
    waits_s = [
        (after - before) / 1e9
        for times in invoked_ns.values()
        for before, after in pairwise(sorted(times)[1:])
    ]
    assert waits_s
    assert min(waits_s) > 0.25


def test_an_application_that_stops_at_a_failed_send_reports_the_unanswered_values(
    tmp_path: Path,
) -> None:
    client = {**NOBODY, "delivery.timeout.ms": 200}
    producer = start(tmp_path, client, stops=True, rate_per_s=50)
    answers = producer.await_end(LIMIT_S)
    assert answers["stopped"].startswith("a send failed: _MSG_TIMED_OUT")
    assert sorted(answers["unanswered"]) == list(range(answers["next"])), "none was acknowledged"
    rows = sends(tmp_path)
    assert len(rows) == answers["next"] > 0
    assert not any(row["cut_off"] for row in rows), "the application ended by itself"


def test_a_record_has_the_configured_key_and_age(tmp_path: Path) -> None:
    def record(**options: Any) -> dict[str, Any]:
        return Run(config(tmp_path, NOBODY, **options), Control()).record(205)

    assert record() == {"value": b"205"}
    assert record(keyed=True)["key"] == b"205"
    assert record(keyed=True, keys=100)["key"] == b"5"
    day_ms = 86_400_000
    assert record(age_ms=day_ms)["timestamp"] == pytest.approx(time.time() * 1000 - day_ms, abs=5e3)
    assert record(age_ms=2**62)["timestamp"] == 1


@pytest.mark.parametrize(
    ("number", "reason"),
    [
        (signal.SIGTERM, "was killed (SIGTERM)"),
        (signal.SIGSEGV, "was killed (SIGSEGV)"),
        (signal.SIGKILL, "was killed"),
    ],
    ids=lambda data: data.name if isinstance(data, signal.Signals) else "",
)
def test_a_producer_ended_by_a_signal_of_another_process_is_lost(
    tmp_path: Path, number: signal.Signals, reason: str
) -> None:
    producer = start(tmp_path, MOCK)
    await_count(producer, "acknowledged", 1)
    assert producer.lost == ""
    os.kill(producer.pid, number)
    assert until(lambda: producer.lost, LIMIT_S, "it did not end") == (
        f"the producer {reason}, and not by this run"
    )


def test_a_producer_that_the_run_stops_or_kills_is_not_lost(tmp_path: Path) -> None:
    stopped, killed = start(tmp_path, MOCK), start(tmp_path, MOCK)
    stop(stopped)
    killed.kill()
    assert (stopped.lost, killed.lost) == ("", "")


def test_a_client_that_cannot_start_reports_why(tmp_path: Path) -> None:
    producer = start(tmp_path, {"no.such.setting": 1})
    with pytest.raises(ClientFailed, match=r"no\.such\.setting"):
        producer.await_end(LIMIT_S)
    assert producer.lost == "the producer ended with code 1, and not by this run"


class _FailingClient:
    """A client that raises its error in `poll`, as confluent-kafka's does."""

    def __init__(self, fatal: bool) -> None:
        self._error = KafkaError(KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER, "gap", fatal=fatal)

    def poll(self, wait_s: float) -> int:
        raise KafkaException(self._error)


def test_a_fatal_error_ends_the_sending_and_keeps_all_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(config(tmp_path, NOBODY, flush_limit_s=0.2), Control())
    run.send_new(3)
    monkeypatch.setattr(run, "client", _FailingClient(fatal=True))
    run.run()
    assert [row["outcome"] for row in sends(tmp_path)] == ["info"] * 3


def test_an_error_that_is_not_fatal_is_raised(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(config(tmp_path, NOBODY), Control())
    monkeypatch.setattr(run, "client", _FailingClient(fatal=False))
    with pytest.raises(KafkaException):
        run.run()
