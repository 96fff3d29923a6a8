"""Pipelines with a Spark query at one end: a PySpark query in a separate driver."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path

from labs.engine.clients import checkpoint
from labs.engine.clients.query import QueryConfig
from labs.engine.clients.sending_query import SinkConfig
from labs.engine.workloads.consume_process_sink import ConsumeProcessSink
from labs.engine.workloads.group import GROUP
from labs.engine.workloads.produce_consume import PRODUCER, ProduceConsume
from labs.engine.workloads.spark_options import options, unused_options


class SparkQuery(ConsumeProcessSink):
    """`ConsumeProcessSink` whose reader is a query with the described options.

    A librdkafka producer fills the topic, Structured Streaming reads it, and foreachBatch writes.
    The query's position is in its checkpoint, which outlives the driver, like the sink.
    """

    modules: Mapping[str, str] = {"consumer": "query"}
    # A driver takes about ten CPU seconds to start, and its first batch takes a few more.
    ready_limit_s = 120.0
    flow_limit_s = 60.0
    trigger_ms = 200
    """The interval between two batches, if there are new records."""

    @property
    def played_by(self) -> dict[str, str]:
        return {**super().played_by, "consumer": f"Spark {version('pyspark')}"}

    def _differences_of(self, role: str) -> Iterator[str]:
        if role != "consumer":
            yield "the topic is filled by librdkafka with the producer's settings, and not by Spark"
            yield from super()._differences_of(role)
            return
        yield from unused_options(self._application)

    @property
    def checkpoint(self) -> Path | None:
        outlives = self._application.get("checkpoint") == "durable"
        return None if outlives else self._checkpoint

    def committed_positions(self) -> dict[int, int]:
        return checkpoint.committed_offsets(self._checkpoint, self.arm.topic)

    def consumer_config(self) -> QueryConfig:  # type: ignore[override]
        name = self._next_name("consumer")
        return QueryConfig(
            ledger=str(self.arm.ledger), name=name, group=GROUP, topic=self.arm.topic,
            isolation=self._isolation, sink=str(self._database), sink_style=self._sink_style,
            options={**options(self.arm, "consumer", self.pinned, self.arm.pinned),
                     "subscribe": self.arm.topic},
            checkpoint=str(self._checkpoint), scratch=str(self.arm.scratch / name),
            trigger_ms=self.trigger_ms, drain_limit_s=self.drain_limit_s,
        )  # fmt: skip

    @property
    def _checkpoint(self) -> Path:
        return self.arm.scratch / "checkpoint"


class SparkQueryByTheSecond(SparkQuery):
    """`SparkQuery` with one batch a second, so that a limit per batch is a limit per second.

    At the end, a lagging query needs its lag divided by its limit, in seconds.
    """

    trigger_ms = 1000
    drain_limit_s = 120.0


class SparkSink(ProduceConsume):
    """`ProduceConsume` whose sender is a query with the described options.

    The query generates the messages for its Kafka sink; a librdkafka group reads the topic.
    """

    modules: Mapping[str, str] = {"producer": "sending_query"}
    flow_limit_s = 120.0
    spark_note = (
        "the topic is read by librdkafka with the settings of the query's source, and not by Spark"
    )
    workers: Sequence[str] = ()
    """The addresses of the workers of its standalone cluster; empty for local mode."""
    tasks = 1
    """The number of tasks of a batch."""
    task_ms = 0
    """The minimum time of a task, in ms."""

    @property
    def played_by(self) -> dict[str, str]:
        return {**super().played_by, "producer": f"Spark {version('pyspark')}"}

    def _differences_of(self, role: str) -> Iterator[str]:
        if role == "producer":
            yield from unused_options(self._application)
        else:
            yield from super()._differences_of(role)

    def producer_config(self) -> SinkConfig:  # type: ignore[override]
        name, rows = self._next_name("producer"), self._rows
        return SinkConfig(
            ledger=str(self.arm.ledger), name=PRODUCER, part=name, topic=self.arm.topic,
            rows=rows, tasks=self.tasks, row_ms=-(-self.task_ms * self.tasks // rows),
            workers=self.workers, conf=self._conf,
            options={**options(self.arm, "producer", self.pinned, self.arm.senders),
                     "topic": self.arm.topic},
            checkpoint=str(self.arm.scratch / "checkpoint"),
            scratch=str(self.arm.scratch / name),
        )  # fmt: skip

    @property
    def _rows(self) -> int:
        """The rows of a batch: at least two per task, so that a half-finished task has sent one."""
        return max(self.arm.rate_per_s, 2 * self.tasks)

    @property
    def _conf(self) -> Mapping[str, str]:
        """Settings of Spark itself."""
        return {}


class SparkSinkOnWorkers(SparkSink):
    """`SparkSink` on a standalone cluster where Spark may rerun a slow task on the other host.

    Spark looks for slow tasks once nine of ten tasks are done (spark.speculation.quantile is 0.9).
    """

    workers = ("127.0.0.1", "127.0.0.2")
    tasks = 10
    task_ms = 400

    def _differences_of(self, role: str) -> Iterator[str]:
        yield from super()._differences_of(role)
        if role == "producer":
            yield (
                f"Spark has {len(self.workers)} executors of one core on one machine; a batch has "
                f"{self._rows:,} messages in {self.tasks} tasks, each of which takes "
                f"at least {self.task_ms} ms, and they are acknowledged when the batch is done"
            )

    @property
    def _conf(self) -> Mapping[str, str]:
        return {"spark.speculation": str(self._application.get("speculation", False)).lower()}
