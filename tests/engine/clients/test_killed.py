"""Clients that stand still at a point and are killed there, on librdkafka's own mock brokers."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from labs.engine.base.wait import until
from labs.engine.clients.process import ClientFailed, ClientProcess
from labs.engine.clients.sink import effects
from labs.engine.faults import clients as faults
from labs.engine.faults.record import FaultLog
from tests.engine.clients import test_consumer as consumers
from tests.engine.clients import test_producer as producers
from tests.engine.rigs import alone

pytestmark = pytest.mark.process

LIMIT_S = consumers.LIMIT_S


@pytest.fixture
def broker() -> Iterator[Producer]:
    producer = Producer({"test.mock.num.brokers": 1, "log_level": 0})
    producer.list_topics(consumers.TOPIC, timeout=LIMIT_S)
    consumers.send(producer, range(100))
    yield producer
    producer.close()


@pytest.fixture
def sink(tmp_path: Path) -> Path:
    return tmp_path / "sink.sqlite"


def start(folder: Path, broker: Producer, commit: str, **options: Any) -> ClientProcess:
    return consumers.start(folder, broker, commit, reset="earliest", **options)


def killed_at(point: str, client: ClientProcess) -> FaultLog:
    log = FaultLog()
    (held,) = faults.hold(alone(client, log), "consumer", point)
    assert (held.phase, held.target) == ("complete", "consumer: consumer")
    (row,) = faults.kill_client(alone(client, log), "consumer")
    assert (row.phase, "signal 9 (SIGKILL)" in row.evidence) == ("complete", True)
    assert client.returncode == -9
    return log


@pytest.mark.parametrize(
    ("commit", "point", "committed_is"),
    [
        ("after-processing", "processed", "behind"),
        ("before-processing", "processed", "level"),
        ("after-processing", "handed", "level"),
        ("before-processing", "handed", "ahead"),
    ],
)
def test_what_it_wrote_down_where_it_stood_is_all_that_it_did(
    broker: Producer, tmp_path: Path, sink: Path, commit: str, point: str, committed_is: str
) -> None:
    killed_at(point, start(tmp_path, broker, commit, sink=str(sink)))
    handed = {row["value"] for row in consumers.table(tmp_path, "deliveries")}
    done = set(effects(sink)["value"])
    assert done <= handed
    position = sum(max(at, 0) for at in consumers.committed(broker).values())
    ahead = position - len(done)
    assert (ahead > 0) - (ahead < 0) == {"behind": -1, "level": 0, "ahead": 1}[committed_is]


def test_threads_that_stand_still_do_not_keep_the_group_from_polling(
    broker: Producer, tmp_path: Path, sink: Path
) -> None:
    client = start(tmp_path, broker, "next-poll-stores", sink=str(sink), asynchronous=True)
    log = FaultLog()
    faults.hold(alone(client, log), "consumer", "handed")
    until(lambda: client.latest.get("delivered") == 100, LIMIT_S, "the polling stood still, too")
    faults.kill_client(alone(client, log), "consumer")
    assert len(consumers.table(tmp_path, "deliveries")) == 100, "written down before the kill"
    assert len(effects(sink)["value"]) < 100


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_client_that_is_let_go_does_all_its_work(
    broker: Producer, tmp_path: Path, sink: Path, asynchronous: bool
) -> None:
    client = start(tmp_path, broker, "after-processing", sink=str(sink), asynchronous=asynchronous)
    log = FaultLog()
    faults.hold(alone(client, log), "consumer", "handed")
    assert faults.resume_client(alone(client, log), "consumer")[0].phase == "complete"
    client.ask_to_stop()
    assert client.await_end(LIMIT_S)["delivered"] == 100
    assert effects(sink)["applied"] == [1] * 100
    assert consumers.committed(broker) == dict.fromkeys(range(4), 25)
    assert [row.fault for row in log.rows] == ["hold", "hold", "resume", "resume"]


def test_a_killed_producer_has_written_down_what_nobody_answered_for(tmp_path: Path) -> None:
    client = producers.start(tmp_path, producers.NOBODY)
    producers.await_count(client, "sent", 50)
    assert faults.kill_client(alone(client, FaultLog()), "consumer")[0].phase == "complete"
    rows = producers.sends(tmp_path)
    assert len(rows) == client.latest["next"] >= 50
    assert {(row["outcome"], row["completed_ns"]) for row in rows} == {("info", None)}
    assert client.latest["unanswered"] == sorted(row["value"] for row in rows)


def test_a_successor_sends_again_what_it_was_told_and_goes_on(tmp_path: Path) -> None:
    client = producers.start(
        tmp_path, producers.MOCK, part="producer-2", first=100, again=[7, 9], rate_per_s=100
    )
    producers.await_count(client, "acknowledged", 10)
    client.ask_to_stop()
    client.await_end(LIMIT_S)
    rows = sorted(producers.sends(tmp_path), key=lambda row: row["invoked_ns"])
    assert [row["value"] for row in rows] == [7, 9, *range(100, 98 + len(rows))]
    assert {row["producer"] for row in rows} == {"producer-1"}


def test_a_client_that_is_gone_cannot_be_held_or_killed(broker: Producer, tmp_path: Path) -> None:
    client = start(tmp_path, broker, "after-processing")
    client.await_ready(LIMIT_S)
    client.kill()
    gone = alone(client, FaultLog())
    for row in (
        *faults.kill_client(gone, "consumer"),
        *faults.hold(gone, "consumer", "handed"),
    ):
        assert (row.phase, "ended with code -9" in row.evidence) == ("failed", True)


def test_a_client_that_somebody_else_kills_has_failed_and_says_so(
    broker: Producer, tmp_path: Path
) -> None:
    client = start(tmp_path, broker, "after-processing")
    client.await_ready(LIMIT_S)
    os.kill(client.pid, signal.SIGKILL)
    until(lambda: client.returncode is not None, LIMIT_S, "it did not end")
    client.kill()
    assert not client.killed
    with pytest.raises(ClientFailed, match="was killed, and not by this run"):
        client.await_end(LIMIT_S)


def test_one_that_ended_by_itself_hears_nothing_and_is_no_successor(tmp_path: Path) -> None:
    client = producers.start(tmp_path, {"no.such.setting": 1})
    until(lambda: client.returncode is not None, LIMIT_S, "it did not end")
    assert faults.hold(alone(client, FaultLog()), "consumer", "polling")[0].phase == "failed"
    successor = alone(client, FaultLog(), start=lambda: client)
    assert faults.start_successor(successor, "producer")[0].phase == "failed"
    client.ask_to_stop()
    client.kill()


def test_a_successor_that_does_not_come_is_a_failed_restart() -> None:
    def start() -> ClientProcess:
        raise ClientFailed("the consumer-2 ended with code 1")

    none = alone(None, FaultLog(), start)
    (row,) = faults.start_successor(none, "consumer")
    assert (row.phase, row.evidence) == ("failed", "the consumer-2 ended with code 1")


@pytest.mark.parametrize(("habit", "done"), [("retry", 0), ("skip", 99)])
def test_a_message_that_always_fails_holds_all_up_or_is_passed_over_alone(
    broker: Producer, tmp_path: Path, sink: Path, habit: str, done: int
) -> None:
    client = start(tmp_path, broker, "after-processing", sink=str(sink), on_error=habit)
    log = FaultLog()
    faults.hold(alone(client, log), "consumer", "handed")
    (spoilt,) = faults.spoil(alone(client, log), "consumer")
    words = {"retry": "tries it again", "skip": "continues without it"}[habit]
    assert (spoilt.phase, words in spoilt.evidence) == ("complete", True)
    if habit == "skip":
        until(lambda: client.latest.get("delivered") == 100, LIMIT_S, "it did not go on")
    assert len(effects(sink)["value"]) == done
    if habit == "retry":
        assert faults.cure(alone(client, log), "consumer")[0].phase == "complete"
    client.ask_to_stop()
    client.await_end(LIMIT_S)
    assert len(effects(sink)["value"]) == (100 if habit == "retry" else done)


@pytest.mark.parametrize(
    ("habit", "done", "position"), [("retry", 100, 100), ("skip", 90, 100), ("close", 0, 10)]
)
def test_what_cannot_be_processed_is_tried_again_passed_over_or_left_with_a_commit_past_it(
    broker: Producer, tmp_path: Path, sink: Path, habit: str, done: int, position: int
) -> None:
    client, log = (
        start(tmp_path, broker, "client-stores", sink=str(sink), on_error=habit),
        FaultLog(),
    )
    faults.hold(alone(client, log), "consumer", "handed")
    (failed,) = faults.fail(alone(client, log), "consumer")
    assert (failed.phase, "10 records in hand" in failed.evidence) == ("complete", True)
    if habit == "close":
        assert client.await_end(LIMIT_S)["stopped"]
    else:
        until(lambda: client.latest.get("delivered") == 100, LIMIT_S, "it did not go on")
        client.ask_to_stop()
        assert client.await_end(LIMIT_S)["stopped"] is None
    assert len(effects(sink)["value"]) == done
    assert sum(max(at, 0) for at in consumers.committed(broker).values()) == position
