"""The process of a Spark query, its driver and its JVM, on real brokers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.clients import checkpoint, sink
from labs.engine.clients.executors import executors
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.query import QueryConfig
from labs.engine.clients.sending_query import SinkConfig
from labs.engine.cluster.cluster import Cluster

pytestmark = [pytest.mark.cluster, pytest.mark.spark, pytest.mark.timeout(400)]

TOPIC, SENT = "orders", "sent"
LIMIT_S = 180.0


def send(broker: Producer, values: range) -> None:
    for value in values:
        broker.produce(TOPIC, str(value), partition=0)
    assert broker.flush(LIMIT_S) == 0


def start(folder: Path, bootstrap: str, name: str) -> ClientProcess:
    config = QueryConfig(
        ledger=str(folder / "ledger"), name=name, group="app", topic=TOPIC,
        isolation="read_uncommitted", checkpoint=str(folder / "checkpoint"),
        scratch=str(folder / name), sink=str(folder / "sink.sqlite"), drain_limit_s=LIMIT_S,
        options={
            "kafka.bootstrap.servers": bootstrap, "subscribe": TOPIC,
            "startingOffsets": "earliest", "kafka.fetch.max.wait.ms": "10",
        },
    )  # fmt: skip
    return ClientProcess("query", config, folder, folder, name)


def group_is_gone(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return True
    return False


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / "ledger" / f"{name}.parquet").to_pylist()


def read(bootstrap: str) -> list[int]:
    """All values in the log of `SENT`."""
    at = TopicPartition(SENT, 0, 0)
    reader = Consumer({"bootstrap.servers": bootstrap, "group.id": "reader"})
    reader.assign([at])
    _, end = reader.get_watermark_offsets(at, LIMIT_S)
    messages = reader.consume(end, LIMIT_S)
    reader.close()
    return [int(message.value() or b"") for message in messages]


@pytest.mark.thorough  # `make test` has the experiment `batch-again` (test_scenarios.py)
def test_the_driver_after_a_dead_one_repeats_its_batch(tmp_path: Path, cluster: Cluster) -> None:
    cluster.create_topic(TOPIC, 1, 3, {})
    broker = Producer({"bootstrap.servers": cluster.bootstrap})
    first = start(tmp_path, cluster.bootstrap, "consumer-1")
    first.await_ready(LIMIT_S)
    send(broker, range(10))
    # Waiting for deliveries is not enough: the hold would catch the unfinished first batch.
    until(
        lambda: checkpoint.committed_offsets(tmp_path / "checkpoint", TOPIC) == {0: 10},
        LIMIT_S,
        "the first batch is not done",
    )
    first.send("hold processed")
    send(broker, range(10, 15))
    until(lambda: first.latest.get("standing") == "processed", LIMIT_S, "it does not stand")
    first.kill()
    until(lambda: group_is_gone(first.pid), LIMIT_S, "the JVM outlived its driver")

    second = start(tmp_path, cluster.bootstrap, "consumer-2")
    second.await_ready(LIMIT_S)
    second.ask_to_stop()
    assert second.await_end(LIMIT_S)["stopped"] is None
    deliveries = [(row["consumer"], row["value"]) for row in table(tmp_path, "deliveries")]
    assert deliveries == [
        *(("consumer-1", value) for value in range(15)),
        *(("consumer-2", value) for value in range(10, 15)),
    ]
    effects = sink.effects(tmp_path / "sink.sqlite")
    assert dict(zip(effects["value"], effects["applied"], strict=True)) == {
        value: 2 if value >= 10 else 1 for value in range(15)
    }
    ends = [(row["consumer"], row["offset"]) for row in table(tmp_path, "commits")]
    assert ends == [("consumer-1", 10), ("consumer-2", 15)]


def pause_causes_duplicates(client: ClientProcess, rows: int, cluster: Cluster) -> bool:
    """Whether the log has a value twice after an executor was paused and resumed."""
    client.send("pause")
    until(lambda: client.latest.get("paused"), LIMIT_S, "no executor stands still")
    states = [set(processes.thread_states(pid)) for pid in executors(client.pid).values()]
    assert len(states) == 2
    assert states.count({"T"}) == 1
    # The batch of the paused task, and another: the first cannot finish without that task.
    target = client.latest["acknowledged"] + 2 * rows
    until(lambda: client.latest["acknowledged"] >= target, LIMIT_S, "the query waits for the task")

    client.send("resume")
    until(lambda: client.latest.get("resumed"), LIMIT_S, "the executor still stands")
    assert "other attempts of its task that Spark started: 1" in client.latest["resumed"]
    logged = read(cluster.bootstrap)
    return len(logged) > len(set(logged))


@pytest.mark.thorough  # in `make test` small processes stand in for executors: test_executors.py
def test_a_paused_task_is_tried_elsewhere_and_both_attempts_send(
    tmp_path: Path, cluster: Cluster
) -> None:
    cluster.create_topic(SENT, 1, 3, {})
    rows, name = 200, "producer-1"
    config = SinkConfig(
        ledger=str(tmp_path / "ledger"), name=name, part=name, topic=SENT, rows=rows, tasks=10,
        row_ms=20, workers=("127.0.0.1", "127.0.0.2"), conf={"spark.speculation": "true"},
        options={"kafka.bootstrap.servers": cluster.bootstrap, "topic": SENT},
        checkpoint=str(tmp_path / "checkpoint"), scratch=str(tmp_path / name),
    )  # fmt: skip
    client = ClientProcess("sending_query", config, tmp_path, tmp_path, name)
    until(lambda: client.latest.get("acknowledged"), LIMIT_S, "nothing was acknowledged")
    # On a busy machine a paused task may have sent nothing yet, and Spark ends it as soon as it
    # resumes. Then another one is paused.
    until(lambda: pause_causes_duplicates(client, rows, cluster), LIMIT_S, "nothing was sent twice")
    client.ask_to_stop()
    client.await_end(LIMIT_S)
    until(lambda: group_is_gone(client.pid), LIMIT_S, "an executor outlived its driver")
    sends = table(tmp_path, "sends")
    assert {row["outcome"] for row in sends} == {"ok"}  # a stop lets the last batch finish
    logged = read(cluster.bootstrap)
    assert set(logged) == {row["value"] for row in sends}
    assert len(logged) > len(sends)
