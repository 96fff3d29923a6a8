"""Lists the open transactions of a partition, and aborts a hanging one.

A transaction hangs when its coordinator has forgotten it; readers of committed records wait
behind it for ever. This finds and ends it as kafka-transactions.sh does (KIP-664): asks
the partition's leader for the producers that it knows (DescribeProducers, API key 61, version 0),
and writes an abort marker in the coordinator's place (WriteTxnMarkers, key 27, version 1). Brokers
from 3.3 to 4.3 know both.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from labs.engine.protocol.wire import TEXT, check_error, compact, request

_DESCRIBE, _WRITE = (61, 0), (27, 1)
_ABORT = b"\0"


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A producer's open transaction: where it begins, and when (ms since 1970) it last wrote."""

    producer: int
    epoch: int
    coordinator_epoch: int
    wrote_ms: int
    start: int


def open_transactions(
    port: int, topic: str, partition: int, limit_s: float
) -> list[OpenTransaction]:
    """What is open on a partition, as its leader at this loopback port has it.

    Raises `OSError` if no answer came in `limit_s` seconds or the broker refused.
    """
    reader = request(port, _DESCRIBE, _place(topic, partition) + b"\0", limit_s)
    # throttle; topics: name, partitions: index, error, message, producers
    _, topics = reader.fields("i", [TEXT, ["ih", TEXT, ["qiiqiq"]]])
    transactions = []
    for _, partitions in topics or ():
        for _, error, _, producers in partitions or ():
            check_error(error)
            for producer, epoch, _, wrote_ms, coordinator, start in producers or ():
                transactions.append(OpenTransaction(producer, epoch, coordinator, wrote_ms, start))
    return [transaction for transaction in transactions if transaction.start >= 0]


def abort(port: int, topic: str, partition: int, hanging: OpenTransaction, limit_s: float) -> None:
    """Writes the marker that aborts it. Raises `OSError` as `ask`."""
    answer = struct.pack(">qh", hanging.producer, hanging.epoch) + _ABORT
    # A producer whose first transaction this is has no coordinator's epoch yet: -1.
    coordinator = struct.pack(">i", max(0, hanging.coordinator_epoch))
    marker = answer + _place(topic, partition) + coordinator + b"\0"
    reader = request(port, _WRITE, b"\x02" + marker + b"\0", limit_s)
    # markers: producer, topics: name, partitions: index, error
    (markers,) = reader.fields(["q", [TEXT, ["ih"]]])
    for _, topics in markers or ():
        for _, partitions in topics or ():
            for _, error in partitions or ():
                check_error(error)


def _place(topic: str, partition: int) -> bytes:
    """An array of one topic with an array of one partition."""
    return b"\x02" + compact(topic) + b"\x02" + struct.pack(">i", partition) + b"\0"
