"""The final reader on a log that ends with an open transaction."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Event

import pytest
from confluent_kafka import Producer

from labs.engine.base.slots import slot
from labs.engine.clients.reader import ReaderConfig, Reading
from labs.engine.cluster.cluster import Cluster
from labs.engine.cluster.nodes import Layout
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(120)]

TOPIC = "held-back"


@pytest.fixture
def broker(distribution: Distribution, java: Java, tmp_path: Path) -> Iterator[Cluster]:
    """A cluster of one broker: replicas play no role here."""
    with slot(), Cluster(distribution, java, tmp_path / "cluster", Layout(1)) as cluster:
        yield cluster


def read_to_the_end(broker: Cluster, folder: Path, limit_s: float) -> tuple[bool, int]:
    config = ReaderConfig(
        str(folder), broker.bootstrap, TOPIC, "read_committed", "delete", limit_s, sink="plain"
    )
    reading = Reading(config, Event())
    reading.run()
    return reading.completed, reading.sink.count


def test_the_reader_waits_for_records_after_an_open_transaction(
    broker: Cluster, tmp_path: Path
) -> None:
    """The last stable offset is the start of the open transaction, not the log end."""
    broker.create_topic(TOPIC, 1, 1, {})
    client_config = {"bootstrap.servers": broker.bootstrap}
    hanging = Producer({**client_config, "transactional.id": "held-back"})
    hanging.init_transactions(30)
    hanging.begin_transaction()
    hanging.produce(TOPIC, b"1")
    hanging.flush(30)
    plain = Producer(client_config)
    plain.produce(TOPIC, b"2")
    assert plain.flush(30) == 0
    assert read_to_the_end(broker, tmp_path / "open", limit_s=3) == (False, 0)
    hanging.abort_transaction(30)
    assert read_to_the_end(broker, tmp_path / "aborted", limit_s=30) == (True, 1)
