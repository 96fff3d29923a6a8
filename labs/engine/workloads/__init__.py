"""What the clients of a run do; a scenario names its workload."""

from __future__ import annotations

from collections.abc import Mapping

from labs.engine.workloads.consume_process_sink import ConsumeProcessSink, TransactionsSink
from labs.engine.workloads.place import Place
from labs.engine.workloads.produce_consume import ProduceConsume

__all__ = ["WORKLOADS", "Place", "ProduceConsume"]

WORKLOADS: Mapping[str, type[ProduceConsume]] = {
    "produce-consume": ProduceConsume,
    "consume-process-sink": ConsumeProcessSink,
    "transactions-sink": TransactionsSink,
}
