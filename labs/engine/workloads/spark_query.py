"""A pipeline that ends in a Spark query: Structured Streaming reads the topic, foreachBatch writes.

The query is PySpark's, in a driver of its own; a producer of librdkafka fills the topic. How far
the query is, its checkpoint says, which outlives the driver as the sink does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path

from labs.engine.clients import checkpoint
from labs.engine.clients.query import QueryConfig
from labs.engine.workloads.consume_process_sink import ConsumeProcessSink
from labs.engine.workloads.group import GROUP
from labs.engine.workloads.spark_options import left_out, options


class SparkQuery(ConsumeProcessSink):
    """`ConsumeProcessSink` whose reader is a query, with the options that are described."""

    modules: Mapping[str, str] = {"consumer": "query"}
    # A driver takes about ten CPU-seconds, and its first batch some more.
    ready_limit_s = 120.0
    flow_limit_s = 60.0

    @property
    def played_by(self) -> dict[str, str]:
        return {**super().played_by, "consumer": f"Spark {version('pyspark')}"}

    def _differs(self, role: str) -> Iterator[str]:
        if role != "consumer":
            yield "the topic is filled by librdkafka with the producer's settings, and not by Spark"
            yield from super()._differs(role)
            return
        yield from left_out(self._application)

    @property
    def checkpoint(self) -> Path | None:
        outlives = self._application.get("checkpoint") == "durable"
        return None if outlives else self._checkpoint

    def saved(self) -> dict[int, int]:
        return checkpoint.committed(self._checkpoint, self.place.topic)

    def consumer_config(self) -> QueryConfig:  # type: ignore[override]
        name = self._next("consumer")
        return QueryConfig(
            ledger=str(self.place.ledger), name=name, group=GROUP, topic=self.place.topic,
            isolation=self._isolation, sink=str(self._database), sink_style=self._sink_style,
            options={**options(self.place, "consumer", self.pinned, self.place.pinned),
                     "subscribe": self.place.topic},
            checkpoint=str(self._checkpoint), scratch=str(self.place.scratch / name),
        )  # fmt: skip

    @property
    def _checkpoint(self) -> Path:
        return self.place.scratch / "checkpoint"
