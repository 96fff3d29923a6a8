"""Each scenario shows its anomaly with bad settings, and not with good ones."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advisor.reasoning.assess import assess
from advisor.reasoning.guarantees import Anomaly
from labs.calibration.cases import CASES, EARLIEST, TWO_COPIES, Case
from labs.calibration.table import NOT_CLAIMED
from labs.engine.scenarios import find
from tests.cluster.conftest import Outcome, Run
from tests.engine.arms import arm, experiment, pipeline

pytestmark = [pytest.mark.whole, pytest.mark.spark, pytest.mark.timeout(400)]


JAVA_CASE = "one-copy"
"""The Java clients run this case (test_java_clients.py); `make nightly` runs it with librdkafka."""


@pytest.mark.parametrize(
    "case",
    [case for case in CASES if case.tested and case.name != JAVA_CASE],
    ids=lambda case: case.name,
)
def test_bad_settings_show_the_anomaly_and_good_ones_do_not(run: Run, case: Case) -> None:
    assert_proved(case, run(case.experiment()))


def assert_proved(case: Case, outcome: Outcome) -> None:
    """The bad arm shows the anomaly, the good one does not, and the advisor has a reason."""
    arms, _ = outcome
    bad, good = arms["bad"], arms["good"]
    assert bad["verdict"] == "broken", bad["reason"]
    assert bad["counts"][case.anomaly] > 0, bad["reason"]
    assert good["counts"][case.anomaly] == 0
    assert good["verdict"] == "holds", good["reason"]
    for result, settings in ((bad, case.bad), (good, case.good or {})):
        assert {row["phase"] for row in result["fault_evidence"]} == {"complete"}
        links = [note for note in result["notes"] if note.startswith("links: ")]
        assert len(links) == find(case.scenario).linked
        seen = {anomaly for anomaly in Anomaly if result["counts"].get(anomaly)} - NOT_CLAIMED
        failures = assess(pipeline(**settings)).failures
        possible = {
            anomaly for failure in failures for anomaly in {**failure.permits, **failure.absorbed}
        }
        assert seen <= possible, f"the advisor has no reason for {seen - possible}"


@pytest.mark.thorough
def test_an_unavailable_only_replica_is_an_outage_and_no_loss(run: Run) -> None:
    alone = arm("alone", "at-least-once", topic__replication_factor=1, **EARLIEST)
    three = arm("three", "at-least-once", **TWO_COPIES)
    arms, _ = run(experiment(alone, three, scenario="only-replica-down"))
    assert {arm["verdict"] for arm in arms.values()} == {"holds"}
    assert {arm["counts"]["lost_write"] for arm in arms.values()} == {0}
    assert arms["alone"]["unavailable_ms"] > arms["three"]["unavailable_ms"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
def test_with_zookeeper_an_unclean_election_loses_messages(run: Run, version: str) -> None:
    """The leader is killed, and a new one is elected when its ZooKeeper session ends."""
    weak = {**TWO_COPIES, "topic__min_insync_replicas": 1,
            "topic__unclean_leader_election_enable": True}  # fmt: skip
    described = arm("unclean", "at-least-once", kafka=version[:3], **weak)
    spec = experiment(described, scenario="isr-shrunk-leader-killed")
    arms, _ = run(replace(spec, kafka=version, zookeeper=True))
    assert arms["unclean"]["verdict"] == "broken", arms["unclean"]["reason"]
    assert arms["unclean"]["counts"]["lost_write"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
@pytest.mark.parametrize("name", [
    "brokers-below-min-isr", "consumer-killed-before-processing", "last-replica-loses-power",
    "only-replica-down", "producer-killed", "rolling-restart",
])  # fmt: skip
def test_with_zookeeper_a_case_shows_its_anomaly(run: Run, name: str, version: str) -> None:
    """Its good settings do not, unless only eligible leader replicas prevent the anomaly."""
    case = next(case for case in CASES if case.scenario == name)
    arms, _ = run(replace(case.experiment(kafka=version), zookeeper=True))
    for side, result in arms.items():
        if side == "good" and name == "last-replica-loses-power":
            continue
        count = result["counts"].get(case.counted)
        assert case.right(side, result["verdict"], count), f"{side}: {result['reason']}"
        assert result["versions"]["kafka"] == version


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
def test_with_zookeeper_a_group_gets_the_records_of_a_dead_member_again(
    run: Run, version: str
) -> None:
    described = arm("group", "at-least-once", kafka=version[:3], **EARLIEST)
    spec = experiment(described, scenario="consumer-killed-before-commit")
    arms, _ = run(replace(spec, kafka=version, zookeeper=True))
    assert arms["group"]["verdict"] == "holds", arms["group"]["reason"]
    assert arms["group"]["counts"]["redelivery"] > 0


@pytest.mark.thorough
@pytest.mark.parametrize("version", ["2.8.2", "3.9.2"])
def test_with_zookeeper_losing_the_last_in_sync_disk_loses_messages(run: Run, version: str) -> None:
    described = arm("two-copies", "at-least-once", kafka=version[:3], **TWO_COPIES)
    spec = experiment(described, scenario="leader-disk-lost")
    arms, _ = run(replace(spec, kafka=version, zookeeper=True))
    [result] = arms.values()
    assert result["verdict"] == "broken", result["reason"]
    assert result["counts"]["lost_write"] > 0
    assert result["versions"]["kafka"] == version
    assert any("ZooKeeper" in note for note in result["notes"])
    wipe_evidence = [row["evidence"] for row in result["fault_evidence"] if row["fault"] == "wipe"]
    assert "the folder is empty" in " ".join(wipe_evidence)
