"""A Spark query's process, driver and JVM, on real brokers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import Producer

from labs.engine.clients import sink
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.query import QueryConfig
from labs.engine.kafka.cluster import Cluster
from labs.engine.wait import until

pytestmark = [pytest.mark.cluster, pytest.mark.spark, pytest.mark.timeout(400)]

TOPIC = "orders"
LIMIT_S = 90.0


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


def test_a_driver_that_dies_after_the_sink_is_followed_by_one_that_repeats_the_batch(
    tmp_path: Path, cluster: Cluster
) -> None:
    cluster.create_topic(TOPIC, 1, 3, {})
    broker = Producer({"bootstrap.servers": cluster.bootstrap})
    first = start(tmp_path, cluster.bootstrap, "consumer-1")
    first.await_ready(LIMIT_S)
    send(broker, range(10))
    until(lambda: first.latest.get("delivered") == 10, LIMIT_S, "the first batch did not come")
    first.tell("hold processed")
    send(broker, range(10, 15))
    until(lambda: first.latest.get("standing") == "processed", LIMIT_S, "it does not stand")
    first.kill()
    until(lambda: group_is_gone(first.pid), LIMIT_S, "the JVM outlived its driver")

    second = start(tmp_path, cluster.bootstrap, "consumer-2")
    second.await_ready(LIMIT_S)
    second.ask_to_stop()
    assert second.await_end(LIMIT_S)["stopped"] is None
    handed = [(row["consumer"], row["value"]) for row in table(tmp_path, "deliveries")]
    assert handed == [
        *(("consumer-1", value) for value in range(15)),
        *(("consumer-2", value) for value in range(10, 15)),
    ]
    left = sink.effects(tmp_path / "sink.sqlite")
    assert dict(zip(left["value"], left["applied"], strict=True)) == {
        value: 2 if value >= 10 else 1 for value in range(15)
    }
    ends = [(row["consumer"], row["offset"]) for row in table(tmp_path, "commits")]
    assert ends == [("consumer-1", 10), ("consumer-2", 15)]
