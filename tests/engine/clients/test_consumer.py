"""The consumer process and the final reader, on librdkafka's mock brokers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from confluent_kafka import Consumer, Producer, TopicPartition

from labs.engine.base.wait import until
from labs.engine.clients.consumer import ConsumerConfig
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.reader import ReaderConfig
from tests.engine.clients.ending import LIMIT_S, stop

pytestmark = pytest.mark.process

TOPIC = "orders"


@pytest.fixture
def broker() -> Iterator[Producer]:
    """A producer with a built-in mock broker, which other clients reach over loopback."""
    producer = Producer({"test.mock.num.brokers": 1, "log_level": 0})
    producer.list_topics(TOPIC, timeout=LIMIT_S)  # creates the topic, with four partitions
    yield producer
    producer.close()


def address(broker: Producer) -> str:
    (metadata,) = broker.list_topics(timeout=LIMIT_S).brokers.values()
    return f"{metadata.host}:{metadata.port}"


def send(broker: Producer, values: range) -> None:
    for value in values:
        broker.produce(TOPIC, str(value), partition=value % 4)
    assert broker.flush(LIMIT_S) == 0


def start(
    folder: Path,
    broker: Producer,
    commit: Any,
    reset: str = "latest",
    drain_limit_s: float = LIMIT_S,
    max_poll: int = 10,
    **options: Any,
) -> ClientProcess:
    client: dict[str, str | int | bool] = {
        "bootstrap.servers": address(broker), "auto.offset.reset": reset,
        "isolation.level": "read_committed", "auto.commit.interval.ms": 60000,
    }  # fmt: skip
    config = ConsumerConfig(
        ledger=str(folder / "ledger"), name="consumer-1", group="app", topic=TOPIC,
        client=client, commit=commit, max_poll=max_poll, drain_limit_s=drain_limit_s, **options,
    )  # fmt: skip
    return ClientProcess("consumer", config, folder, folder)


def table(folder: Path, name: str) -> list[dict[str, Any]]:
    return pq.read_table(folder / "ledger" / f"{name}.parquet").to_pylist()


def committed(broker: Producer) -> dict[int, int]:
    consumer = Consumer({"bootstrap.servers": address(broker), "group.id": "app"})
    partitions = [TopicPartition(TOPIC, number) for number in range(4)]
    offsets = {
        partition.partition: partition.offset
        for partition in consumer.committed(partitions, timeout=LIMIT_S)
    }
    consumer.close()
    return offsets


COMMITS = [
    "client-stores", "next-poll-stores", "application-stores", "before-processing",
    "after-processing",
]  # fmt: skip


@pytest.mark.parametrize("commit", COMMITS)
def test_with_latest_nothing_sent_after_ready_is_missed(
    broker: Producer, tmp_path: Path, commit: str
) -> None:
    send(broker, range(100))
    consumer = start(tmp_path, broker, commit)
    consumer.await_ready(LIMIT_S)
    send(broker, range(100, 200))
    assert stop(consumer)["delivered"] == 100
    rows = table(tmp_path, "deliveries")
    assert sorted(row["value"] for row in rows) == list(range(100, 200))
    assert {(row["group"], row["isolation"]) for row in rows} == {("app", "read_committed")}
    assert committed(broker) == dict.fromkeys(range(4), 50), "what was committed at the end"
    commits = table(tmp_path, "commits")
    assert {(row["partition"], row["offset"]) for row in commits} >= {(n, 50) for n in range(4)}
    assert {row["outcome"] for row in commits} == {"ok"}


def test_commit_before_processing_commits_a_poll_before_its_deliveries_are_written(
    broker: Producer, tmp_path: Path
) -> None:
    send(broker, range(40))
    consumer = start(tmp_path, broker, "before-processing", reset="earliest")
    until(lambda: consumer.latest.get("delivered") == 40, LIMIT_S, "not all was delivered")
    stop(consumer)
    delivered_ns = {(row["partition"], row["offset"]): row["time_ns"]
              for row in table(tmp_path, "deliveries")}  # fmt: skip
    for commit in table(tmp_path, "commits"):
        assert commit["time_ns"] < delivered_ns[commit["partition"], commit["offset"] - 1]


@pytest.mark.parametrize(
    ("count", "limit_s", "behind"), [(20, LIMIT_S, False), (20_000, 0.5, True)]
)
def test_a_group_that_still_reads_at_its_drain_limit_is_behind(
    broker: Producer, tmp_path: Path, count: int, limit_s: float, behind: bool
) -> None:
    send(broker, range(count))
    group = start(
        tmp_path, broker, "after-processing", "earliest", drain_limit_s=limit_s, max_poll=1
    )
    until(lambda: group.latest.get("delivered", 0) > 0, LIMIT_S, "nothing was handed out")
    assert stop(group)["behind"] is behind


def test_a_group_without_a_start_offset_reports_the_error(broker: Producer, tmp_path: Path) -> None:
    consumer = start(tmp_path, broker, "after-processing", reset="error")
    consumer.await_ready(LIMIT_S)
    assert consumer.latest["failed"].startswith("_AUTO_OFFSET_RESET")
    assert stop(consumer)["delivered"] == 0


def read(folder: Path, broker: Producer, **options: Any) -> tuple[ClientProcess, ReaderConfig]:
    config = ReaderConfig(
        ledger=str(folder / "ledger"), topic=TOPIC, isolation="read_committed",
        cleanup_policy="delete", **{"bootstrap": address(broker), **options},
    )  # fmt: skip
    return ClientProcess("reader", config, folder, folder), config


def test_the_final_reader_reads_every_partition_from_start_to_end(
    broker: Producer, tmp_path: Path
) -> None:
    send(broker, range(2000))
    reader, _ = read(tmp_path, broker)
    assert reader.await_end(LIMIT_S)["completed"]
    rows = table(tmp_path, "deliveries")
    assert sorted(row["value"] for row in rows) == list(range(2000))
    assert {row["group"] for row in rows} == {"final"}
    ends = {(row["partition"], row["log_start_offset"], row["log_end_offset"])
            for row in table(tmp_path, "partitions")}  # fmt: skip
    assert ends == {(number, 0, 500) for number in range(4)}


def test_a_reader_that_reaches_no_broker_is_not_completed(broker: Producer, tmp_path: Path) -> None:
    reader, _ = read(tmp_path, broker, bootstrap="127.0.0.1:1", limit_s=1.0)
    assert reader.await_end(LIMIT_S)["completed"] is False
    assert table(tmp_path, "partitions") == []
