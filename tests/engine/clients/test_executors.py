"""Executors that are stopped in the middle of a task; small processes stand in for them."""

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
class Running:
    """A query of which Spark counts these attempts as running."""

    attempts: list[Attempt]
    done_by: set[str]

    def running_attempts(self) -> Iterator[Attempt]:
        return iter(self.attempts)

    def executors_with_a_task_done(self, stage: int) -> set[str]:
        return self.done_by if stage == STAGE else set()


def running(executor: str, age_ms: int, done_by: frozenset[str] = frozenset("01")) -> Any:
    began_ms = time.time_ns() // 1_000_000 - age_ms
    return Running([Attempt(STAGE, 7, executor, "127.0.0.2", began_ms)], set(done_by))


@pytest.fixture
def two() -> Iterator[dict[str, int]]:
    """Two processes beneath us that are called as Spark calls its executors."""
    began = [
        subprocess.Popen([sys.executable, "-c", SLEEP, "--executor-id", id_]) for id_ in "01"
    ]  # fmt: skip
    until(lambda: launched().keys() >= {"0", "1"}, LIMIT_S, "the processes did not start")
    yield {id_: finished.pid for id_, finished in zip("01", began, strict=True)}
    for process in began:
        process.kill()
        process.wait()


def is_stopped(pid: int) -> bool:
    return set(processes.thread_states(pid)) == {"T"}


def launched() -> dict[str, int]:
    return executors(os.getpid())


def test_an_executor_is_stopped_in_the_second_half_of_a_task(two: dict[str, int]) -> None:
    until(lambda: launched() == two, LIMIT_S, "not both executors were found")
    for age_ms in (TASK_MS // 3, TASK_MS + 1):
        assert stop_executor(running("1", age_ms), TASK_MS) is None
    stopped = stop_executor(running("1", TASK_MS // 2), TASK_MS)
    assert stopped is not None
    assert (is_stopped(two["1"]), is_stopped(two["0"])) == (True, False)
    assert f"executor 1 on 127.0.0.2, pid {two['1']}: state T in all 1 threads" in str(stopped)
    assert "Spark gave it task 7" in str(stopped)
    assert f"pid {two['1']} continues after" in stopped.resume()
    assert not is_stopped(two["1"])


def test_of_one_executor_alone_no_task_could_be_tried_elsewhere(two: dict[str, int]) -> None:
    until(lambda: launched() == two, LIMIT_S, "not both executors were found")
    os.kill(two["0"], signal.SIGKILL)
    until(lambda: launched() == {"1": two["1"]}, LIMIT_S, "the one that was killed is still found")
    assert stop_executor(running("1", TASK_MS // 2), TASK_MS) is None


def test_another_that_has_not_begun_would_ask_the_stopped_one_for_what_it_needs(
    two: dict[str, int],
) -> None:
    until(lambda: launched() == two, LIMIT_S, "not both executors were found")
    assert stop_executor(running("1", TASK_MS // 2, frozenset("1")), TASK_MS) is None
    assert stop_executor(running("1", TASK_MS // 2, frozenset()), TASK_MS) is None
    stopped = stop_executor(running("1", TASK_MS // 2, frozenset("0")), TASK_MS)
    assert stopped is not None
    stopped.resume()


def test_of_an_executor_that_ended_meanwhile_nothing_goes_on(two: dict[str, int]) -> None:
    until(lambda: launched() == two, LIMIT_S, "not both executors were found")
    stopped = stop_executor(running("1", TASK_MS // 2), TASK_MS)
    assert stopped is not None
    os.kill(two["1"], signal.SIGKILL)
    assert os.waitpid(two["1"], 0) == (two["1"], signal.SIGKILL)
    assert f"pid {two['1']} is gone after" in stopped.resume()


def test_one_that_is_gone_is_lost_also_where_another_took_its_place(two: dict[str, int]) -> None:
    looking = ExecutorWatch(os.getpid())
    assert looking.find_lost() == ""
    os.kill(two["1"], signal.SIGKILL)
    until(lambda: "1" not in launched(), LIMIT_S, "it outlived its kill")
    assert looking.find_lost() == "1"
    again = subprocess.Popen([sys.executable, "-c", SLEEP, "--executor-id", "1"])
    try:
        until(lambda: "1" in launched(), LIMIT_S, "no other came")
        assert looking.find_lost() == "1"
    finally:
        again.kill()
        again.wait()
