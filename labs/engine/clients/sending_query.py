"""The team's Spark query as a sender: a driver that writes to the topic.

`python -m labs.engine.clients.sending_query CONFIG.json`, where the file holds a `SinkConfig`. Like
`clients.query` it is this process and its JVM. When a batch is done, all of its rows were
acknowledged (KafkaRowWriter waits for each). Nothing else is known about a single send, so its
times are those of the batch. The rows of an unfinished batch have an unknown outcome.

On `fail` a task fails in the middle of its rows; the query reports it once Spark has counted the
failure. With a standalone cluster, `pause` stops an executor in the middle of a task until
`resume`.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from labs.engine.base.wait import WaitTimeout, until
from labs.engine.clients import checkpoint
from labs.engine.clients.control import Control, listen, read_config, report
from labs.engine.clients.driver import session
from labs.engine.clients.executors import ExecutorWatch, StoppedExecutor, stop_executor
from labs.engine.clients.sends import Sends

if TYPE_CHECKING:
    from spark_jobs.pipelines.kafka_sink import KafkaSink

_MASTER = "local[1,4]"
"""One core and four attempts per task, the default of spark.task.maxFailures on a cluster."""
_REPORT_EVERY_S = 0.25
_END_S = 20  # for the current batch
_FIND_EXECUTOR_S, _FIND_EVERY_S = 5.0, 0.02
_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class SinkConfig:
    """Configuration of a sending query. `options` are the complete options of Spark's Kafka sink.

    There is one batch a second, with `rows` values in `tasks` tasks; each value takes at least
    `row_ms`. `scratch` is the folder for Spark's temporary files. `conf` are settings of Spark, and
    `workers` are the addresses of a standalone cluster; without workers Spark runs in local mode.
    """

    ledger: str
    name: str
    part: str
    topic: str
    rows: int
    options: dict[str, str]
    checkpoint: str
    scratch: str
    tasks: int = 1
    row_ms: int = 0
    conf: Mapping[str, str] = field(default_factory=dict)
    workers: Sequence[str] = ()


class ExecutorLost(Exception):
    """An executor ended while the query was running."""


class Run:
    """One driver, from its first batch to its last."""

    def __init__(self, config: SinkConfig, control: Control) -> None:
        self._config, self._control = config, control
        self._sends = Sends(Path(config.ledger), config.part, config.name, config.topic, False)
        self._next_value = 0
        self._failing = False
        self._mishap: str | None = None
        self._stopped: StoppedExecutor | None = None
        self._executors = ExecutorWatch(os.getpid())

    def run(self, sink: KafkaSink) -> str | None:
        """Sends until the stop command; returns why Spark ended the query, or None.

        Raises `ExecutorLost`.
        """
        while sink.is_running and not self._control.stop.is_set():
            self._check_executors()
            self._poll(sink)
            self._fail(sink)
            self._pause(sink)
            self._report()
            self._control.stop.wait(_REPORT_EVERY_S)
        run_over = sink.is_running
        self._resume(sink)
        stopped = sink.end(_END_S)
        self._check_executors()
        self._poll(sink)
        now = time.monotonic_ns()
        for value in range(
            self._next_value, checkpoint.planned_rows(Path(self._config.checkpoint))
        ):
            self._sends.invoke(value, now)
        self._sends.close(run_over and not stopped)
        self._report()
        return stopped

    def _check_executors(self) -> None:
        if id_ := self._executors.find_lost():
            report(lost=(f"executor {id_}", "was killed"))
            raise ExecutorLost(f"executor {id_} is gone, and nothing asked Spark to end it")

    def _poll(self, sink: KafkaSink) -> None:
        ahead_ns = time.time_ns() - time.monotonic_ns()
        for batch in sink.completed_batches():
            began_ns = batch.began_ms * _MS - ahead_ns
            for value in range(batch.first, batch.after):
                row = self._sends.invoke(value, began_ns)
                self._sends.complete(row, "ok", time_ns=began_ns + batch.took_ms * _MS)
            self._next_value = batch.after
        self._sends.flush()

    def _fail(self, sink: KafkaSink) -> None:
        if self._control.failure_requested():
            self._failing = True
            sink.fail_task()
        elif self._failing and (count := sink.failed_tasks):
            self._failing = False
            middle, rows = self._config.rows // 2, self._config.rows
            self._mishap = (
                f"a task failed after it had sent {middle:,} of {rows:,} rows; attempts that "
                f"failed, by Spark's count: {count}"
            )

    def _pause(self, sink: KafkaSink) -> None:
        if not self._control.pause_requested.is_set():
            self._resume(sink)
        elif self._stopped is None:
            task_ms = self._config.rows // self._config.tasks * self._config.row_ms
            with suppress(WaitTimeout):  # tried again as long as the owner requests a pause
                self._stopped = until(
                    lambda: stop_executor(sink, task_ms),
                    _FIND_EXECUTOR_S,
                    "no executor is half-way",
                    _FIND_EVERY_S,
                )
                report(paused=str(self._stopped), resumed=None)

    def _resume(self, sink: KafkaSink) -> None:
        if self._stopped is not None:
            stopped, self._stopped = self._stopped, None
            evidence, attempts = stopped.resume(), sink.speculative_attempts(stopped.attempt)
            text = f"other attempts of its task that Spark started: {attempts}"
            report(paused=None, resumed=f"{evidence}; {text}")

    def _report(self) -> None:
        report(**self._sends.totals, mishap=self._mishap)


def main() -> None:
    # Not imported at the top, as in `driver`.
    from spark_jobs.pipelines.kafka_sink import KafkaSink

    config = read_config(SinkConfig, sys.argv[1])
    run = Run(config, listen())
    scratch, path = Path(config.scratch), Path(config.checkpoint)
    with session(config.name, _MASTER, scratch, config.workers, config.conf) as spark:
        sink = KafkaSink(spark, config.options, path, config.rows, config.tasks, config.row_ms)
        fatal = run.run(sink)
    report(fatal=fatal, ended=True)


if __name__ == "__main__":
    main()
