"""Whichever process dies, nothing is left: no broker, no client, no folder."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from labs.calibration.cases import SPARK
from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.plan.spec import ExperimentSpec
from labs.engine.run.launch import Launch, RunnerDied
from tests.engine.arms import DESCRIBED, RECOMMENDED, arm, experiment

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(180)]

# The followers stay behind long enough for every test to see them paused.
SPEC = experiment(DESCRIBED, behind_s=120)
QUERY = experiment(
    arm("described", "exactly-once", **SPARK), scenario="spark-speculation", standing_s=120
)
OWNER = """
import sys
from pathlib import Path
from labs.engine.run.launch import Launch
from labs.engine.plan.spec import ExperimentSpec
with Launch(ExperimentSpec.from_json(sys.argv[1]), Path(sys.argv[2])) as started:
    for event in started:
        print(event["event"], event.get("fault"), event.get("phase"), flush=True)
"""


def parents() -> Iterator[tuple[int, int]]:
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            yield int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])
        except (FileNotFoundError, ProcessLookupError):
            continue


def descendants(pid: int) -> set[int]:
    """All descendants of a process."""
    family, by_name = {pid}, dict(parents())
    while grown := {child for child, parent in by_name.items() if parent in family} - family:
        family |= grown
    return family - {pid}


def gone(pid: int) -> bool:
    return processes.state(pid) in (None, "Z", "X")


def names(pids: set[int]) -> str:
    return " ".join(
        Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ") for pid in pids
    )  # fmt: skip


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A process that launched an experiment, whose followers are paused now."""
    process = subprocess.Popen(
        [sys.executable, "-c", OWNER, SPEC.to_json(), str(tmp_path / "run")],
        stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    for line in process.stdout or ():
        if line.split() == ["fault", "pause", "complete"]:
            break
    yield process
    process.kill()
    process.wait()


def test_a_killed_owner_leaves_nothing_behind(owner: subprocess.Popen[str], tmp_path: Path) -> None:
    family = descendants(owner.pid)
    assert names(family).count("kafka.Kafka") == 3
    assert "T" in {processes.state(pid) for pid in family}
    owner.kill()
    until(lambda: all(map(gone, family)), 60, "somebody outlived the owner")
    until(lambda: not (tmp_path / "run").exists(), 60, "the folder is still there")


def processes_during_fault(started: Launch) -> set[int]:
    """All processes of an experiment, as soon as its first fault is complete."""
    for event in started:
        if event["event"] == "fault" and event["phase"] == "complete":
            return descendants(started.pid)
    raise AssertionError("no fault was completed")


@pytest.mark.parametrize(
    ("spec", "stopped"),
    [
        pytest.param(SPEC, "kafka.Kafka", id="brokers"),
        pytest.param(
            QUERY, "CoarseGrainedExecutorBackend", id="a query",
            marks=[pytest.mark.thorough, pytest.mark.spark, pytest.mark.timeout(400)],
        ),
    ],
)  # fmt: skip
def test_a_killed_keeper_is_reported_and_leaves_nothing_behind(
    tmp_path: Path, spec: ExperimentSpec, stopped: str
) -> None:
    with Launch(spec, tmp_path / "run") as started:
        family = processes_during_fault(started)
        assert stopped in names({pid for pid in family if processes.state(pid) == "T"})
        os.kill(started.pid, signal.SIGKILL)
        with pytest.raises(RunnerDied) as died:
            list(started)
    assert died.value.status == -signal.SIGKILL
    assert not (tmp_path / "run").exists()
    until(lambda: all(map(gone, family)), 60, "somebody outlived the keeper")


def test_a_killed_experiment_is_reported_and_leaves_nothing_behind(tmp_path: Path) -> None:
    with Launch(SPEC, tmp_path / "run") as started:
        family = processes_during_fault(started)
        (child,) = (pid for pid, parent in parents() if parent == started.pid)
        os.kill(child, signal.SIGKILL)
        with pytest.raises(RunnerDied) as died:
            list(started)
        assert died.value.status == 5
        assert all(map(gone, family)), "the keeper ended before its family"
    assert not (tmp_path / "run").exists()


def test_a_stopped_experiment_ends_all_processes_and_returns_its_status(tmp_path: Path) -> None:
    with Launch(SPEC, tmp_path / "run") as started:
        family = processes_during_fault(started)
        assert started.stop() == 3
        assert all(map(gone, family))
        assert not list((tmp_path / "run").glob("*/cluster"))
        assert json.loads((tmp_path / "run" / "spec.json").read_text())
    assert not (tmp_path / "run").exists()


@pytest.mark.whole
def test_a_client_stopped_from_outside_makes_the_verdict_unknown(tmp_path: Path) -> None:
    """The arm ends then; it does not wait for a client that may never continue."""
    faults: list[tuple[str, str]] = []
    with Launch(experiment(RECOMMENDED, rate_per_s=200), tmp_path / "run") as started:
        for event in started:
            if event["event"] != "fault":
                continue
            faults.append((event["fault"], event["phase"]))
            if faults[-1] == ("pause", "complete"):
                all_processes = descendants(os.getpid())
                consumer = next(pid for pid in all_processes if "clients.consumer" in names({pid}))
                os.kill(consumer, signal.SIGSTOP)
    (result,) = event["experiment"]["arms"]
    assert result["verdict"] == "unknown", result["reason"]
    assert "consumer-1 was stopped for" in result["reason"]
    assert ("restart", "complete") not in faults
