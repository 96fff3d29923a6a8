"""A runner that was booted ahead: which run gets it, and what it leaves behind.

Each has one broker and no judge. The rest of a run is tested with cold runs.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import takewhile
from pathlib import Path

import pytest

from labs.engine.base import processes
from labs.engine.base.slots import clusters_at_once, slot
from labs.engine.base.wait import until
from labs.engine.run.launch import Launch
from labs.engine.run.pool import Pool
from labs.engine.run.shape import shapes
from tests.cluster.test_experiment_ends import descendants, gone, names
from tests.engine.arms import DESCRIBED, experiment

pytestmark = [pytest.mark.whole, pytest.mark.timeout(240)]

SPEC = experiment(DESCRIBED, scenario="producer-killed", lead_in_s=60)
OTHER = replace(SPEC, controllers=1)
LIMIT_S = 120  # all clusters of the machine share its slots, so the pool may have to wait
OWNER = """
import signal, sys
from pathlib import Path
from labs.engine.run.pool import Pool
from labs.engine.run.shape import shapes
from labs.engine.plan.spec import ExperimentSpec
pool = Pool(Path(sys.argv[2]), wanted=shapes(ExperimentSpec.from_json(sys.argv[1])), quiet=0)
pool.start()
signal.pause()
"""


def brokers(pid: int) -> set[int]:
    return {pid for pid in descendants(pid) if "kafka.Kafka" in command(pid)}


def command(pid: int) -> str:
    try:
        return names({pid})
    except OSError:  # it has just ended, like a `java -version`
        return ""


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def pool(homes: Path) -> Iterator[Pool]:
    """A pool whose runner has booted and waits."""
    running_pool = Pool(homes, wanted=shapes(SPEC), quiet=0)
    running_pool.start()
    until(lambda: running_pool.booted, LIMIT_S, "no broker was booted ahead")
    yield running_pool
    running_pool.stop()
    assert not list(homes.glob("ahead-*"))


def family(pool: Pool) -> set[int]:
    assert pool.pid
    return {pool.pid, *descendants(pool.pid)}


def test_a_run_of_the_same_shape_gets_the_runner_and_another_does_not(
    pool: Pool, tmp_path: Path
) -> None:
    booted = brokers(pool.pid or 0)
    assert pool.take(OTHER) is None
    with Launch(SPEC, tmp_path / "run", pool=pool) as started:
        assert pool.pid != started.pid
        rows = list(takewhile(lambda event: event.get("phase") != "producing", started))
        (how,) = (event["detail"] for event in rows if "detail" in event)
        assert "before this run" in how
        assert [event["phase"] for event in rows if "phase" in event] == [
            "waiting", "booting", "booting", "ready",
        ]  # fmt: skip
        assert brokers(started.pid) == booted, "other brokers serve the run"
        assert "Kafka Server started" in log(tmp_path / "run" / "described", "broker-1.log")
        pids = {started.pid, *descendants(started.pid)}
    assert all(map(gone, pids))
    assert not (tmp_path / "run").exists()


def log(arm: Path, name: str) -> str:
    return (arm / "logs" / name).read_text("utf-8")


@pytest.mark.thorough
def test_a_waiting_runner_gives_up_its_slot(pool: Pool) -> None:
    pids = family(pool)
    with ExitStack() as stack:
        for _ in range(clusters_at_once()):
            stack.enter_context(slot())
        until(lambda: all(map(gone, pids)), 60, "it kept its place")
        assert pool.pid is None


def test_a_runner_whose_broker_died_is_not_used(pool: Pool, tmp_path: Path) -> None:
    pids = family(pool)
    (runner,) = (pid for pid in pids if "run.ahead" in command(pid))
    (broker,) = brokers(runner)
    os.kill(runner, signal.SIGSTOP)  # it notices the death only after it was passed to the run
    os.kill(broker, signal.SIGKILL)
    until(lambda: processes.thread_states(broker) == ["Z"], 60, "the broker is not dead")
    with Launch(SPEC, tmp_path / "run", pool=pool) as started:
        os.kill(runner, signal.SIGCONT)
        rows = list(takewhile(lambda event: event.get("phase") != "ready", started))
        phases = [event["phase"] for event in rows if event["event"] == "phase"]
        assert phases == ["waiting", "booting"]
        assert brokers(started.pid)
        assert all(map(gone, pids))


@pytest.mark.thorough
@pytest.mark.parametrize("command_part", ["run.keeper ", "run.ahead"])
def test_a_runner_that_was_killed_while_it_waited_is_not_used(
    pool: Pool, tmp_path: Path, command_part: str
) -> None:
    pids = family(pool)
    (victim,) = (pid for pid in pids if command_part in command(pid))
    os.kill(victim, signal.SIGKILL)
    until(lambda: all(map(gone, pids)), 60, "somebody outlived it")
    with Launch(SPEC, tmp_path / "run", pool=pool) as started:
        assert started.pid not in pids
        assert next(iter(started))["phase"] == "waiting"


def test_a_killed_owner_leaves_nothing_behind(homes: Path) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, SPEC.to_json(), homes])
    until(lambda: brokers(owner.pid), LIMIT_S, "no broker was booted ahead")
    pids = descendants(owner.pid)
    owner.kill()
    owner.wait()
    until(lambda: all(map(gone, pids)), 60, "somebody outlived the owner")
    until(lambda: not list(homes.glob("ahead-*")), 60, "its folder is still there")
