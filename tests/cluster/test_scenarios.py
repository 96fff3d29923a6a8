"""Each scenario shows its anomaly under bad settings and none of it under good ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.reasoning.assess import assess
from advisor.reasoning.guarantees import Anomaly
from labs.calibration.cases import CASES, EARLIEST, TWO_COPIES, Case
from labs.calibration.table import NOT_CLAIMED
from labs.engine.scenarios import find
from tests.cluster.conftest import Run, Told
from tests.engine.arms import arm, experiment, pipeline

pytestmark = [pytest.mark.whole, pytest.mark.spark, pytest.mark.timeout(400)]


IN_JAVA = "one-copy"
"""Java's clients play it (test_java_clients.py); `make nightly` has those of librdkafka play it."""


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.tested and case.name != IN_JAVA],
    ids=lambda case: case.name,
)
def test_bad_settings_show_it_and_good_ones_do_not(run: Run, case: Case) -> None:
    proved(case, run(case.experiment()))


def proved(case: Case, told: Told) -> None:
    """The bad arm shows the anomaly, the good one does not, and the advisor has a reason."""
    arms, _ = told
    bad, good = arms["bad"], arms["good"]
    assert bad["verdict"] == "broken", bad["reason"]
    assert bad["counts"][case.anomaly] > 0, bad["reason"]
    assert good["counts"][case.anomaly] == 0
    assert good["verdict"] == "holds", good["reason"]
    for data, settings in ((bad, case.bad), (good, case.good or {})):
        assert {row["phase"] for row in data["fault_evidence"]} == {"complete"}
        links = [note for note in data["notes"] if note.startswith("links: ")]
        assert len(links) == find(case.scenario).linked
        seen = {anomaly for anomaly in Anomaly if data["counts"].get(anomaly)} - NOT_CLAIMED
        failures = assess(pipeline(**settings)).failures
        possible = {
            anomaly for failure in failures for anomaly in {**failure.permits, **failure.absorbed}
        }
        assert seen <= possible, f"the advisor has no reason for {seen - possible}"


@pytest.mark.thorough
def test_the_only_copy_away_is_an_outage_and_no_loss(run: Run) -> None:
    alone = arm("alone", "at-least-once", topic__replication_factor=1, **EARLIEST)
    three = arm("three", "at-least-once", **TWO_COPIES)
    arms, _ = run(experiment(alone, three, scenario="only-replica-down"))
    assert {arm["verdict"] for arm in arms.values()} == {"holds"}
    assert {arm["counts"]["lost_write"] for arm in arms.values()} == {0}
    assert arms["alone"]["unavailable_ms"] > arms["three"]["unavailable_ms"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
def test_with_zookeeper_an_election_without_the_last_in_sync_is_a_loss(
    run: Run, version: str
) -> None:
    """`isr-shrunk-leader-killed`: the leader is killed, and its session has to end."""
    weak = {**TWO_COPIES, "topic__min_insync_replicas": 1,
            "topic__unclean_leader_election_enable": True}  # fmt: skip
    described = arm("unclean", "at-least-once", kafka=version[:3], **weak)
    request = experiment(described, scenario="isr-shrunk-leader-killed")
    arms, _ = run(replace(request, kafka=version, zookeeper=True))
    assert arms["unclean"]["verdict"] == "broken", arms["unclean"]["reason"]
    assert arms["unclean"]["counts"]["lost_write"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
@pytest.mark.parametrize("name", [
    "brokers-below-min-isr", "consumer-killed-before-processing", "last-replica-loses-power",
    "only-replica-down", "producer-killed", "rolling-restart",
])  # fmt: skip
def test_with_zookeeper_a_case_shows_what_it_can_do(run: Run, name: str, version: str) -> None:
    """And its good settings do not, but for what only eligible leader replicas prevent."""
    case = next(case for case in CASES if case.scenario == name)
    arms, _ = run(replace(case.experiment(kafka=version), zookeeper=True))
    for side, data in arms.items():
        if side == "good" and name == "last-replica-loses-power":
            continue
        count = data["counts"].get(case.counted)
        assert case.right(side, data["verdict"], count), f"{side}: {data['reason']}"
        assert data["versions"]["kafka"] == version


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
def test_with_zookeeper_a_group_gets_again_what_its_dead_member_had(run: Run, version: str) -> None:
    described = arm("group", "at-least-once", kafka=version[:3], **EARLIEST)
    request = experiment(described, scenario="consumer-killed-before-commit")
    arms, _ = run(replace(request, kafka=version, zookeeper=True))
    assert arms["group"]["verdict"] == "holds", arms["group"]["reason"]
    assert arms["group"]["counts"]["redelivery"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
def test_with_zookeeper_a_lost_disk_of_the_last_replica_in_sync_is_a_loss(
    run: Run, version: str
) -> None:
    described = arm("two-copies", "at-least-once", kafka=version[:3], **TWO_COPIES)
    request = experiment(described, scenario="leader-disk-lost")
    arms, _ = run(replace(request, kafka=version, zookeeper=True))
    [data] = arms.values()
    assert data["verdict"] == "broken", data["reason"]
    assert data["counts"]["lost_write"] > 0
    assert data["versions"]["kafka"] == version
    assert any("ZooKeeper" in note for note in data["notes"])
    wiped = [row["evidence"] for row in data["fault_evidence"] if row["fault"] == "wipe"]
    assert "the folder is empty" in " ".join(wiped)
