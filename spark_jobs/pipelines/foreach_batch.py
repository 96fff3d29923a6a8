"""A query that reads one topic and passes each batch to a function, by foreachBatch."""

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
"""A partition, an offset, and the value as a number."""
Collect: TypeAlias = Callable[[], Sequence[Record]]
"""Reads the records of a batch, in the order of each partition."""

_LOOK_S = 0.25
_RECORD = ("partition", "offset", "CAST(CAST(value AS STRING) AS BIGINT) AS value")


class ForeachBatch:
    """A running query; it calls `handle` for each batch, in a thread of Spark.

    `options` are all options of Spark's Kafka source. When `handle` returns, the batch is complete
    and Spark records it in the `checkpoint`. A batch begins every `trigger_ms`, if there are
    records for it.
    """

    def __init__(
        self, spark: SparkSession, options: Mapping[str, str], checkpoint: Path,
        handle: Callable[[Collect], None], trigger_ms: int,
    ) -> None:  # fmt: skip
        self._handle = handle
        self._batches = 0
        records = spark.readStream.format("kafka").options(**options).load()
        writer = records.selectExpr(*_RECORD).writeStream.foreachBatch(self._handle_batch)
        writer = writer.option("checkpointLocation", str(checkpoint))
        self._query = writer.trigger(processingTime=f"{trigger_ms} milliseconds").start()

    @property
    def is_running(self) -> bool:
        """Whether the query is still running."""
        return bool(self._query.isActive)

    @property
    def has_settled(self) -> bool:
        """Whether it has completed a batch, or has found no records to read."""
        return self._batches > 0 or self._query.status["message"].startswith("Waiting for")

    def end(self, limit_s: float, meanwhile: Callable[[], None]) -> str | None:
        """Lets the query read to the current end of the log, then stops it.

        Calls `meanwhile` several times a second, for `limit_s` seconds at most. Returns the reason,
        in one line, if Spark had already ended the query; else None.
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

    def _handle_batch(self, batch: DataFrame, _number: int) -> None:
        self._handle(batch.collect)
        self._batches += 1

    def _read_on(self) -> None:
        with suppress(PySparkException):  # the query itself says why
            self._query.processAllAvailable()
