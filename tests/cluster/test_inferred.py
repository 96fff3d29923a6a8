"""Facts that the fact base only infers, confirmed on real brokers (R-C5, R-S7)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer

from labs.engine.base.slots import slot
from labs.engine.base.wait import until
from labs.engine.cluster.cluster import Cluster
from labs.engine.distributions.distribution import Distribution
from labs.engine.distributions.java import Java
from labs.engine.faults.kill import kill
from labs.engine.faults.record import FaultLog
from labs.engine.faults.roles import leader
from tests.engine.rigs import rig

pytestmark = pytest.mark.cluster
SESSION_TIMEOUT_MS, SCAN_INTERVAL_MS, SHORT_MS = 6_000, 500, 1_000


@pytest.fixture(scope="module")
def booted(
    distribution: Distribution, java: Java, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Cluster]:
    """Three brokers that look for expired transactions twice a second."""
    settings = {
        "broker.session.timeout.ms": SESSION_TIMEOUT_MS,
        "transaction.abort.timed.out.transaction.cleanup.interval.ms": SCAN_INTERVAL_MS,
    }
    folder: Path = tmp_path_factory.mktemp("cluster")
    with slot(), Cluster(distribution, java, folder, settings=settings) as cluster:
        yield cluster


def test_every_record_that_consume_returned_counts_as_processed(cluster: Cluster) -> None:
    cluster.create_topic("batch", 1, 3)
    producer = Producer({"bootstrap.servers": cluster.bootstrap, "log_level": 0})
    for value in range(100):
        producer.produce("batch", str(value))
    assert producer.flush(60) == 0
    reader = Consumer(
        {
            "bootstrap.servers": cluster.bootstrap, "group.id": "batches",
            "auto.offset.reset": "earliest", "log_level": 0,
        }
    )  # fmt: skip
    reader.subscribe(["batch"])
    batch = until(lambda: reader.consume(40, 1), 60, "the group was handed nothing")
    # The application is at the first record of its batch; auto-commit would commit this position.
    (position,) = reader.commit(asynchronous=False) or []
    reader.close()
    assert len(batch) > 1
    last = batch[-1].offset()
    assert last is not None
    assert position.offset == last + 1


def test_a_transaction_timeout_shorter_than_a_failover_aborts_the_transaction(
    cluster: Cluster,
) -> None:
    cluster.create_topic("orders", 1, 3)
    impatient, patient = transactional(cluster, SHORT_MS), transactional(cluster, 60_000)
    for producer in (impatient, patient):
        producer.init_transactions(60)
        producer.begin_transaction()
        producer.produce("orders", "before")
        assert producer.flush(60) == 0
    kill(rig(cluster, FaultLog()), leader("orders"))
    for producer in (impatient, patient):
        producer.produce("orders", "after")
    patient.commit_transaction(60)
    with pytest.raises(KafkaException) as refused:
        impatient.commit_transaction(60)
    assert refused.value.args[0].txn_requires_abort() or refused.value.args[0].fatal()


def transactional(cluster: Cluster, timeout_ms: int) -> Producer:
    return Producer(
        {
            "bootstrap.servers": cluster.bootstrap, "log_level": 0,
            "transactional.id": f"within-{timeout_ms}", "transaction.timeout.ms": timeout_ms,
        }
    )  # fmt: skip
