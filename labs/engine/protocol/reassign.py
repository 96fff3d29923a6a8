"""Reassigns the replicas of a partition, by requests to the controller (KIP-455).

librdkafka's admin client does not support this. These are the requests of
kafka-reassign-partitions.sh: AlterPartitionReassignments (API key 45) and
ListPartitionReassignments (key 46), version 0 of both, which brokers from 2.4 to 4.3 support. In
KRaft mode brokers forward them to the active controller.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence

from labs.engine.protocol.wire import TEXT, check_error, compact, request, varint

_ALTER, _LIST = (45, 0), (46, 0)


def request_replicas(
    port: int, topic: str, partition: int, replicas: Sequence[int], limit_s: float
) -> None:
    """Requests these replicas for a partition, in this order; the reassignment may take any time.

    Raises `OSError` if there was no response in `limit_s` seconds or the controller refused.
    """
    ids = varint(len(replicas) + 1) + struct.pack(f">{len(replicas)}i", *replicas)
    partition_entry = b"\x02" + struct.pack(">i", partition) + ids + b"\0"
    reader = request(
        port, _ALTER, _head(limit_s) + _topic_array(topic) + partition_entry + b"\0\0", limit_s
    )
    # throttle, error, message; topics: name, partitions: index, error, message
    _, refused, _, topics = reader.fields("ih", TEXT, [TEXT, ["ih", TEXT]])
    check_error(refused, "controller")
    for _, partitions in topics or ():
        for _, error, _ in partitions or ():
            check_error(error, "controller")


def pending(port: int, topic: str, partition: int, limit_s: float) -> bool:
    """Whether a reassignment is pending. Raises `OSError` like `request_replicas`."""
    partition_entry = b"\x02" + struct.pack(">i", partition)
    reader = request(
        port, _LIST, _head(limit_s) + _topic_array(topic) + partition_entry + b"\0\0", limit_s
    )
    _, error, _ = reader.fields("ih", TEXT)  # throttle, error, message
    check_error(error, "controller")
    return reader.varint() > 1


def _head(limit_s: float) -> bytes:
    return struct.pack(">i", int(limit_s * 1000))


def _topic_array(topic: str) -> bytes:
    """Returns the beginning of an array of one topic."""
    return b"\x02" + compact(topic)
