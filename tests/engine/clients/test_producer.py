"""The producer process: every attempt written down, no outcome invented.

librdkafka's own mock brokers (`test.mock.num.brokers`) stand in for a cluster here; the real
ones are in tests/cluster.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import KafkaError, KafkaException

from labs.engine.base.wait import until
from labs.engine.clients.control import Control
from labs.engine.clients.process import ClientFailed, ClientProcess
from labs.engine.clients.producer import ProducerConfig, Run

pytestmark = pytest.mark.process

NOBODY = {"bootstrap.servers": "127.0.0.1:1", "log_level": 0}
LIMIT_S = 60.0
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


def test_each_attempt_is_a_row_with_what_the_broker_said(tmp_path: Path) -> None:
    producer = start(tmp_path, MOCK)
    await_count(producer, "acknowledged", 200)
    producer.ask_to_stop()
    answers = producer.await_end(LIMIT_S)
    rows = sorted(sends(tmp_path), key=lambda row: row["value"])
    assert answers["sent"] == answers["acknowledged"] == len(rows)
    assert [row["value"] for row in rows] == list(range(len(rows)))
    assert {row["outcome"] for row in rows} == {"ok"}
    assert all(row["invoked_ns"] < row["completed_ns"] for row in rows)
    offsets = Counter((row["partition"], row["offset"]) for row in rows)
    assert set(offsets.values()) == {1}, "each has a place of its own in the log"


def test_acks_0_is_a_success_without_an_offset(tmp_path: Path) -> None:
    producer = start(tmp_path, {**MOCK, "acks": "0"})
    await_count(producer, "acknowledged", 20)
    producer.ask_to_stop()
    producer.await_end(LIMIT_S)
    assert {(row["outcome"], row["offset"]) for row in sends(tmp_path)} == {("ok", None)}


def test_what_nobody_answered_for_is_unknown(tmp_path: Path) -> None:
    producer = start(tmp_path, NOBODY, flush_limit_s=0.2)
    await_count(producer, "sent", 50)
    producer.ask_to_stop()
    answers = producer.await_end(LIMIT_S)
    rows = sends(tmp_path)
    assert answers["failed"] == len(rows) >= 50
    assert {(row["outcome"], row["completed_ns"]) for row in rows} == {("info", None)}
    assert all(row["cut_off"] for row in rows), "the run ended; the client had not given them up"


def test_a_delivery_timeout_is_unknown_and_not_a_failure(tmp_path: Path) -> None:
    producer = start(tmp_path, {**NOBODY, "delivery.timeout.ms": 300})
    await_count(producer, "failed", 50)
    producer.ask_to_stop()
    producer.await_end(LIMIT_S)
    rows = [row for row in sends(tmp_path) if row["completed_ns"] is not None]
    assert {row["outcome"] for row in rows} == {"info"}
    assert rows[0]["error"].startswith("_MSG_TIMED_OUT")
    assert not any(row["cut_off"] for row in rows), "the client gave these up"


def test_one_that_does_not_finish_is_said_so_however_often_it_is_asked(tmp_path: Path) -> None:
    client = {**NOBODY, "delivery.timeout.ms": 200}
    producer = start(tmp_path, client, resend=True, flush_limit_s=LIMIT_S)
    await_count(producer, "failed", 50)
    producer.ask_to_stop()
    for _ in range(2):
        with pytest.raises(
            ClientFailed, match=r"did not finish in 1 s: [\d,]+ of its [\d,]+ sends failed$"
        ):
            producer.await_end(1)


def test_a_full_queue_makes_the_application_wait_and_drops_nothing(tmp_path: Path) -> None:
    client = {**MOCK, "queue.buffering.max.messages": 5, "linger.ms": 50}
    producer = start(tmp_path, client, rate_per_s=2000)
    await_count(producer, "acknowledged", 60)
    producer.ask_to_stop()
    producer.await_end(LIMIT_S)
    rows = sends(tmp_path)
    acknowledged = sorted(row["value"] for row in rows if row["outcome"] == "ok")
    assert acknowledged == list(range(len(acknowledged)))
    # Only one waited when the stop came: the end of the run cut it off, and nobody gave it up.
    others = [row for row in rows if row["outcome"] != "ok"]
    assert [(row["outcome"], row["cut_off"]) for row in others] in ([], [("info", True)])


def test_an_application_that_resends_makes_a_row_for_each_attempt(tmp_path: Path) -> None:
    client = {**NOBODY, "delivery.timeout.ms": 200}
    producer = start(tmp_path, client, resend=True, rate_per_s=20, flush_limit_s=1.0)
    await_count(producer, "failed", 5)
    producer.ask_to_stop()
    producer.await_end(LIMIT_S)
    rows = sends(tmp_path)
    assert max(Counter(row["value"] for row in rows).values()) > 1
    # It was still at every one of them when the run ended.
    assert {row["value"] for row in rows if row["cut_off"]} == {row["value"] for row in rows}


@pytest.mark.parametrize(("block_s", "refused"), [(0.0, True), (0.05, True), (None, False)])
def test_what_finds_no_room_in_time_was_never_sent(
    tmp_path: Path, block_s: float | None, refused: bool
) -> None:
    client = {**MOCK, "queue.buffering.max.messages": 5, "linger.ms": 400}
    producer = start(tmp_path, client, rate_per_s=200, block_s=block_s)
    await_count(producer, "acknowledged", 10)
    producer.ask_to_stop()
    producer.await_end(LIMIT_S)
    *before, _last = sorted(sends(tmp_path), key=lambda row: row["value"])  # it met the stop
    waited_s = [
        (row["completed_ns"] - row["invoked_ns"]) / 1e9
        for row in before
        if row["outcome"] == "fail"
    ]
    assert bool(waited_s) == refused
    assert all(waited >= (block_s or 0) for waited in waited_s)


def test_what_finds_no_room_is_sent_again_until_it_does_by_who_sends_again(tmp_path: Path) -> None:
    client = {**MOCK, "queue.buffering.max.messages": 5, "linger.ms": 100}
    producer = start(tmp_path, client, rate_per_s=100, block_s=0.0, resend=True)
    await_count(producer, "acknowledged", 50)
    producer.ask_to_stop()
    producer.await_end(LIMIT_S)
    attempts = Counter(row["value"] for row in sends(tmp_path))
    assert max(attempts.values()) > 1
    acknowledged = {row["value"] for row in sends(tmp_path) if row["outcome"] == "ok"}
    assert set(range(20)) <= acknowledged, "the first of them had time to find room"


def test_an_application_that_stops_at_a_failed_send_leaves_it_to_its_successor(
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


def test_a_record_has_the_key_and_the_age_that_were_asked_for(tmp_path: Path) -> None:
    def record(**options: Any) -> dict[str, Any]:
        return Run(config(tmp_path, NOBODY, **options), Control()).record(205)

    assert record() == {"value": b"205"}
    assert record(keyed=True)["key"] == b"205"
    assert record(keyed=True, keys=100)["key"] == b"5"
    day_ms = 86_400_000
    assert record(age_ms=day_ms)["timestamp"] == pytest.approx(time.time() * 1000 - day_ms, abs=5e3)
    assert record(age_ms=2**62)["timestamp"] == 1


@pytest.mark.parametrize(
    ("number", "how"),
    [
        (signal.SIGTERM, "was killed (SIGTERM)"),
        (signal.SIGSEGV, "was killed (SIGSEGV)"),
        (signal.SIGKILL, "was killed"),
    ],
    ids=lambda data: data.name if isinstance(data, signal.Signals) else "",
)
def test_a_signal_of_somebody_else_ends_it_and_it_is_lost(
    tmp_path: Path, number: signal.Signals, how: str
) -> None:
    producer = start(tmp_path, MOCK)
    await_count(producer, "acknowledged", 1)
    assert producer.lost == ""
    os.kill(producer.pid, number)
    assert until(lambda: producer.lost, LIMIT_S, "it did not end") == (
        f"the producer {how}, and not by this run"
    )


def test_one_that_did_as_it_was_told_is_not_lost(tmp_path: Path) -> None:
    process, killed = start(tmp_path, MOCK), start(tmp_path, MOCK)
    process.ask_to_stop()
    process.await_end(LIMIT_S)
    killed.kill()
    assert (process.lost, killed.lost) == ("", "")


def test_a_client_that_cannot_start_says_why(tmp_path: Path) -> None:
    producer = start(tmp_path, {"no.such.setting": 1})
    with pytest.raises(ClientFailed, match=r"no\.such\.setting"):
        producer.await_end(LIMIT_S)
    assert producer.lost == "the producer ended with code 1, and not by this run"


class _Fatal:
    """A client that raises its fatal error where it is asked for reports, as confluent-kafka's."""

    def __init__(self, fatal: bool) -> None:
        self._error = KafkaError(KafkaError.OUT_OF_ORDER_SEQUENCE_NUMBER, "gap", fatal=fatal)

    def poll(self, wait_s: float) -> int:
        raise KafkaException(self._error)


def test_a_fatal_error_ends_the_sending_and_loses_no_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(config(tmp_path, NOBODY, flush_limit_s=0.2), Control())
    run.send_new(3)
    monkeypatch.setattr(run, "client", _Fatal(fatal=True))
    run.run()
    assert [row["outcome"] for row in sends(tmp_path)] == ["info"] * 3


def test_an_error_that_is_not_fatal_is_not_taken_for_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run(config(tmp_path, NOBODY), Control())
    monkeypatch.setattr(run, "client", _Fatal(fatal=False))
    with pytest.raises(KafkaException):
        run.run()
