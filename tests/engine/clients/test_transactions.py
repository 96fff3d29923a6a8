"""A producer that sends in transactions, on librdkafka's mock brokers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.engine.faults import clients as faults
from labs.engine.faults.record import FaultLog
from tests.engine.clients import test_producer as producers
from tests.engine.clients.ending import stop
from tests.engine.rigs import client_rig

pytestmark = pytest.mark.process

MOCK = {**producers.MOCK, "transactional.id": "orders-1"}


def table(folder: Path) -> dict[str, dict[str, Any]]:
    rows = pq.read_table(folder / "ledger" / "transactions.parquet").to_pylist()
    return {row["transaction"]: row for row in rows}


def outcomes(folder: Path) -> dict[str, str]:
    return {name: row["outcome"] for name, row in table(folder).items()}


def test_every_send_is_in_a_transaction_with_a_known_outcome(tmp_path: Path) -> None:
    client, log = producers.start(tmp_path, MOCK), FaultLog()
    for _ in range(2):  # the second hold is in a later transaction, which has records
        producers.await_count(client, "acknowledged", client.latest.get("acknowledged", 0) + 1)
        assert (
            faults.hold(client_rig(client, log), "consumer", "in-transaction")[0].phase
            == "complete"
        )
        assert faults.resume_client(client_rig(client, log), "consumer")[0].phase == "complete"
    answers = stop(client)
    rows = producers.sends(tmp_path)
    assert answers["fatal"] is None
    assert len(rows) == answers["acknowledged"] == answers["sent"]
    assert {row["transaction"] for row in rows} <= outcomes(tmp_path).keys()
    assert len({row["transaction"] for row in rows}) > 1
    assert set(outcomes(tmp_path).values()) == {"committed"}
    for row in rows:
        transaction = table(tmp_path)[row["transaction"]]
        assert (
            transaction["began_ns"]
            <= row["invoked_ns"]
            <= row["completed_ns"]
            <= transaction["ended_ns"]
        )


def test_a_producer_killed_in_a_transaction_reports_it_and_its_records(
    tmp_path: Path,
) -> None:
    client, log = producers.start(tmp_path, MOCK), FaultLog()
    producers.await_count(client, "acknowledged", 100)
    (held,) = faults.hold(client_rig(client, log), "consumer", "in-transaction")
    assert "records in an open transaction" in held.evidence
    assert faults.kill_client(client_rig(client, log), "consumer")[0].phase == "complete"
    left_open = client.latest["left_open"]
    assert left_open not in outcomes(tmp_path)
    inside = [row for row in producers.sends(tmp_path) if row["transaction"] == left_open]
    assert [row["value"] for row in inside] == client.latest["unanswered"]
    assert all(row["outcome"] == "ok" and row["offset"] is not None for row in inside)


def test_a_successor_records_the_transaction_left_open_as_aborted(tmp_path: Path) -> None:
    client = producers.start(
        tmp_path, MOCK, part="producer-2", first=100, again=[98, 99], left_open="producer-1-7"
    )
    producers.await_count(client, "acknowledged", 20)
    stop(client)
    outcome_by_name = outcomes(tmp_path)
    assert outcome_by_name.pop("producer-1-7") == "aborted"
    assert table(tmp_path)["producer-1-7"]["began_ns"] is None
    assert set(outcome_by_name.values()) == {"committed"}
    first = sorted(producers.sends(tmp_path), key=lambda row: row["invoked_ns"])[:2]
    assert [row["value"] for row in first] == [98, 99]
    assert {row["transaction"] for row in first} <= outcome_by_name.keys()
