"""A consume-transform-produce application, on librdkafka's mock brokers."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer

from labs.engine.base.wait import until
from labs.engine.clients.process import ClientProcess
from labs.engine.clients.reader import ReaderConfig
from labs.engine.clients.transformer import TransformerConfig
from labs.engine.faults import clients as faults
from labs.engine.faults.record import FaultLog
from tests.engine.clients import test_consumer as consumers
from tests.engine.clients.ending import LIMIT_S, stop
from tests.engine.clients.test_consumer import broker
from tests.engine.rigs import client_rig

__all__ = ["broker"]  # the fixture

pytestmark = pytest.mark.process

OUTPUT = "orders-made"
VALUES = range(100)


def start(folder: Path, broker: Producer, **options: Any) -> ClientProcess:
    """An instance that reads everything, and commits its output and offsets in transactions."""
    bootstrap = consumers.address(broker)
    broker.list_topics(OUTPUT, timeout=LIMIT_S)  # creates the topic
    config = TransformerConfig(
        ledger=str(folder / "ledger"), name="consumer-1", group="app", topic=consumers.TOPIC,
        client={
            "bootstrap.servers": bootstrap, "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
        },
        max_poll=10, drain_limit_s=LIMIT_S, output=OUTPUT,
        **{
            "commit": "after-processing", "in_transaction": True,
            "producer": {"bootstrap.servers": bootstrap, "transactional.id": "orders-1"}, **options,
        },
    )  # fmt: skip
    return ClientProcess("transformer", config, folder, folder)


def applied(folder: Path, broker: Producer, sink: str = "plain") -> Counter[int]:
    """The effects in the ledger: how often a reader of the output received each value."""
    config = ReaderConfig(
        ledger=str(folder / "ledger"), bootstrap=consumers.address(broker), topic=OUTPUT,
        isolation="read_uncommitted", cleanup_policy="delete", limit_s=LIMIT_S, sink=sink,  # type: ignore[arg-type]
    )  # fmt: skip
    assert ClientProcess("reader", config, folder, folder).await_end(LIMIT_S)["completed"]
    rows = consumers.table(folder, "effects")
    assert {row["sink"] for row in rows} <= {f"topic {OUTPUT}"}
    return Counter({row["value"]: row["applied"] for row in rows})


@pytest.mark.parametrize("in_transaction", [True, False])
def test_each_message_is_written_once_and_its_offset_is_committed(
    tmp_path: Path, broker: Producer, in_transaction: bool
) -> None:
    consumers.send(broker, VALUES)
    client = start(tmp_path, broker, in_transaction=in_transaction)
    until(lambda: client.latest.get("delivered") == 100, LIMIT_S, "not all was read")
    assert stop(client)["stopped"] is None
    assert applied(tmp_path, broker) == Counter(VALUES)
    if not in_transaction:  # the mock brokers drop offsets that are committed in transactions
        assert sum(consumers.committed(broker).values()) == 100
    commits = consumers.table(tmp_path, "commits")
    assert commits
    assert {row["outcome"] for row in commits} == {"ok"}


@pytest.mark.parametrize("rewinds", [True, False])
def test_after_a_pause_it_continues_and_after_an_abort_it_rereads_or_skips_its_input(
    tmp_path: Path, broker: Producer, rewinds: bool
) -> None:
    consumers.send(broker, VALUES)
    client, log = start(tmp_path, broker, rewinds=rewinds), FaultLog()
    faults.hold(client_rig(client, log), "consumer", "processed")
    assert "state T in all" in faults.pause_client(client_rig(client, log), "consumer")[0].evidence
    assert faults.resume_client(client_rig(client, log), "consumer")[0].phase == "complete"
    client.send("hold processed")  # before more is sent: it may have processed the rest
    consumers.send(broker, range(100, 200))
    (held,) = faults.hold(client_rig(client, log), "consumer", "processed")
    assert "all of them are processed" in held.evidence
    (failed,) = faults.fail(client_rig(client, log), "consumer")
    assert failed.phase == "complete"
    assert "is aborted" in failed.evidence
    until(lambda: client.latest.get("delivered", 0) >= 200, LIMIT_S, "not all was read")
    assert stop(client)["stopped"] is None
    delivered = Counter(row["value"] for row in consumers.table(tmp_path, "deliveries"))
    assert delivered.keys() == set(range(200))
    assert (max(delivered.values()) > 1) == rewinds


@pytest.mark.parametrize(("on_error", "commits"), [("close", True), ("retry", False)])
def test_an_application_that_fails_commits_its_offsets_only_if_it_closes_its_consumer(
    tmp_path: Path, broker: Producer, on_error: str, commits: bool
) -> None:
    consumers.send(broker, VALUES)
    unreachable = {"bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 300}
    client = start(
        tmp_path, broker, in_transaction=False, commit="next-poll-stores", on_error=on_error,
        producer=unreachable,
    )  # fmt: skip
    assert "_MSG_TIMED_OUT" in client.await_end(LIMIT_S)["stopped"]
    assert (max(consumers.committed(broker).values()) > 0) == commits


def test_an_idempotent_reader_counts_each_value_once(tmp_path: Path, broker: Producer) -> None:
    broker.list_topics(OUTPUT, timeout=LIMIT_S)
    for value in (1, 1, 2):
        broker.produce(OUTPUT, str(value))
    assert broker.flush(LIMIT_S) == 0
    assert applied(tmp_path, broker, "idempotent") == Counter({1: 1, 2: 1})
