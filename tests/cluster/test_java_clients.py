"""Kafka's Java clients in place of librdkafka: a lost leader disk, and a zombie."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.calibration.cases import CASES
from tests.cluster.conftest import Outcome, Run
from tests.cluster.test_scenarios import JAVA_CASE, assert_proved

pytestmark = [pytest.mark.whole, pytest.mark.spark, pytest.mark.timeout(900)]

RELEASE = "4.3.1"
(LEADER_DISK_LOST,) = (case for case in CASES if case.name == JAVA_CASE)


@pytest.fixture(scope="module")
def lost_disk(run: Run) -> Outcome:
    return run(replace(LEADER_DISK_LOST.experiment(), java_clients=RELEASE))


def rows(result: dict[str, Any], table: str) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = pq.read_table(
        Path(result["ledger"]) / f"{table}.parquet"
    ).to_pylist()
    return read


def test_one_copy_loses_acknowledged_messages_and_two_do_not(lost_disk: Outcome) -> None:
    assert_proved(LEADER_DISK_LOST, lost_disk)
    assert lost_disk[0]["good"]["counts"]["ok"] > 0
    for result in lost_disk[0].values():
        assert result["clients"] == {
            "producer": f"a producer with the Java client of Kafka {RELEASE}",
            "consumer": f"a consumer with the Java client of Kafka {RELEASE}",
        }
        assert "client reconnect.backoff.ms" not in [
            item["setting"] for item in result["shortened"]
        ]


def test_every_send_is_recorded_with_its_time_and_its_offset(lost_disk: Outcome) -> None:
    for result in lost_disk[0].values():
        sends = sorted(rows(result, "sends"), key=lambda row: int(row["value"]))
        assert [row["value"] for row in sends] == list(range(len(sends)))
        invoked = [row["invoked_ns"] for row in sends]
        assert invoked == sorted(invoked)
        assert all(row["invoked_ns"] <= row["completed_ns"] for row in sends if row["completed_ns"])
        good = [row for row in sends if row["outcome"] == "ok"]
        assert {row["offset"] is None for row in good} == {False}
        if result["verdict"] == "holds":
            log = {row["offset"]: row["value"] for row in rows(result, "log")}
            assert all(log[row["offset"]] == row["value"] for row in good), "no offset is a guess"
        group = [row for row in rows(result, "deliveries") if row["group"] == "app"]
        assert len(group) > 0
        (committed,) = rows(result, "commits")
        assert committed["offset"] == max(row["offset"] for row in group) + 1
        assert result["counts"]["skipped"] is not None
        assert result["counts"]["phantom"] == 0


@pytest.fixture(scope="module")
def zombies(run: Run) -> Outcome:
    (case,) = (case for case in CASES if case.name == "zombie")
    return run(replace(case.experiment(), java_clients=RELEASE, copier=True))


@pytest.mark.thorough
def test_a_java_zombie_with_a_transactional_id_is_fenced(zombies: Outcome) -> None:
    bad, good = zombies[0]["bad"], zombies[0]["good"]
    assert bad["verdict"] == "broken", bad["reason"]
    assert bad["counts"]["effect_duplicated"] > 0
    assert good["verdict"] == "holds", good["reason"]
    assert good["counts"]["redelivery"] > 0
    assert any("ProducerFencedException" in note for note in good["notes"])
    assert any("TransactionalMessageCopier was requested" in text for text in good["notes"])
    assert good["clients"]["consumer"] == f"an application with the Java clients of Kafka {RELEASE}"


@pytest.mark.thorough
def test_deliveries_and_commits_of_a_frozen_java_application_are_complete(zombies: Outcome) -> None:
    for result in zombies[0].values():
        group = [row for row in rows(result, "deliveries") if row["group"] == "app"]
        assert {row["consumer"] for row in group} == {"consumer-1", "consumer-2"}
        delivered = {row["offset"] for row in group}
        assert delivered == set(range(max(delivered) + 1))
        good = [row for row in rows(result, "commits") if row["outcome"] == "ok"]
        assert max(row["offset"] for row in good) == max(delivered) + 1
