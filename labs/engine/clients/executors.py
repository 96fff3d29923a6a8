"""The executors of a driver with a standalone cluster: processes of this machine.

One of them can be stopped in the middle of a task, like an overloaded machine.
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
    """The process of each executor that a driver started, by Spark's executor id."""
    results = {}
    for pid in processes.process_tree(driver):
        with suppress(FileNotFoundError, ProcessLookupError):  # it has ended meanwhile
            words = Path(f"/proc/{pid}/cmdline").read_text("utf-8", "replace").split("\0")
            if _ID in words:
                results[words[words.index(_ID) + 1]] = pid
    return results


class ExecutorWatch:
    """Notices that an executor is gone; Spark replaces it without a word."""

    def __init__(self, driver: int) -> None:
        self._driver, self._known = driver, dict[str, int]()

    def find_lost(self) -> str:
        """The id of an executor that has gone since an earlier call; '' if none has."""
        now = executors(self._driver)
        gone = next((id_ for id_, pid in self._known.items() if now.get(id_) != pid), "")
        self._known |= now
        return gone


class StoppedExecutor:
    """An executor that is stopped by SIGSTOP while it runs an attempt of a task.

    Raises `WaitTimeout` if the kernel does not stop it, `ProcessLookupError` if it is gone.
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
        """Continues it by SIGCONT; returns the evidence. Raises `WaitTimeout`."""
        with suppress(ProcessLookupError):
            os.kill(self._pid, signal.SIGCONT)
        until(lambda: "T" not in self._threads(), _SIGNAL_S, "its threads are still stopped")
        now = "goes on" if processes.state(self._pid) else "is gone"
        return f"pid {self._pid} {now} after {time.monotonic() - self._since:.1f} s"

    def _threads(self) -> set[str]:
        return set(processes.thread_states(self._pid))


def stop_executor(sink: KafkaSink, task_ms: int) -> StoppedExecutor | None:
    """Stops an executor that is in the second half of a task, if there is one now.

    `task_ms` is the least that the rows of a task take: one that is stopped earlier has not
    sent them all. Each other executor has done a task of the stage before: one that has not may
    ask the stopped one for its broadcast blocks, and waits 120 s then (spark.network.timeout;
    apache/spark TorrentBroadcast.scala, readBlocks).
    """
    pids = executors(os.getpid())
    for attempt in sink.running():
        age_ms = time.time_ns() // 1_000_000 - attempt.began_ms
        others = pids.keys() - {attempt.executor}
        can_be_stopped = attempt.executor in pids and task_ms / 2 <= age_ms < task_ms
        if can_be_stopped and others and others <= sink.executors_with_a_task_done(attempt.stage):
            stopped = StoppedExecutor(pids[attempt.executor], attempt)
            if stopped.age_ms < task_ms:
                return stopped
            stopped.resume()
    return None
