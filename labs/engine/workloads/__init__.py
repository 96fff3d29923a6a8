"""Workloads: how the clients of a run work together. A scenario names its workload."""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.plan.spec import Settings
from labs.engine.workloads.arm_context import ArmContext
from labs.engine.workloads.consume_process_sink import (
    ConsumeProcessSink,
    ReplaySink,
    SharedKeysSink,
    StaticMembersSink,
    TransactionsSink,
)
from labs.engine.workloads.consume_transform_produce import ConsumeTransformProduce
from labs.engine.workloads.consume_transform_produce_java import (
    FormerCopier,
    JavaConsumeTransformProduce,
)
from labs.engine.workloads.produce_consume import ProduceConsume, ProduceLarge, ProduceUntilError
from labs.engine.workloads.produce_consume_java import JavaProduceConsume
from labs.engine.workloads.spark import (
    SparkQuery,
    SparkQueryByTheSecond,
    SparkSink,
    SparkSinkOnWorkers,
)
from labs.engine.workloads.streams import StreamsTopology
from labs.engine.workloads.streams_state import StatefulTopology

__all__ = [
    "BY_COMMIT",
    "COPIER_WORKLOAD",
    "JAVA",
    "WORKLOADS",
    "ArmContext",
    "ProduceConsume",
    "workload",
    "workload_by_commit",
]

WORKLOADS: Mapping[str, type[ProduceConsume]] = {
    "produce-consume": ProduceConsume,
    "produce-heeding": ProduceUntilError,
    "produce-large": ProduceLarge,
    "consume-process-sink": ConsumeProcessSink,
    "transactions-sink": TransactionsSink,
    "static-members-sink": StaticMembersSink,
    "replay-sink": ReplaySink,
    "shared-keys-sink": SharedKeysSink,
    "consume-transform-produce": ConsumeTransformProduce,
    "spark-query": SparkQuery,
    "spark-query-by-the-second": SparkQueryByTheSecond,
    "streams": StreamsTopology,
    "streams-state": StatefulTopology,
    "spark-sink": SparkSink,
    "spark-sink-on-workers": SparkSinkOnWorkers,
}
JAVA: Mapping[str, type[ProduceConsume]] = {
    "produce-consume": JavaProduceConsume,
    "consume-transform-produce": JavaConsumeTransformProduce,
}
"""The workloads that the Java clients support.

The other workloads always use librdkafka: their clients write effects to a sink, send in
transactions, or are killed with a full buffer and have a successor. `ClientApplication.java`
supports none of that.
"""
COPIER_WORKLOAD = "consume-transform-produce"
"""The workload for which Kafka's TransactionalMessageCopier may be requested."""
BY_COMMIT = "consume-process-commit"
"""The name for a workload whose sink depends on how the application commits."""


def workload(
    name: str, settings: Settings, java: bool = False, copier: bool = False
) -> type[ProduceConsume]:
    """Returns a scenario's workload under these settings, with the Java clients if `java`.

    With `copier` as well, its differences say that the application replaces
    TransactionalMessageCopier. If the sink of one arm is a database and that of another is a topic,
    the former keeps librdkafka. Raises `ValueError` for other workloads without Java clients.
    """
    resolved = workload_by_commit(name, settings)
    if java and copier and resolved == COPIER_WORKLOAD:
        return FormerCopier
    if java and resolved in JAVA:
        return JAVA[resolved]
    if java and name != BY_COMMIT:
        raise ValueError(f"the workload {name} has no Java clients")
    return WORKLOADS[resolved]


def workload_by_commit(name: str, settings: Settings) -> str:
    """Returns the workload for `BY_COMMIT` under these settings; other names are unchanged.

    An application that commits offsets in a transaction has a topic as its sink, because a database
    cannot take part in a transaction of Kafka. Kafka Streams has no stated transactional.id.
    """
    if name != BY_COMMIT:
        return name
    in_transaction = settings.get("application", {}).get("commit") == "in-transaction"
    transactional_id = in_transaction and settings.get("producer", {}).get("transactional.id")
    return "consume-transform-produce" if transactional_id else "consume-process-sink"
