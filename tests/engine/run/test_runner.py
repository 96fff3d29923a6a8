"""How an arm handles the answer or the failure of its judge. No broker is needed."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from types import SimpleNamespace
from typing import Any

import pytest

from labs.engine.base.wait import Disturbed
from labs.engine.clients.process import ClientFailed
from labs.engine.judge.spark import JudgeFailed
from labs.engine.record.ledger import SEAL
from labs.engine.run import runner
from labs.engine.run.events import Emitter
from labs.engine.run.experiment import FINISHED, run
from labs.engine.run.result import unjudged
from labs.engine.run.runner import Arm, ArmRunner
from labs.engine.run.shape import topology_of
from labs.engine.scenarios import find
from labs.engine.scenarios.model import TOPIC, draw
from spark_jobs.count_table import COUNTS
from tests.engine.arms import DESCRIBED, SCENARIO, experiment

HOLDS = {**unjudged("Nothing happened."), "verdict": "holds", "counts": {"ok": 5, "lost_write": 0}}


@pytest.fixture
def stream() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def arm_runner(tmp_path: Path, stream: io.StringIO) -> ArmRunner:
    scenario = find(SCENARIO)
    return ArmRunner(
        Arm(
            experiment(DESCRIBED), DESCRIBED, scenario, draw(scenario, 1, {}),
            tmp_path / "described", Emitter(stream),
        )
    )  # fmt: skip


def answer_without_cluster(
    monkeypatch: pytest.MonkeyPatch, answer: dict[str, Any] | Exception
) -> None:
    """Replaces the cluster and the judge of an arm: the judge returns or raises `answer`."""

    def judge(*_: Any, **__: Any) -> dict[str, Any]:
        if isinstance(answer, Exception):
            raise answer
        return answer

    monkeypatch.setattr(runner, "judge", judge)
    cluster: Any = SimpleNamespace(bootstrap="127.0.0.1:1")

    def answer_of_judge(self: ArmRunner) -> dict[str, Any]:
        self.arm.ledger.mkdir(parents=True)
        return self._judge(cluster)

    monkeypatch.setattr(ArmRunner, "answer", answer_of_judge)


def events(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_the_judges_answer_is_the_answer_of_the_arm(
    arm_runner: ArmRunner, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer_without_cluster(monkeypatch, HOLDS)
    data = arm_runner.run()
    assert (data["verdict"], data["counts"]["ok"]) == ("holds", 5)
    assert data["counts"]["duplicate"] is None, "a count that the judge did not give is null"
    assert (arm_runner.arm.ledger / SEAL).is_file(), "a ledger that was judged is sealed"
    assert not arm_runner.failed
    assert [event["event"] for event in events(stream)] == ["phase", "phase", "arm"]


def test_the_arms_of_an_experiment_run_at_the_same_time(
    tmp_path: Path, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No arm waits for another, unless `labs.engine.base.slots` has no free slot."""
    barrier = Barrier(2)

    def meet(_: ArmRunner) -> dict[str, Any]:
        barrier.wait(timeout=60)
        return HOLDS

    monkeypatch.setattr(ArmRunner, "answer", meet)
    assert run(experiment(), tmp_path, Emitter(stream)) == FINISHED
    assert [arm["name"] for arm in events(stream)[-1]["experiment"]["arms"]] == [
        "described", "recommended",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("problem", "killed"),
    [(Disturbed("broker 3 was killed, and not by this run"), True), (ClientFailed("gone"), None)],
)
def test_only_a_disturbed_run_is_reported_as_killed(
    arm_runner: ArmRunner, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch,
    problem: Exception, killed: bool | None,
) -> None:  # fmt: skip
    answer_without_cluster(monkeypatch, problem)
    assert arm_runner.run()["verdict"] == "unknown"
    (error,) = (event for event in events(stream) if event["event"] == "error")
    assert (error.get("killed"), str(problem) in error["message"]) == (killed, True)


@pytest.mark.parametrize("failure", [JudgeFailed("its JVM died"), OSError("its JVM died")])
def test_with_a_crashed_judge_the_verdict_is_unknown_and_counts_are_null(
    arm_runner: ArmRunner, stream: io.StringIO, monkeypatch: pytest.MonkeyPatch,
    failure: Exception,
) -> None:  # fmt: skip
    answer_without_cluster(monkeypatch, failure)
    data = arm_runner.run()
    assert arm_runner.failed
    assert data["verdict"] == "unknown"
    assert "its JVM died" in data["reason"]
    assert set(data["counts"]) == set(COUNTS)
    assert set(data["counts"].values()) == {None}
    assert [event["arm"] for event in events(stream) if event["event"] == "error"] == ["described"]


@pytest.mark.parametrize(
    ("topic", "expected"),
    [({"retention.ms": "20000"}, [("disable_retention", TOPIC)]),
     ({"retention.bytes": "50000"}, [("disable_retention", TOPIC)]),
     ({"retention.ms": "20000", "cleanup.policy": "compact,delete"},
      [("disable_retention", TOPIC)]),
     ({"retention.ms": "20000", "cleanup.policy": "compact"}, []),
     ({"retention.ms": "604800000", "retention.bytes": "-1"}, []), ({"retention.ms": "-1"}, []),
     ({}, [])],
)  # fmt: skip
def test_retention_is_disabled_before_the_log_is_read_for_the_ledger(
    arm_runner: ArmRunner, topic: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    """Otherwise records that expire between the final reading and the judging would look lost."""
    settings = {**DESCRIBED.settings, "topic": {**DESCRIBED.settings["topic"], **topic}}
    arm_runner.arm = replace(arm_runner.arm, spec=replace(DESCRIBED, settings=settings))
    created: dict[str, dict[str, str]] = {}
    cluster = SimpleNamespace(
        addresses=SimpleNamespace(note=""),
        create_topic=lambda name, _partitions, _copies, config: created.update({name: config}),
    )
    booted: Any = SimpleNamespace(cluster=cluster, java="21", kafka="4.3.1")
    arm_runner.create_topics(booted, topology_of(arm_runner.arm.experiment, arm_runner.arm.spec))
    assert created[TOPIC].items() >= topic.items()
    healed: list[tuple[str, ...]] = []
    stage: Any = SimpleNamespace(heal=lambda heal, *args: healed.append((heal.__name__, *args)))
    arm_runner.end_retention(stage)
    assert healed == expected
