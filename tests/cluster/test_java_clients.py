"""Kafka's own Java clients in place of librdkafka: the leader's disk is lost."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from labs.calibration.cases import CASES
from tests.cluster.conftest import Run, Told
from tests.cluster.test_scenarios import IN_JAVA, proved

pytestmark = [pytest.mark.whole, pytest.mark.spark, pytest.mark.timeout(900)]

RELEASE = "4.3.1"
(LEADER_DISK_LOST,) = (case for case in CASES if case.name == IN_JAVA)


@pytest.fixture(scope="module")
def both(run: Run) -> Told:
    return run(replace(LEADER_DISK_LOST.experiment(), java_clients=RELEASE))


def rows(data: dict[str, Any], table: str) -> list[dict[str, Any]]:
    read: list[dict[str, Any]] = pq.read_table(
        Path(data["ledger"]) / f"{table}.parquet"
    ).to_pylist()
    return read


def test_one_copy_loses_what_was_acknowledged_and_two_do_not(both: Told) -> None:
    proved(LEADER_DISK_LOST, both)
    assert both[0]["good"]["counts"]["ok"] > 0
    for data in both[0].values():
        assert data["clients"] == {
            "producer": f"a producer with the Java client of Kafka {RELEASE}",
            "consumer": f"a consumer with the Java client of Kafka {RELEASE}",
        }
        assert "client reconnect.backoff.ms" not in [item["setting"] for item in data["shortened"]]


def test_every_send_is_known_with_its_time_and_nothing_is_judged_by_guess(both: Told) -> None:
    for data in both[0].values():
        sends = sorted(rows(data, "sends"), key=lambda row: int(row["value"]))
        assert [row["value"] for row in sends] == list(range(len(sends)))
        invoked = [row["invoked_ns"] for row in sends]
        assert invoked == sorted(invoked)
        assert all(row["invoked_ns"] <= row["completed_ns"] for row in sends if row["completed_ns"])
        good = [row for row in sends if row["outcome"] == "ok"]
        assert {row["offset"] is None for row in good} == {False}
        if data["verdict"] == "holds":
            log = {row["offset"]: row["value"] for row in rows(data, "log")}
            assert all(log[row["offset"]] == row["value"] for row in good), "no offset is a guess"
        group = [row for row in rows(data, "deliveries") if row["group"] == "app"]
        assert len(group) > 0
        (saved,) = rows(data, "commits")
        assert saved["offset"] == max(row["offset"] for row in group) + 1
        assert data["counts"]["skipped"] is not None
        assert data["counts"]["phantom"] == 0


@pytest.fixture(scope="module")
def zombies(run: Run) -> Told:
    (case,) = (case for case in CASES if case.name == "zombie")
    return run(replace(case.experiment(), java_clients=RELEASE, copier=True))


@pytest.mark.thorough
def test_a_zombie_in_java_is_fenced_where_it_has_a_transactional_id(zombies: Told) -> None:
    bad, good = zombies[0]["bad"], zombies[0]["good"]
    assert bad["verdict"] == "broken", bad["reason"]
    assert bad["counts"]["effect_duplicated"] > 0
    assert good["verdict"] == "holds", good["reason"]
    assert good["counts"]["redelivery"] > 0
    assert any("ProducerFencedException" in note for note in good["notes"])
    assert any("TransactionalMessageCopier was asked for" in text for text in good["notes"])
    assert good["clients"]["consumer"] == f"an application with the Java clients of Kafka {RELEASE}"


@pytest.mark.thorough
def test_what_a_frozen_java_application_was_handed_and_committed_is_whole(zombies: Told) -> None:
    for producer in zombies[0].values():
        group = [row for row in rows(producer, "deliveries") if row["group"] == "app"]
        assert {row["consumer"] for row in group} == {"consumer-1", "consumer-2"}
        handed = {row["offset"] for row in group}
        assert handed == set(range(max(handed) + 1))
        good = [row for row in rows(producer, "commits") if row["outcome"] == "ok"]
        assert max(row["offset"] for row in good) == max(handed) + 1
