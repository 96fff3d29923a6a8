"""A transforming application, on librdkafka's own mock brokers."""

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
from tests.engine.clients.test_consumer import broker
from tests.engine.rigs import alone

__all__ = ["broker"]  # the fixture

pytestmark = pytest.mark.process

LIMIT_S = consumers.LIMIT_S
OUTPUT = "orders-made"
VALUES = range(100)


def start(folder: Path, broker: Producer, **options: Any) -> ClientProcess:
    """An instance that reads all and writes in transactions, its offsets with them."""
    at = consumers.address(broker)
    broker.list_topics(OUTPUT, timeout=LIMIT_S)  # makes the topic
    config = TransformerConfig(
        ledger=str(folder / "ledger"), name="consumer-1", group="app", topic=consumers.TOPIC,
        client={
            "bootstrap.servers": at, "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
        },
        max_poll=10, drain_limit_s=LIMIT_S, output=OUTPUT,
        **{
            "commit": "after-processing", "in_transaction": True,
            "producer": {"bootstrap.servers": at, "transactional.id": "orders-1"}, **options,
        },
    )  # fmt: skip
    return ClientProcess("transformer", config, folder, folder)


def stopped(client: ClientProcess) -> dict[str, Any]:
    client.ask_to_stop()
    return client.await_end(LIMIT_S)


def applied(folder: Path, broker: Producer, sink: str = "plain") -> Counter[int]:
    """What a reader of the output was handed, as the ledger has it."""
    config = ReaderConfig(
        ledger=str(folder / "ledger"), bootstrap=consumers.address(broker), topic=OUTPUT,
        isolation="read_uncommitted", cleanup_policy="delete", limit_s=LIMIT_S, sink=sink,  # type: ignore[arg-type]
    )  # fmt: skip
    assert ClientProcess("reader", config, folder, folder).await_end(LIMIT_S)["completed"]
    rows = consumers.table(folder, "effects")
    assert {row["sink"] for row in rows} <= {f"topic {OUTPUT}"}
    return Counter({row["value"]: row["applied"] for row in rows})


@pytest.mark.parametrize("in_transaction", [True, False])
def test_each_message_is_written_once_and_its_offset_committed(
    tmp_path: Path, broker: Producer, in_transaction: bool
) -> None:
    consumers.send(broker, VALUES)
    client = start(tmp_path, broker, in_transaction=in_transaction)
    until(lambda: client.latest.get("delivered") == 100, LIMIT_S, "not all was read")
    assert stopped(client)["stopped"] is None
    assert applied(tmp_path, broker) == Counter(VALUES)
    if not in_transaction:  # the mock brokers forget offsets that came in a transaction
        assert sum(consumers.committed(broker).values()) == 100
    commits = consumers.table(tmp_path, "commits")
    assert commits
    assert {row["outcome"] for row in commits} == {"ok"}


@pytest.mark.parametrize("rewinds", [True, False])
def test_paused_it_goes_on_and_after_an_abort_it_reads_its_input_again_or_goes_on_behind_it(
    tmp_path: Path, broker: Producer, rewinds: bool
) -> None:
    consumers.send(broker, VALUES)
    client, log = start(tmp_path, broker, rewinds=rewinds), FaultLog()
    faults.hold(alone(client, log), "consumer", "processed")
    assert "state T in all" in faults.pause_client(alone(client, log), "consumer")[0].evidence
    assert faults.resume_client(alone(client, log), "consumer")[0].phase == "complete"
    client.send("hold processed")  # before there is more to process: it may be done with the rest
    consumers.send(broker, range(100, 200))
    (held,) = faults.hold(alone(client, log), "consumer", "processed")
    assert "all of them are processed" in held.evidence
    (failed,) = faults.fail(alone(client, log), "consumer")
    assert failed.phase == "complete"
    assert "is aborted" in failed.evidence
    until(lambda: client.latest.get("delivered", 0) >= 200, LIMIT_S, "not all was read")
    assert stopped(client)["stopped"] is None
    delivered = Counter(row["value"] for row in consumers.table(tmp_path, "deliveries"))
    assert delivered.keys() == set(range(200))
    assert (max(delivered.values()) > 1) == rewinds


@pytest.mark.parametrize(("on_error", "saves"), [("close", True), ("retry", False)])
def test_one_that_cannot_go_on_saves_its_place_only_if_failing_closes_its_consumer(
    tmp_path: Path, broker: Producer, on_error: str, saves: bool
) -> None:
    consumers.send(broker, VALUES)
    nowhere = {"bootstrap.servers": "127.0.0.1:1", "message.timeout.ms": 300}
    client = start(
        tmp_path, broker, in_transaction=False, commit="next-poll-stores", on_error=on_error,
        producer=nowhere,
    )  # fmt: skip
    assert "_MSG_TIMED_OUT" in client.await_end(LIMIT_S)["stopped"]
    assert (max(consumers.committed(broker).values()) > 0) == saves


def test_a_reader_that_knows_what_it_was_handed_counts_it_once(
    tmp_path: Path, broker: Producer
) -> None:
    broker.list_topics(OUTPUT, timeout=LIMIT_S)
    for value in (1, 1, 2):
        broker.produce(OUTPUT, str(value))
    assert broker.flush(LIMIT_S) == 0
    assert applied(tmp_path, broker, "idempotent") == Counter({1: 1, 2: 1})
