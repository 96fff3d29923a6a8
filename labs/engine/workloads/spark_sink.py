"""A pipeline that begins with a Spark query: its Kafka sink writes to the topic.

The query is PySpark's, in a driver of its own, and makes what it sends; a group of librdkafka's
reads the topic.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib.metadata import version

from labs.engine.clients.sending_query import SinkConfig
from labs.engine.workloads.produce_consume import PRODUCER, ProduceConsume
from labs.engine.workloads.spark_options import left_out, options


class SparkSink(ProduceConsume):
    """`ProduceConsume` whose sender is a query, with the options that are described."""

    modules: Mapping[str, str] = {"producer": "sending_query"}
    flow_limit_s = 120.0
    no_spark = (
        "the topic is read by librdkafka with the settings of the query's source, and not by Spark"
    )

    @property
    def played_by(self) -> dict[str, str]:
        return {**super().played_by, "producer": f"Spark {version('pyspark')}"}

    def _differs(self, role: str) -> Iterator[str]:
        if role == "producer":
            yield from left_out(self._application)
        else:
            yield from super()._differs(role)

    def _producer(self) -> SinkConfig:  # type: ignore[override]
        name = self._next("producer")
        return SinkConfig(
            ledger=str(self._place.ledger), name=PRODUCER, part=name, topic=self._place.topic,
            rows=self._place.rate_per_s,
            options={**options(self._place, "producer", self.pinned, self._place.senders),
                     "topic": self._place.topic},
            checkpoint=str(self._place.scratch / "checkpoint"),
            scratch=str(self._place.scratch / name),
        )  # fmt: skip
