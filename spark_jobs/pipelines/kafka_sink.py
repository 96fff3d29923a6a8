"""A query that generates numbers and writes them to one topic with Spark's Kafka sink."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession

from spark_jobs.pipelines.why_ended import why_ended

_FAIL = "delivery.lab.fail"
_MAX_ATTEMPTS = 1000  # attempts of a stage
# After a failure was requested, the first task that reaches the middle of a batch fails there: only
# the task that clears the property gets its value. Each row takes `row_ms`, by a method without a
# result, for which `reflect` returns 'null'.
_VALUE = """CAST(IF(
    reflect('java.lang.Thread', 'sleep', {row_ms}L) = ''
    OR pmod(value, {rows}) = {middle}
    AND reflect('java.lang.System', 'clearProperty', '{name}') = 'yes',
    raise_error('told to fail'), value) AS STRING) AS value"""


@dataclass(frozen=True, slots=True)
class Batch:
    """A completed batch: the values from `first` up to, but not including, `after`, and its times
    in ms of the wall clock."""

    first: int
    after: int
    began_ms: int
    took_ms: int


@dataclass(frozen=True, slots=True)
class Attempt:
    """A running attempt of a task, with Spark's own numbers; `began_ms` is of the wall clock."""

    stage: int
    task: int
    executor: str
    host: str
    began_ms: int


class KafkaSink:
    """A running query; each second a batch writes the next `rows` numbers, in `tasks` tasks.

    A task processes its rows one after the other, and each takes at least `row_ms`.

    `options` are all options of Spark's Kafka sink. The numbers of a batch are fixed before it
    runs, so that a batch that runs again has the same numbers.
    """

    def __init__(
        self, spark: SparkSession, options: Mapping[str, str], checkpoint: Path, rows: int,
        tasks: int = 1, row_ms: int = 0,
    ) -> None:  # fmt: skip
        self._context = spark.sparkContext
        self._last_batch, self._after = -1, 0
        source = spark.readStream.format("rate-micro-batch").option("numPartitions", tasks)
        value = _VALUE.format(rows=rows, middle=rows // 2, name=_FAIL, row_ms=row_ms)
        sink = source.option("rowsPerBatch", rows).load().selectExpr(value).writeStream
        sink = sink.format("kafka").options(**options).option("checkpointLocation", str(checkpoint))
        self._query = sink.trigger(processingTime="1 second").start()

    @property
    def is_running(self) -> bool:
        """Whether the query is still running."""
        return bool(self._query.isActive)

    def completed_batches(self) -> Iterator[Batch]:
        """The batches that were completed since the last call."""
        for progress in self._query.recentProgress:
            if progress["batchId"] <= self._last_batch or not progress["numInputRows"]:
                continue
            self._last_batch = progress["batchId"]
            (source,) = progress["sources"]
            first, self._after = self._after, int(json.loads(source["endOffset"])["offset"])
            began = datetime.fromisoformat(progress["timestamp"])
            took_ms = progress["durationMs"]["triggerExecution"]
            yield Batch(first, self._after, int(began.timestamp() * 1000), took_ms)

    def fail_task(self) -> None:
        """Makes a task fail in the middle of its rows."""
        jvm: Any = self._context._jvm
        jvm.java.lang.System.setProperty(_FAIL, "yes")

    @property
    def failed_tasks(self) -> int:
        """The number of failed task attempts, as Spark counts them."""
        tracker = self._context.statusTracker()
        jobs = map(tracker.getJobInfo, tracker.getJobIdsForGroup(str(self._query.runId)))
        stages = (tracker.getStageInfo(stage) for job in jobs if job for stage in job.stageIds)
        return sum(stage.numFailedTasks for stage in stages if stage)

    def running_attempts(self) -> Iterator[Attempt]:
        """The running attempts of tasks; Spark may report them with a short delay."""
        for stage in _elements(self._store.activeStages()):
            for attempt in self._attempts(stage.stageId()):
                if attempt.status() == "RUNNING":
                    began = attempt.launchTime().getTime()
                    yield Attempt(
                        stage.stageId(),
                        attempt.index(),
                        attempt.executorId(),
                        attempt.host(),
                        began,
                    )

    def executors_with_a_task_done(self, stage: int) -> set[str]:
        """The executors that have completed a task of a stage, and so loaded all that it needs."""
        done = (attempt for attempt in self._attempts(stage) if attempt.status() == "SUCCESS")
        return {attempt.executorId() for attempt in done}

    def speculative_attempts(self, slow: Attempt) -> int:
        """The number of speculative attempts that Spark started for the task of a slow attempt."""
        attempts = (attempt for attempt in self._attempts(slow.stage) if attempt.speculative())
        return sum(attempt.index() == slow.task for attempt in attempts)

    @property
    def _store(self) -> Any:
        return self._context._jsc.sc().statusStore()

    def _attempts(self, stage: int) -> Iterator[Any]:
        # A stage that shuffles nothing is never run a second time.
        return _elements(self._store.taskList(stage, 0, _MAX_ATTEMPTS))

    def end(self, limit_s: int) -> str | None:
        """Stops the query after its current batch, or in the middle of it after `limit_s` seconds.

        Returns the reason, in one line, if Spark had already ended the query; else None.
        """
        # Spark's own stop() begins like this and then cancels the batch; no public method waits.
        jvm: Any = self._context._jvm
        states = jvm.org.apache.spark.sql.execution.streaming.runtime
        ended = getattr(getattr(states, "TERMINATED$"), "MODULE$")
        self._query._jsq.streamingQuery().state().set(ended)
        with suppress(StreamingQueryException):
            self._query.awaitTermination(limit_s)
        failed = self._query.exception()
        self._query.stop()
        return why_ended(failed) if failed else None


def _elements(result: Any) -> Iterator[Any]:
    """The elements of a Scala sequence."""
    return (result.apply(number) for number in range(result.size()))
