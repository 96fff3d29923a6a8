"""Pipelines with a Spark query at one end: PySpark's, in a driver of its own."""

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
from labs.engine.workloads.spark_options import omitted_options, options


class SparkQuery(ConsumeProcessSink):
    """`ConsumeProcessSink` whose reader is a query, with the options that are described.

    Structured Streaming reads the topic, which a producer of librdkafka fills, and foreachBatch
    writes. The query's position is in its checkpoint, which outlives the driver as the sink does.
    """

    modules: Mapping[str, str] = {"consumer": "query"}
    # A driver takes about ten CPU-seconds, and its first batch some more.
    ready_limit_s = 120.0
    flow_limit_s = 60.0
    trigger_ms = 200
    """How often a batch is begun, if there is something for it."""

    @property
    def played_by(self) -> dict[str, str]:
        return {**super().played_by, "consumer": f"Spark {version('pyspark')}"}

    def _differs(self, role: str) -> Iterator[str]:
        if role != "consumer":
            yield "the topic is filled by librdkafka with the producer's settings, and not by Spark"
            yield from super()._differs(role)
            return
        yield from omitted_options(self._application)

    @property
    def checkpoint(self) -> Path | None:
        outlives = self._application.get("checkpoint") == "durable"
        return None if outlives else self._checkpoint

    def committed_positions(self) -> dict[int, int]:
        return checkpoint.committed_offsets(self._checkpoint, self.arm.topic)

    def consumer_config(self) -> QueryConfig:  # type: ignore[override]
        name = self._next("consumer")
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
    """`SparkQuery` that begins one batch a second, so that a limit of each is one of each second.

    One that is behind needs as many seconds at the end as its limit makes of its lag.
    """

    trigger_ms = 1000
    drain_limit_s = 120.0


class SparkSink(ProduceConsume):
    """`ProduceConsume` whose sender is a query, with the options that are described.

    The query makes what it sends to its Kafka sink; a group of librdkafka's reads the topic.
    """

    modules: Mapping[str, str] = {"producer": "sending_query"}
    flow_limit_s = 120.0
    spark_note = (
        "the topic is read by librdkafka with the settings of the query's source, and not by Spark"
    )
    workers: Sequence[str] = ()
    """The addresses of the cluster that runs it; without one it is in local mode."""
    tasks = 1
    """Tasks of each batch."""
    task_ms = 0
    """The least time of a task's rows, in ms."""

    @property
    def played_by(self) -> dict[str, str]:
        return {**super().played_by, "producer": f"Spark {version('pyspark')}"}

    def _differs(self, role: str) -> Iterator[str]:
        if role == "producer":
            yield from omitted_options(self._application)
        else:
            yield from super()._differs(role)

    def producer_config(self) -> SinkConfig:  # type: ignore[override]
        name, rows = self._next("producer"), self._rows
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
        """Of each batch; a task that has done half of its own has sent one at least."""
        return max(self.arm.rate_per_s, 2 * self.tasks)

    @property
    def _conf(self) -> Mapping[str, str]:
        """Settings of Spark itself."""
        return {}


class SparkSinkOnWorkers(SparkSink):
    """`SparkSink` on a cluster where Spark may try a slow task again, on the other host.

    It looks for one once nine tasks of ten are done (spark.speculation.quantile is 0.9).
    """

    workers = ("127.0.0.1", "127.0.0.2")
    tasks = 10
    task_ms = 400

    def _differs(self, role: str) -> Iterator[str]:
        yield from super()._differs(role)
        if role == "producer":
            yield (
                f"Spark has {len(self.workers)} executors of one core on one machine; a batch has "
                f"{self._rows:,} messages in {self.tasks} tasks, each of which is made to take "
                f"{self.task_ms} ms at least, and they are acknowledged when the batch is done"
            )

    @property
    def _conf(self) -> Mapping[str, str]:
        return {"spark.speculation": str(self._application.get("speculation", False)).lower()}
