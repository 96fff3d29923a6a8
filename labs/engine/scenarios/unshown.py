"""Why no experiment shows what a setting does: for each that none does, a reason."""

from __future__ import annotations

from collections.abc import Mapping

UNSHOWN: Mapping[str, str] = {
    "producer.batch.size": "it decides how much goes into one request, and no failure asks "
    "for that",
    "producer.socket.timeout.ms": "it decides only whether librdkafka starts beside "
    "transaction.timeout.ms",
    "consumer.heartbeat.interval.ms": "it decides only whether the client starts beside "
    "session.timeout.ms",
    "consumer.check.crcs": "no run damages what is on a disk or on its way",
    "consumer.group.id": "no run has two Spark queries that read as one group",
    "consumer.minPartitions": "the order of a partition is lost, and a run's sink has none",
    "application.trigger": "a run's Spark query reads in micro-batches and writes by foreachBatch",
    "streams.application.id": "a run's application has an id of its own",
    "application.rate": "it is the load that some numbers are worked out for, and no run is of it",
    "application.message.bytes": "it is the load that some numbers are worked out for, and no run "
    "is of it",
}
"""By the setting's field; no failure's outcome hangs on it."""
