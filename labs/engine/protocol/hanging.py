"""Lists the open transactions of a partition, and aborts a hanging one.

A transaction hangs when its coordinator no longer knows it. Then readers with read_committed
cannot read past it. This module finds and aborts it as kafka-transactions.sh does (KIP-664): it
queries the producers of the partition at its leader (DescribeProducers, API key 61, version 0), and
writes an abort marker in place of the coordinator (WriteTxnMarkers, key 27, version 1). Brokers
from 3.3 to 4.3 support both.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from labs.engine.protocol.wire import TEXT, check_error, compact, request

_DESCRIBE, _WRITE = (61, 0), (27, 1)
_ABORT = b"\0"


@dataclass(frozen=True, slots=True)
class OpenTransaction:
    """A producer's open transaction: its start offset and last write (ms since 1970)."""

    producer: int
    epoch: int
    coordinator_epoch: int
    wrote_ms: int
    start: int


def open_transactions(
    port: int, topic: str, partition: int, limit_s: float
) -> list[OpenTransaction]:
    """Returns the open transactions of a partition, from its leader at this loopback port.

    Raises `OSError` if there was no response in `limit_s` seconds or the broker refused.
    """
    reader = request(port, _DESCRIBE, _topic_partition(topic, partition) + b"\0", limit_s)
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
    """Writes the abort marker of a transaction. Raises `OSError` like `open_transactions`."""
    answer = struct.pack(">qh", hanging.producer, hanging.epoch) + _ABORT
    # The coordinator epoch is -1 in the first transaction of a producer.
    coordinator = struct.pack(">i", max(0, hanging.coordinator_epoch))
    marker = answer + _topic_partition(topic, partition) + coordinator + b"\0"
    reader = request(port, _WRITE, b"\x02" + marker + b"\0", limit_s)
    # markers: producer, topics: name, partitions: index, error
    (markers,) = reader.fields(["q", [TEXT, ["ih"]]])
    for _, topics in markers or ():
        for _, partitions in topics or ():
            for _, error in partitions or ():
                check_error(error)


def _topic_partition(topic: str, partition: int) -> bytes:
    """Returns an array of one topic with an array of one partition."""
    return b"\x02" + compact(topic) + b"\x02" + struct.pack(">i", partition) + b"\0"
