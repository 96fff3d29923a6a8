"""The benchmark of scenarios: its record of runs, arm by arm, and the counts made from it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from advisor.reasoning.guarantees import Anomaly
from benchmarks.leftovers import Leftovers, nothing_grew
from benchmarks.scenarios import (
    RECORD_FILE,
    Brokers,
    Line,
    Record,
    brokers_of,
    preventable,
    rates,
    table,
)
from labs.calibration.cases import ARMS, CASES
from labs.engine.distributions.distribution import UnknownVersion, kafka_versions
from labs.engine.scenarios import all_scenarios

CASE = next(case for case in CASES if case.name == "behind")
OUTAGE = replace(CASE, anomaly=Anomaly.UNAVAILABLE, over_ms=2000)


def line(seed: int, arm: str = "bad", right: bool = True) -> Line:
    return Line(CASE.name, seed, arm, "broken", str(CASE.anomaly), 7, right, "why")


def test_recorded_runs_are_read_again_and_a_truncated_line_is_skipped(tmp_path: Path) -> None:
    file = tmp_path / "lines.jsonl"
    record = Record(file)
    record.add(line(1))
    record.add(line(2, right=False))
    with file.open("a") as out:
        out.write('{"case": "beh')
    again = Record(file)
    assert again.select(CASE, [1, 2, 3], "bad") == [line(1), line(2, right=False)]
    assert again.select(CASE, [1], "good") == []
    again.add(line(3))
    assert len(Record(file).lines) == 3


def test_the_table_is_made_from_the_record_and_returns_whether_all_runs_are_right(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    record = Record(tmp_path / "lines.jsonl")
    for seed in (1, 2):
        for arm in ARMS:
            record.add(line(seed, arm))
    assert table([CASE], [1, 2], list(ARMS), record)
    output = capsys.readouterr().out
    assert "shown 2 of 2, prevented 2 of 2" in output
    assert "all 1 cases: shown 2 of 2, prevented 2 of 2" in output
    assert f"{CASE.scenario}: measured=(Rate(anomaly='lost_write', shown=2, runs=2),)" in output
    assert not table([CASE], [1, 2, 3], ["bad"], record), "seed 3 was not run"
    assert "prevented" not in capsys.readouterr().out
    record.add(line(3, right=False))
    assert not table([CASE], [1, 2, 3], ["bad"], record)
    assert "shown 2 of 3" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arm", "verdict", "count", "right"),
    [
        ("bad", "broken", 1, True), ("bad", "broken", 0, False), ("bad", "holds", 1, False),
        ("bad", "unknown", None, False), ("good", "holds", 0, True), ("good", "holds", 1, False),
        ("good", "unknown", None, False), ("good", "broken", 0, False),
        ("good", "holds", None, False),
    ],
)  # fmt: skip
def test_an_arm_is_right_by_its_verdict_and_count(
    arm: str, verdict: str, count: int | None, right: bool
) -> None:
    assert CASE.right(arm, verdict, count) is right


@pytest.mark.parametrize(
    ("arm", "verdict", "count", "right"),
    [
        ("bad", "holds", 2001, True), ("bad", "holds", 2000, False), ("bad", "broken", 9000, False),
        ("good", "holds", 2000, True), ("good", "holds", 2001, False),
        ("bad", "unknown", None, False),
    ],
)  # fmt: skip
def test_an_outage_is_right_by_its_length_and_breaks_no_guarantee(
    arm: str, verdict: str, count: int | None, right: bool
) -> None:
    assert OUTAGE.right(arm, verdict, count) is right


def test_an_anomaly_that_is_not_forbidden_is_shown_by_an_arm_that_holds() -> None:
    allowed = replace(CASE, anomaly=Anomaly.DUPLICATE)
    assert allowed.want == "at-least-once"
    assert allowed.right("bad", "holds", 1)
    assert not allowed.right("bad", "holds", 0)
    assert not allowed.right("bad", "broken", 1)


def test_a_case_without_good_settings_has_one_arm() -> None:
    alone = replace(CASE, good=None)
    assert alone.arms == ["bad"]
    assert [arm.name for arm in alone.experiment(3).arms] == ["bad"]
    assert [arm.name for arm in CASE.experiment(3, ["good"]).arms] == ["good"]
    assert (CASE.counted, OUTAGE.counted) == (Anomaly.LOST_WRITE, "unavailable_ms")


def test_a_run_without_a_verdict_is_run_again(tmp_path: Path) -> None:
    record = Record(tmp_path / "lines.jsonl")
    record.add(replace(line(1, right=False), verdict="unknown"))
    assert record.select(CASE, [1], "bad"), "it is told once"
    again = Record(tmp_path / "lines.jsonl")
    assert not again.select(CASE, [1], "bad")
    again.add(line(1))
    assert Record(tmp_path / "lines.jsonl").select(CASE, [1], "bad") == [line(1)]


def test_leftovers_and_growth_over_many_runs_are_reported(
    capsys: pytest.CaptureFixture[str],
) -> None:
    quiet = [Leftovers(20, 8, 90, 900, 0, 0)] * 20
    assert nothing_grew(quiet)
    assert "0 of 20 runs left something; grew: nothing" in capsys.readouterr().out
    assert not nothing_grew([*quiet[:19], replace(quiet[0], processes=1)])
    assert "1 of 20 runs left something" in capsys.readouterr().out
    assert not nothing_grew([*quiet[:15], *[replace(quiet[0], memory_mb=100)] * 5])
    assert "grew: memory_mb" in capsys.readouterr().out
    assert nothing_grew([replace(quiet[0], judge_mb=10)] * 5 + quiet[:15]), "it warms up"
    assert nothing_grew([quiet[0], replace(quiet[0], memory_mb=100)]), "two tell nothing"
    assert nothing_grew(quiet[:1])
    assert not nothing_grew([replace(quiet[0], files=1)])


FEW_RUNS = {
    "clocks-differ": 1,
    "followers-killed-leader-lost": 3,
    "log-directory-fails": 3,
    "query-falls-behind": 1,
    "quota-throttled": 1,
    "reassignment-during-failure": 1,
    "topic-recreated": 6,
}
"""The number of runs of new scenarios with fewer than ten; `make nightly` runs them again."""


def test_the_measured_rates_of_scenarios_are_those_of_the_committed_record() -> None:
    measured = rates(Record(RECORD_FILE))
    for scenario in all_scenarios():
        assert scenario.measured == measured.get(scenario.name, ()), scenario.name
        assert scenario.measured, scenario.name
        minimum = FEW_RUNS.get(scenario.name, 10)
        assert min(rate.runs for rate in scenario.measured) >= minimum, scenario.name


def test_runs_are_kept_apart_by_broker_release(tmp_path: Path) -> None:
    record = Record(tmp_path / "lines.jsonl")
    record.add(replace(line(1), kafka="3.6.2"))
    assert not record.select(CASE, [1], "bad")
    assert len(record.select(CASE, [1], "bad", Brokers("3.6.2"))) == 1
    with_zookeeper = Brokers("3.6.2", zookeeper=True)
    assert not record.select(CASE, [1], "bad", with_zookeeper)
    record.add(replace(line(1), kafka="3.6.2", zookeeper=True))
    assert len(Record(tmp_path / "lines.jsonl").select(CASE, [1], "bad", with_zookeeper)) == 1
    record.add(line(20261123))
    assert rates(record) == {}, (
        "a night's seed is not measured, and what scenarios say of themselves is of the newest line"
    )


def test_broker_releases_are_selected_by_name_without_repeats() -> None:
    assert brokers_of(None) == (Brokers("4.3.1"),)
    assert [brokers.release for brokers in brokers_of(["all"])] == list(kafka_versions())
    assert brokers_of(["3.6", "3.6.2", "4.0"]) == (Brokers("3.6.2"), Brokers("4.0.2"))
    with pytest.raises(UnknownVersion, match=r"2\.8"):
        brokers_of(["2.8"])
    assert brokers_of(["2.8"], zookeeper=True) == (Brokers("2.8.2", zookeeper=True),)
    with pytest.raises(UnknownVersion, match=r"4\.0"):
        brokers_of(["4.0"], zookeeper=True)


def test_loss_of_a_disk_is_preventable_only_with_eligible_leader_replicas() -> None:
    copies = next(case for case in CASES if case.name == "one-copy")
    assert preventable(copies, Brokers("4.3.1"))
    assert not preventable(copies, Brokers("3.9.2"))
    assert not preventable(copies, Brokers("2.8.2", zookeeper=True))
    assert preventable(CASE, Brokers("3.9.2"))


def test_a_case_is_run_with_the_settings_of_its_broker_release() -> None:
    spec = CASE.experiment(1, kafka="3.6.2")
    assert spec.kafka == "3.6.2"
    assert "eligible.leader.replicas.version" not in spec.arms[0].settings["application"]
    assert "eligible.leader.replicas.version" in CASE.experiment(1).arms[0].settings["application"]
    spec = CASE.experiment(1, kafka="3.6.2", zookeeper=True)
    assert spec.zookeeper
    assert spec.arms[0].settings["application"]["metadata.mode"] == "zookeeper"
