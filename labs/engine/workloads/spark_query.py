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

_OWN = frozenset({"startingOffsets", "failOnDataLoss", "maxOffsetsPerTrigger", "minPartitions"})
"""Options that Spark's source reads itself; every other goes to its consumer, as `kafka.…`."""
_MICRO_BATCH = "micro-batch"


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
        trigger = self._application.get("trigger", _MICRO_BATCH)
        if trigger != _MICRO_BATCH:
            yield (
                f"application trigger={trigger} is left out: the query writes by foreachBatch, "
                "in micro-batches"
            )

    def saved(self) -> dict[int, int]:
        return checkpoint.committed(self._checkpoint, self._place.topic)

    def _consumer(self) -> QueryConfig:  # type: ignore[override]
        name = self._next("consumer")
        return QueryConfig(
            ledger=str(self._place.ledger), name=name, group=GROUP, topic=self._place.topic,
            isolation=self._isolation, options=self._options(), sink=str(self._database),
            sink_style=self._sink_style, checkpoint=str(self._checkpoint),
            scratch=str(self._place.scratch / name),
        )  # fmt: skip

    @property
    def _checkpoint(self) -> Path:
        return self._place.scratch / "checkpoint"

    def _options(self) -> dict[str, str]:
        stated = {
            **{name: each.lab for name, each in self.pinned.items()},
            **self._place.settings.get("consumer", {}),
            **{name: each.lab for name, each in self._place.pinned.items()},
        }
        told = {name if name in _OWN else f"kafka.{name}": text(value)
                for name, value in stated.items()}  # fmt: skip
        return {
            **told, "kafka.bootstrap.servers": self._place.bootstrap,
            "subscribe": self._place.topic,
        }  # fmt: skip


def text(value: str | int | bool) -> str:
    """A setting as Spark and Kafka write it."""
    return str(value).lower() if isinstance(value, bool) else str(value)
