"""The executors of a Spark driver with a standalone cluster, as processes on this machine.

One of them can be stopped in the middle of a task, as if its machine were overloaded.
"""

from __future__ import annotations

import os
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from labs.engine.base import processes
from labs.engine.base.wait import WaitTimeout, until

if TYPE_CHECKING:
    from spark_jobs.pipelines.kafka_sink import Attempt, KafkaSink

_ID = "--executor-id"
_SIGNAL_S = 5.0


def executors(driver: int) -> dict[str, int]:
    """Returns Spark's executor id → pid, for the executors that a driver started."""
    pids = {}
    for pid in processes.process_tree(driver):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            words = Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
            if _ID in words:
                pids[words[words.index(_ID) + 1]] = pid
    return pids


class ExecutorWatch:
    """Detects executors that ended; Spark replaces them silently."""

    def __init__(self, driver: int) -> None:
        self._driver, self._seen = driver, dict[str, int]()

    def find_lost(self) -> str:
        """Returns the id of an executor that ended since an earlier call; '' if none did."""
        now = executors(self._driver)
        lost = next((id_ for id_, pid in self._seen.items() if now.get(id_) != pid), "")
        self._seen |= now
        return lost


class StoppedExecutor:
    """An executor that is stopped by SIGSTOP while it runs a task attempt.

    The constructor raises `WaitTimeout` if the kernel does not stop the executor and
    `ProcessLookupError` if the executor is gone.
    """

    def __init__(self, pid: int, attempt: Attempt) -> None:
        self.attempt, self._pid = attempt, pid
        os.kill(pid, signal.SIGSTOP)
        try:
            until(lambda: self._threads() == {"T"}, _SIGNAL_S, "not all threads were stopped")
        except WaitTimeout:
            os.kill(pid, signal.SIGCONT)
            raise
        self._since = time.monotonic()
        self.age_ms = time.time_ns() // 1_000_000 - attempt.began_ms

    def __str__(self) -> str:
        threads = len(processes.thread_states(self._pid))
        return (
            f"executor {self.attempt.executor} on {self.attempt.host}, pid {self._pid}: state T in "
            f"all {threads} threads, {self.age_ms:,} ms after Spark gave it task "
            f"{self.attempt.task}"
        )

    def resume(self) -> str:
        """Continues the executor by SIGCONT; returns the evidence. Raises `WaitTimeout`."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGCONT)
        until(lambda: "T" not in self._threads(), _SIGNAL_S, "its threads are still stopped")
        state = "continues" if processes.state(self._pid) else "is gone"
        return f"pid {self._pid} {state} after {time.monotonic() - self._since:.1f} s"

    def _threads(self) -> set[str]:
        return set(processes.thread_states(self._pid))


def stop_executor(sink: KafkaSink, task_ms: int) -> StoppedExecutor | None:
    """Stops an executor that is in the second half of a task; returns None if there is none now.

    `task_ms` is the minimum time that the rows of a task take: an executor that is stopped earlier
    has not sent all of them. Every other executor must have finished a task of the stage before.
    Otherwise it may request broadcast blocks from the stopped executor and wait 120 s
    (spark.network.timeout; apache/spark TorrentBroadcast.scala, readBlocks).
    """
    pids = executors(os.getpid())
    for attempt in sink.running_attempts():
        age_ms = time.time_ns() // 1_000_000 - attempt.began_ms
        others = pids.keys() - {attempt.executor}
        can_be_stopped = attempt.executor in pids and task_ms / 2 <= age_ms < task_ms
        if can_be_stopped and others and others <= sink.executors_with_a_task_done(attempt.stage):
            stopped = StoppedExecutor(pids[attempt.executor], attempt)
            if stopped.age_ms < task_ms:
                return stopped
            stopped.resume()
    return None
