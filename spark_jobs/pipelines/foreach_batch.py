"""A query that reads one topic and hands each batch to a function, as foreachBatch does."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Thread
from typing import TypeAlias

from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from spark_jobs.pipelines.why_ended import why_ended

Record: TypeAlias = tuple[int, int, int]
"""A partition, an offset, and the value, which is a number."""
Collect: TypeAlias = Callable[[], Sequence[Record]]
"""Reads the records of a batch, in the order of each partition."""

_LOOK_S = 0.25
_RECORD = ("partition", "offset", "CAST(CAST(value AS STRING) AS BIGINT) AS value")


class ForeachBatch:
    """A running query; `handle` is called for each batch, in a thread of Spark's.

    `options` are those of Spark's Kafka source, complete. When `handle` returns, the batch is done
    and Spark records it in the `checkpoint`. One is begun every `trigger_ms`, if there is something
    for it.
    """

    def __init__(
        self, spark: SparkSession, options: Mapping[str, str], checkpoint: Path,
        handle: Callable[[Collect], None], trigger_ms: int,
    ) -> None:  # fmt: skip
        self._handle = handle
        self._batches = 0
        records = spark.readStream.format("kafka").options(**options).load()
        written = records.selectExpr(*_RECORD).writeStream.foreachBatch(self._take)
        written = written.option("checkpointLocation", str(checkpoint))
        self._query = written.trigger(processingTime=f"{trigger_ms} milliseconds").start()

    @property
    def runs(self) -> bool:
        """Whether the query is still running."""
        return bool(self._query.isActive)

    @property
    def has_settled(self) -> bool:
        """Whether it has completed a batch, or has looked and found nothing to do."""
        return self._batches > 0 or self._query.status["message"].startswith("Waiting for")

    def end(self, limit_s: float, meanwhile: Callable[[], None]) -> str | None:
        """Lets the query read to the current end of the log, then stops it.

        Calls `meanwhile` several times a second, for `limit_s` seconds at most. Returns in one line
        why Spark had already ended it; None if it had not.
        """
        reading = Thread(target=self._read_on, name="read-on", daemon=True)
        reading.start()
        deadline = time.monotonic() + limit_s
        while reading.is_alive() and (left_s := deadline - time.monotonic()) > 0:
            meanwhile()
            reading.join(min(_LOOK_S, left_s))
        failed = self._query.exception()
        self._query.stop()
        return why_ended(failed) if failed else None

    def _take(self, batch: DataFrame, _number: int) -> None:
        self._handle(batch.collect)
        self._batches += 1

    def _read_on(self) -> None:
        with suppress(PySparkException):  # the query itself says why
            self._query.processAllAvailable()
