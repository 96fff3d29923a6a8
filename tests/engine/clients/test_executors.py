"""Stopping Spark executors in the middle of a task, with small processes as executors."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from labs.engine.base import processes
from labs.engine.base.wait import until
from labs.engine.clients.executors import ExecutorWatch, executors, stop_executor
from spark_jobs.pipelines.kafka_sink import Attempt

pytestmark = pytest.mark.process

LIMIT_S = 20.0
TASK_MS = 60_000
STAGE = 4
SLEEP = "import time; time.sleep(600)"


@dataclass
class RunningQuery:
    """A query with these running task attempts."""

    attempts: list[Attempt]
    done_by: set[str]

    def running_attempts(self) -> Iterator[Attempt]:
        return iter(self.attempts)

    def executors_with_a_task_done(self, stage: int) -> set[str]:
        return self.done_by if stage == STAGE else set()


def running_query(executor: str, age_ms: int, done_by: frozenset[str] = frozenset("01")) -> Any:
    began_ms = time.time_ns() // 1_000_000 - age_ms
    return RunningQuery([Attempt(STAGE, 7, executor, "127.0.0.2", began_ms)], set(done_by))


@pytest.fixture
def executor_pids() -> Iterator[dict[str, int]]:
    """The pids of two child processes with the command-line arguments of Spark executors."""
    started = [
        subprocess.Popen([sys.executable, "-c", SLEEP, "--executor-id", id_]) for id_ in "01"
    ]  # fmt: skip
    until(lambda: child_executors().keys() >= {"0", "1"}, LIMIT_S, "the processes did not start")
    yield {id_: process.pid for id_, process in zip("01", started, strict=True)}
    for process in started:
        process.kill()
        process.wait()


def is_stopped(pid: int) -> bool:
    return set(processes.thread_states(pid)) == {"T"}


def child_executors() -> dict[str, int]:
    return executors(os.getpid())


def test_an_executor_is_stopped_only_in_the_second_half_of_a_task(
    executor_pids: dict[str, int],
) -> None:
    until(lambda: child_executors() == executor_pids, LIMIT_S, "not both executors were found")
    for age_ms in (TASK_MS // 3, TASK_MS + 1):
        assert stop_executor(running_query("1", age_ms), TASK_MS) is None
    stopped = stop_executor(running_query("1", TASK_MS // 2), TASK_MS)
    assert stopped is not None
    assert (is_stopped(executor_pids["1"]), is_stopped(executor_pids["0"])) == (True, False)
    assert f"executor 1 on 127.0.0.2, pid {executor_pids['1']}: state T in all 1 threads" in str(
        stopped
    )
    assert "Spark gave it task 7" in str(stopped)
    assert f"pid {executor_pids['1']} continues after" in stopped.resume()
    assert not is_stopped(executor_pids["1"])


def test_the_only_executor_is_not_stopped(executor_pids: dict[str, int]) -> None:
    until(lambda: child_executors() == executor_pids, LIMIT_S, "not both executors were found")
    os.kill(executor_pids["0"], signal.SIGKILL)
    until(
        lambda: child_executors() == {"1": executor_pids["1"]},
        LIMIT_S,
        "the one that was killed is still found",
    )
    assert stop_executor(running_query("1", TASK_MS // 2), TASK_MS) is None


def test_an_executor_is_stopped_only_if_another_has_completed_a_task(
    executor_pids: dict[str, int],
) -> None:
    until(lambda: child_executors() == executor_pids, LIMIT_S, "not both executors were found")
    assert stop_executor(running_query("1", TASK_MS // 2, frozenset("1")), TASK_MS) is None
    assert stop_executor(running_query("1", TASK_MS // 2, frozenset()), TASK_MS) is None
    stopped = stop_executor(running_query("1", TASK_MS // 2, frozenset("0")), TASK_MS)
    assert stopped is not None
    stopped.resume()


def test_resuming_an_executor_that_has_ended_reports_that_it_is_gone(
    executor_pids: dict[str, int],
) -> None:
    until(lambda: child_executors() == executor_pids, LIMIT_S, "not both executors were found")
    stopped = stop_executor(running_query("1", TASK_MS // 2), TASK_MS)
    assert stopped is not None
    os.kill(executor_pids["1"], signal.SIGKILL)
    assert os.waitpid(executor_pids["1"], 0) == (executor_pids["1"], signal.SIGKILL)
    assert f"pid {executor_pids['1']} is gone after" in stopped.resume()


def test_an_executor_that_ended_is_lost_even_if_another_took_its_id(
    executor_pids: dict[str, int],
) -> None:
    watch = ExecutorWatch(os.getpid())
    assert watch.find_lost() == ""
    os.kill(executor_pids["1"], signal.SIGKILL)
    until(lambda: "1" not in child_executors(), LIMIT_S, "it outlived its kill")
    assert watch.find_lost() == "1"
    replacement = subprocess.Popen([sys.executable, "-c", SLEEP, "--executor-id", "1"])
    try:
        until(lambda: "1" in child_executors(), LIMIT_S, "no other came")
        assert watch.find_lost() == "1"
    finally:
        replacement.kill()
        replacement.wait()
