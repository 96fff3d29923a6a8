"""Clients that are held at a point and killed there, on librdkafka's mock brokers."""

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
from tests.engine.clients.ending import LIMIT_S, stop
from tests.engine.rigs import client_rig

pytestmark = pytest.mark.process


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


def kill_at(point: str, client: ClientProcess) -> FaultLog:
    log = FaultLog()
    (held,) = faults.hold(client_rig(client, log), "consumer", point)
    assert (held.phase, held.target) == ("complete", "consumer: consumer")
    (row,) = faults.kill_client(client_rig(client, log), "consumer")
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
def test_a_consumer_killed_at_a_point_leaves_its_commits_behind_level_or_ahead(
    broker: Producer, tmp_path: Path, sink: Path, commit: str, point: str, committed_is: str
) -> None:
    kill_at(point, start(tmp_path, broker, commit, sink=str(sink)))
    delivered = {row["value"] for row in consumers.table(tmp_path, "deliveries")}
    processed = set(effects(sink)["value"])
    assert processed <= delivered
    position = sum(max(offset, 0) for offset in consumers.committed(broker).values())
    ahead = position - len(processed)
    assert (ahead > 0) - (ahead < 0) == {"behind": -1, "level": 0, "ahead": 1}[committed_is]


def test_an_asynchronous_consumer_keeps_polling_while_its_threads_are_held(
    broker: Producer, tmp_path: Path, sink: Path
) -> None:
    client = start(tmp_path, broker, "next-poll-stores", sink=str(sink), asynchronous=True)
    log = FaultLog()
    faults.hold(client_rig(client, log), "consumer", "handed")
    until(lambda: client.latest.get("delivered") == 100, LIMIT_S, "the polling stood still, too")
    faults.kill_client(client_rig(client, log), "consumer")
    assert len(consumers.table(tmp_path, "deliveries")) == 100, "written down before the kill"
    assert len(effects(sink)["value"]) < 100


@pytest.mark.parametrize("asynchronous", [False, True])
def test_a_resumed_client_completes_all_its_work(
    broker: Producer, tmp_path: Path, sink: Path, asynchronous: bool
) -> None:
    client = start(tmp_path, broker, "after-processing", sink=str(sink), asynchronous=asynchronous)
    log = FaultLog()
    faults.hold(client_rig(client, log), "consumer", "handed")
    assert faults.resume_client(client_rig(client, log), "consumer")[0].phase == "complete"
    assert stop(client)["delivered"] == 100
    assert effects(sink)["applied"] == [1] * 100
    assert consumers.committed(broker) == dict.fromkeys(range(4), 25)
    assert [row.fault for row in log.rows] == ["hold", "hold", "resume", "resume"]


def test_a_killed_producer_has_recorded_its_unanswered_sends(tmp_path: Path) -> None:
    client = producers.start(tmp_path, producers.NOBODY)
    producers.await_count(client, "sent", 50)
    assert faults.kill_client(client_rig(client, FaultLog()), "consumer")[0].phase == "complete"
    rows = producers.sends(tmp_path)
    assert len(rows) == client.latest["next"] >= 50
    assert {(row["outcome"], row["completed_ns"]) for row in rows} == {("info", None)}
    assert client.latest["unanswered"] == sorted(row["value"] for row in rows)


def test_a_successor_resends_the_given_values_and_continues(tmp_path: Path) -> None:
    client = producers.start(
        tmp_path, producers.MOCK, part="producer-2", first=100, again=[7, 9], rate_per_s=100
    )
    producers.await_count(client, "acknowledged", 10)
    stop(client)
    rows = sorted(producers.sends(tmp_path), key=lambda row: row["invoked_ns"])
    assert [row["value"] for row in rows] == [7, 9, *range(100, 98 + len(rows))]
    assert {row["producer"] for row in rows} == {"producer-1"}


def test_a_client_that_has_ended_cannot_be_held_or_killed(broker: Producer, tmp_path: Path) -> None:
    client = start(tmp_path, broker, "after-processing")
    client.await_ready(LIMIT_S)
    client.kill()
    ended_client = client_rig(client, FaultLog())
    for row in (
        *faults.kill_client(ended_client, "consumer"),
        *faults.hold(ended_client, "consumer", "handed"),
    ):
        assert (row.phase, "ended with code -9" in row.evidence) == ("failed", True)


def test_a_client_killed_by_another_process_fails_with_a_message(
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


def test_a_client_that_ended_by_itself_cannot_be_held_or_serve_as_successor(tmp_path: Path) -> None:
    client = producers.start(tmp_path, {"no.such.setting": 1})
    until(lambda: client.returncode is not None, LIMIT_S, "it did not end")
    assert faults.hold(client_rig(client, FaultLog()), "consumer", "polling")[0].phase == "failed"
    successor = client_rig(client, FaultLog(), start=lambda: client)
    assert faults.start_successor(successor, "producer")[0].phase == "failed"
    client.ask_to_stop()
    client.kill()


def test_a_successor_that_cannot_start_is_a_failed_restart() -> None:
    def start() -> ClientProcess:
        raise ClientFailed("the consumer-2 ended with code 1")

    no_client = client_rig(None, FaultLog(), start)
    (row,) = faults.start_successor(no_client, "consumer")
    assert (row.phase, row.evidence) == ("failed", "the consumer-2 ended with code 1")


@pytest.mark.parametrize(("on_error", "processed"), [("retry", 0), ("skip", 99)])
def test_a_message_that_always_fails_blocks_the_consumer_or_is_skipped_alone(
    broker: Producer, tmp_path: Path, sink: Path, on_error: str, processed: int
) -> None:
    client = start(tmp_path, broker, "after-processing", sink=str(sink), on_error=on_error)
    log = FaultLog()
    faults.hold(client_rig(client, log), "consumer", "handed")
    (spoiled,) = faults.spoil(client_rig(client, log), "consumer")
    action = {"retry": "tries it again", "skip": "continues without it"}[on_error]
    assert (spoiled.phase, action in spoiled.evidence) == ("complete", True)
    if on_error == "skip":
        until(lambda: client.latest.get("delivered") == 100, LIMIT_S, "it did not go on")
    assert len(effects(sink)["value"]) == processed
    if on_error == "retry":
        assert faults.cure(client_rig(client, log), "consumer")[0].phase == "complete"
    stop(client)
    assert len(effects(sink)["value"]) == (100 if on_error == "retry" else processed)


@pytest.mark.parametrize(
    ("on_error", "processed", "position"),
    [("retry", 100, 100), ("skip", 90, 100), ("close", 0, 10)],
)
def test_a_failed_poll_is_retried_skipped_or_left_with_its_offsets_committed(
    broker: Producer, tmp_path: Path, sink: Path, on_error: str, processed: int, position: int
) -> None:
    client, log = (
        start(tmp_path, broker, "client-stores", sink=str(sink), on_error=on_error),
        FaultLog(),
    )
    faults.hold(client_rig(client, log), "consumer", "handed")
    (failed,) = faults.fail(client_rig(client, log), "consumer")
    assert (failed.phase, "10 records in hand" in failed.evidence) == ("complete", True)
    if on_error == "close":
        assert client.await_end(LIMIT_S)["stopped"]
    else:
        until(lambda: client.latest.get("delivered") == 100, LIMIT_S, "it did not go on")
        assert stop(client)["stopped"] is None
    assert len(effects(sink)["value"]) == processed
    assert sum(max(offset, 0) for offset in consumers.committed(broker).values()) == position
