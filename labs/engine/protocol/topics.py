"""Queries the leader and the in-sync replicas of partitions from one broker.

librdkafka's admin client returns neither leader epochs nor eligible leader replicas, and selects
the broker itself, even a paused one. Our own socket selects the broker. DescribeTopicPartitions
(KIP-966, API key 75, version 0) returns both. Brokers before 3.8, and brokers with ZooKeeper, do
not support it; for them Metadata is used (API key 3, version 9, KIP-482), which has no eligible
leader replicas. The layouts are those of {DescribeTopicPartitions,Metadata}{Request,Response}.json
of Kafka 4.3.1.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from labs.engine.protocol.wire import IDS, TEXT, Layout, compact, request

_DESCRIBE, _METADATA = (75, 0), (3, 9)  # API key and version
_PARTITIONS_AT_MOST = 2000
Ids = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class PartitionState:
    """One partition in the metadata of one broker; `leader` is None if there is none.

    `isr` are the in-sync replicas and `elr` the eligible leader replicas (KIP-966; None if the
    broker does not return them), both as sorted broker ids.
    """

    partition: int
    leader: int | None
    isr: tuple[int, ...]
    elr: tuple[int, ...] | None
    leader_epoch: int | None


def describe(
    port: int, topic: str, limit_s: float, *, eligible: bool = True
) -> tuple[PartitionState, ...]:
    """Returns the partitions of `topic` in the metadata of the broker at this loopback port.

    The tuple is empty if the broker does not know the topic. Without `eligible` the request is one
    that brokers before 3.8 support. Raises `OSError` (including `TimeoutError`) if there was no
    response in `limit_s` seconds.
    """
    topic_array = b"\x02" + compact(topic) + b"\0"  # an array of one topic
    # error, index, leader, leader epoch; replicas, ISR, (ELR, last known ELR,) offline replicas
    partition: list[Layout] = ["hiii", *[IDS] * (5 if eligible else 3)]
    if eligible:
        no_cursor = struct.pack(">ib", _PARTITIONS_AT_MOST, -1) + b"\0"
        reader = request(port, _DESCRIBE, topic_array + no_cursor, limit_s)
        # throttle; topics: error, name, id, is internal, partitions, authorized operations
        _, topics = reader.fields("i", ["h", TEXT, "16s?", partition, "i"])
    else:
        # Do not create the topic, and list no authorized operations.
        reader = request(port, _METADATA, topic_array + b"\0\0\0\0", limit_s)
        # throttle; brokers: id, host, port, rack; cluster id, controller; topics, without an id
        broker: list[Layout] = ["i", TEXT, "i", TEXT]
        *_, topics = reader.fields("i", broker, TEXT, "i", ["h", TEXT, "?", partition, "i"])
    states = (_state(*row) for *_, partitions, _ in topics or () for row in partitions or ())
    return tuple(sorted(states, key=lambda state: state.partition))


def _state(
    error: int, index: int, leader: int, epoch: int, replicas: Ids, isr: Ids, *others: Ids
) -> PartitionState:
    """Returns a partition's state; errors like LEADER_NOT_AVAILABLE add nothing to leader -1."""
    eligible = others[0] if len(others) > 1 else None
    return PartitionState(
        partition=index,
        leader=leader if leader >= 0 else None,
        isr=tuple(sorted(isr or ())),
        elr=None if eligible is None else tuple(sorted(eligible)),
        leader_epoch=epoch if epoch >= 0 else None,
    )
