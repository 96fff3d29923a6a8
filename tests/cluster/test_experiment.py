"""The first lab from its start to its verdicts, and runs that have to be `unknown`.

Its settings run once for all tests: the counts that the lab promises, and what the run leaves
behind.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from advisor.reasoning.assess import assess
from advisor.reasoning.guarantees import Anomaly
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.record import replay, story
from labs.engine.run.launch import Launch, RunnerDied
from labs.evidence.lesson_proofs import count, new_proofs, staged
from labs.lessons import all_lessons
from labs.runs.planning import parse_pipeline
from spark_jobs.count_table import COUNTS
from tests.cluster.conftest import Outcome, Run
from tests.engine.arms import DESCRIBED, RECOMMENDED, SCENARIO, arm, experiment

pytestmark = [pytest.mark.whole, pytest.mark.spark, pytest.mark.timeout(900)]


LESSON = all_lessons()[0]
ARMS = {"acks-1", "set-acks-all", "min-isr-3"}
"""The arms of the lab: its story, its solution, and a tempting change."""


@pytest.fixture(scope="module")
def outcome(run: Run) -> Outcome:
    return run(staged(LESSON, new_proofs(LESSON), seed=1))


def test_story_and_tempting_answer_show_the_symptom_and_the_solution_does_not(
    outcome: Outcome,
) -> None:
    assert LESSON.scenario == SCENARIO
    proofs = new_proofs(LESSON)
    assert {proof.arm for proof in proofs} == ARMS
    for proof in proofs:
        count(LESSON, proof, outcome[0][proof.arm])
    assert not [(proof.role, proof.reasons) for proof in proofs if not proof.is_proven]


def test_acks_1_loses_acknowledged_messages(outcome: Outcome) -> None:
    described = outcome[0]["acks-1"]
    assert described["verdict"] == "broken", described["reason"]
    counts = described["counts"]
    assert counts["lost_write"] > 0
    assert counts["ok"] - counts["in_log"] <= counts["lost_write"]
    assert described["examples"]["lost_write"]


def test_acks_all_with_two_in_sync_loses_nothing(outcome: Outcome) -> None:
    recommended = outcome[0]["set-acks-all"]
    assert recommended["verdict"] == "holds", recommended["reason"]
    assert recommended["counts"]["lost_write"] == 0
    assert recommended["counts"]["ok"] > 0


def test_only_anomalies_that_the_advisor_permits_are_seen(outcome: Outcome) -> None:
    for name, result in outcome[0].items():
        seen = {anomaly for anomaly in Anomaly if result["counts"].get(anomaly)}
        failures = assess(parse_pipeline(LESSON.arm(name).fields)).failures
        possible = {anomaly for failure in failures for anomaly in failure.permits}
        assert seen <= possible, f"{name}: the advisor has no reason for {seen - possible}"
        staged = next(failure for failure in failures if failure.event.scenario == SCENARIO)
        assert (Anomaly.LOST_WRITE in staged.permits) == (Anomaly.LOST_WRITE in seen)


def test_all_arms_had_the_same_faults_each_with_evidence(outcome: Outcome) -> None:
    for result in outcome[0].values():
        evidence = result["fault_evidence"]
        assert {row["phase"] for row in evidence} == {"complete"}
        assert all(row["evidence"] for row in evidence)
        assert sorted(row["fault"] for row in evidence) == [
            "kill", "pause", "pause", "restart", "resume", "resume",
        ]  # fmt: skip


def test_results_have_every_count_the_versions_and_the_shortened_settings(outcome: Outcome) -> None:
    for result in outcome[0].values():
        assert set(COUNTS) == set(result["counts"])
        assert result["versions"]["kafka"] == "4.3.1"
        assert all(result["versions"].values())
        assert "broker broker.session.timeout.ms" in [
            short["setting"] for short in result["shortened"]
        ]


def test_the_ledger_agrees_with_the_result(outcome: Outcome) -> None:
    for result in outcome[0].values():
        sends = pq.read_table(Path(result["ledger"]) / "sends.parquet")
        outcomes = sends["outcome"].to_pylist()
        assert len(outcomes) == result["counts"]["sent"]
        assert outcomes.count("ok") == result["counts"]["ok"]
        meta = pq.read_table(Path(result["ledger"]) / "meta.parquet").to_pylist()
        assert meta[0]["final_read_completed"]


def test_telemetry_has_every_replica_while_brokers_are_paused_or_dead(outcome: Outcome) -> None:
    described = outcome[0]["acks-1"]
    seen = replay.read(Path(described["ledger"]), described["timeline"]["start_ns"])
    assert seen is not None
    assert seen.brokers == (1, 2, 3)
    behind = [m for m in seen.moments if "paused" in m.states.values()]
    assert any(
        (m.ends[m.live_leader or 0] or 0) > (m.high_watermark or 0) > 0
        for m in behind
        if m.live_leader
    )
    stopped = [m for m in seen.moments if set(m.states.values()) != {"running"}]
    assert all(m.ends[id_] is not None for m in stopped for id_ in seen.brokers)
    assert max(m.epoch or 0 for m in seen.moments) > 0
    rows = [(m.high_watermark, m.last_stable) for m in seen.moments if m.live_leader]
    assert any(high for high, _ in rows)
    assert all(stable <= high for high, stable in rows if high is not None and stable is not None)
    assert any(m.lag == 0 for m in seen.moments), "the group committed all it read in the end"


def test_the_story_of_a_lost_message_ends_with_its_absence_from_the_log(outcome: Outcome) -> None:
    described = outcome[0]["acks-1"]
    value = described["examples"]["lost_write"][0]["value"]
    lost = story.message_story(Path(described["ledger"]), described["timeline"]["start_ns"], value)
    assert lost is not None
    assert lost.offset is not None
    text = " ".join(line.text for line in lost.lines)
    assert f"Acknowledged for partition 0, offset {lost.offset:,}." in text
    assert "Leader broker" in text
    assert "Not in the log at the end." in text


def test_events_have_the_phases_and_samples_in_order(outcome: Outcome) -> None:
    for name in ARMS:
        arm_events = [event for event in outcome[1] if event["arm"] == name]
        phases = [event["phase"] for event in arm_events if event["event"] == "phase"]
        assert list(dict.fromkeys(phases)) == [
            "waiting", "booting", "ready", "producing", "faulting", "healing", "reading",
            "judging", "done",
        ]  # fmt: skip
        samples = [event for event in arm_events if event["event"] == "sample"]
        assert "paused" in {state for sample in samples for state in sample["brokers"].values()}
        assert len({sample["leader"] for sample in samples if sample["leader"]}) > 1
        assert samples[-1]["acknowledged"] > 0
        assert set(samples[-1]["ends"]) == {"1", "2", "3"}
        assert any(0 < (sample["high_watermark"] or 0) < max(sample["ends"].values())
                   for sample in samples if sample["ends"]), "followers were behind"  # fmt: skip


def test_a_finished_run_leaves_its_ledger_and_logs_and_no_cluster(outcome: Outcome) -> None:
    for result in outcome[0].values():
        folder = Path(result["ledger"]).parent
        assert not (folder / "cluster").exists()
        assert (folder / "logs" / "broker-1.log").exists()


ONE_BROKER = "producer-killed"
SINGLE_ARM = {
    "chosen": replace(
        experiment(RECOMMENDED, rate_per_s=500), controllers=1, partitions=3, value_bytes=2000
    ),
    "one replica": experiment(arm("alone", topic__replication_factor=1), rate_per_s=500),
    "unharmed": experiment(DESCRIBED, scenario=ONE_BROKER, faults="none", rate_per_s=200),
    "idle": experiment(DESCRIBED, scenario=ONE_BROKER, rate_per_s=0),
}
"""Experiments with one arm. Tests that are not about brokers use the scenario `ONE_BROKER`."""


@pytest.fixture(scope="module")
def single_arms(run: Run) -> dict[str, dict[str, Any]]:
    """The result of the one arm of each; two experiments run at a time."""

    def run_one(spec: ExperimentSpec) -> Outcome:
        return run(spec, runs=1 if spec.scenario == ONE_BROKER else 2)  # 1: `unknown` is expected

    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(SINGLE_ARM, pool.map(run_one, SINGLE_ARM.values()), strict=True))
    return {name: one for name, (arms, _) in results.items() for one in arms.values()}


def test_a_run_without_a_fault_is_unknown(single_arms: dict[str, dict[str, Any]]) -> None:
    result = single_arms["unharmed"]
    assert result["counts"]["lost_write"] == 0
    assert result["counts"]["ok"] > 0
    assert result["verdict"] == "unknown"
    assert "fault" in result["reason"]


def test_a_run_without_an_acknowledged_send_is_unknown(
    single_arms: dict[str, dict[str, Any]],
) -> None:
    result = single_arms["idle"]
    assert result["counts"]["ok"] == 0
    assert result["verdict"] == "unknown"


def test_with_one_replica_the_run_notes_that_there_are_no_followers(
    single_arms: dict[str, dict[str, Any]],
) -> None:
    result = single_arms["one replica"]
    assert any("no followers" in note for note in result["notes"])
    phases = {row["fault"]: row["phase"] for row in result["fault_evidence"]}
    assert phases["pause"] == "not_applicable"


def test_the_run_has_the_chosen_conditions(
    single_arms: dict[str, dict[str, Any]],
) -> None:
    result = single_arms["chosen"]
    assert result["verdict"] == "holds", result["reason"]
    ledger = Path(result["ledger"])
    assert replay.partitions(ledger) == (0, 1, 2)
    assert set(pq.read_table(ledger / "log.parquet")["partition"].to_pylist()) == {0, 1, 2}
    assert len(list((ledger.parent / "logs").glob("controller-*.log"))) == 1
    (group,) = result["groups"]
    delivered = sum(consumer["deliveries"] for consumer in group["consumers"])
    assert delivered >= result["counts"]["ok"] - result["counts"]["late"]


def test_an_arm_that_cannot_be_staged_is_unknown_with_null_counts(run: Run) -> None:
    arms, events = run(experiment(arm("wide", topic__replication_factor=6)), runs=1)
    result = arms["wide"]
    assert result["verdict"] == "unknown"
    assert "at most 5 brokers" in result["reason"]
    assert set(COUNTS) == set(result["counts"])
    assert set(result["counts"].values()) == {None}
    assert [event["arm"] for event in events if event["event"] == "error"] == ["wide"]


def test_an_unknown_scenario_raises_and_leaves_no_folder(tmp_path: Path) -> None:
    spec = ExperimentSpec("leader-kiled", 1, (DESCRIBED,))
    with Launch(spec, tmp_path / "run") as started:
        with pytest.raises(RunnerDied) as died:
            list(started)
        assert died.value.status == 2
    assert not (tmp_path / "run").exists()
