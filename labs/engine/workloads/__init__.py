"""What the clients of a run do; a scenario names its workload."""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.spec import Settings
from labs.engine.workloads.consume_process_sink import (
    ConsumeProcessSink,
    StaticMembersSink,
    TransactionsSink,
)
from labs.engine.workloads.consume_transform_produce import ConsumeTransformProduce
from labs.engine.workloads.place import Place
from labs.engine.workloads.produce_consume import ProduceConsume

__all__ = ["AS_COMMITTED", "WORKLOADS", "Place", "ProduceConsume", "workload"]

WORKLOADS: Mapping[str, type[ProduceConsume]] = {
    "produce-consume": ProduceConsume,
    "consume-process-sink": ConsumeProcessSink,
    "transactions-sink": TransactionsSink,
    "static-members-sink": StaticMembersSink,
    "consume-transform-produce": ConsumeTransformProduce,
}
AS_COMMITTED = "consume-process-commit"
"""The workload whose sink depends on how the application commits."""


def workload(name: str, settings: Settings) -> type[ProduceConsume]:
    """A scenario's workload under these settings.

    Who commits the offsets in a transaction has a topic for a sink: no database takes part in it.
    Kafka Streams has no transactional.id of its own to do it with, and is not run.
    """
    if name != AS_COMMITTED:
        return WORKLOADS[name]
    in_transaction = settings.get("application", {}).get("commit") == "in-transaction"
    named = in_transaction and settings["producer"].get("transactional.id")
    return WORKLOADS["consume-transform-produce" if named else "consume-process-sink"]
