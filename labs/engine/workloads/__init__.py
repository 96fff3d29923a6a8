"""What the clients of a run do; a scenario names its workload."""

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
"""The workloads that Java clients can play, too.

The others stay with librdkafka: their clients leave effects in a sink, send in transactions, or are
killed with a full buffer and go on as a successor. `ClientApplication.java` does none of that.
"""
COPIER_WORKLOAD = "consume-transform-produce"
"""The workload for which Kafka's TransactionalMessageCopier may be asked."""
BY_COMMIT = "consume-process-commit"
"""The workload whose sink depends on how the application commits."""


def workload(
    name: str, settings: Settings, java: bool = False, copier: bool = False
) -> type[ProduceConsume]:
    """A scenario's workload under these settings, by Java's clients if that is wanted.

    With `copier` as well, it says that the application stands for TransactionalMessageCopier.
    Where an arm ends in a database and the other in a topic, the former stays with librdkafka.
    Raises `ValueError` for another workload that Java's clients cannot play.
    """
    played = workload_by_commit(name, settings)
    if java and copier and played == COPIER_WORKLOAD:
        return FormerCopier
    if java and played in JAVA:
        return JAVA[played]
    if java and name != BY_COMMIT:
        raise ValueError(f"the workload {name} has no Java clients")
    return WORKLOADS[played]


def workload_by_commit(name: str, settings: Settings) -> str:
    """The workload that is played where a scenario leaves it to how the application commits.

    Who commits the offsets in a transaction has a topic for a sink: no database takes part in it.
    Kafka Streams has no transactional.id of its own to do it with.
    """
    if name != BY_COMMIT:
        return name
    in_transaction = settings.get("application", {}).get("commit") == "in-transaction"
    named = in_transaction and settings.get("producer", {}).get("transactional.id")
    return "consume-transform-produce" if named else "consume-process-sink"
