"""Asks one broker over the wire for the leader and in-sync replicas of partitions.

librdkafka's admin client knows neither leader epochs nor eligible leader replicas, and chooses
itself which broker to ask, also one that is paused. A socket of our own goes to the broker we
mean. DescribeTopicPartitions (KIP-966, API key 75, version 0) has both; brokers before 3.8, and
those with ZooKeeper, do not have it, and are asked by Metadata (API key 3, version 9, KIP-482),
which knows no eligible ones. The layouts are those of
{DescribeTopicPartitions,Metadata}{Request,Response}.json of Kafka 4.3.1.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

from labs.engine.protocol.wire import Flexible, compact, request

_DESCRIBE, _METADATA = (75, 0), (3, 9)  # API key and version
_PARTITIONS_AT_MOST = 2000


@dataclass(frozen=True, slots=True)
class PartitionState:
    """One partition as one broker's metadata has it; `leader` is None when there is none.

    `isr` is the set of in-sync replicas, `elr` of eligible leader replicas (KIP-966; None where
    the broker does not say), both sorted broker ids.
    """

    partition: int
    leader: int | None
    isr: tuple[int, ...]
    elr: tuple[int, ...] | None
    leader_epoch: int | None


def ask(
    port: int, topic: str, limit_s: float, *, eligible: bool = True
) -> tuple[PartitionState, ...]:
    """What the broker at this loopback port knows of `topic`; empty if it knows no such topic.

    Without `eligible` it is asked in the way that brokers before 3.8 understand. Raises `OSError`
    (`TimeoutError` included) if no answer came in `limit_s` seconds.
    """
    if eligible:
        topics = _described(request(port, _DESCRIBE, _describe(topic), limit_s))
    else:
        topics = _listed(request(port, _METADATA, _metadata(topic), limit_s))
    return tuple(sorted(sum(topics, ()), key=lambda state: state.partition))


def _one(topic: str) -> bytes:
    """An array of one topic, by name."""
    return b"\x02" + compact(topic) + b"\0"


def _describe(topic: str) -> bytes:
    no_cursor = struct.pack(">ib", _PARTITIONS_AT_MOST, -1) + b"\0"
    return _one(topic) + no_cursor


def _metadata(topic: str) -> bytes:
    # Do not create the topic, and list no authorized operations.
    return _one(topic) + b"\0\0\0\0"


def _described(reader: Flexible) -> tuple[tuple[PartitionState, ...], ...]:
    reader.number(">i")  # throttle time
    return reader.array(lambda: _topic(reader, id_bytes=16, eligible=True)) or ()


def _listed(reader: Flexible) -> tuple[tuple[PartitionState, ...], ...]:
    reader.number(">i")  # throttle time
    reader.array(lambda: _broker(reader))
    reader.text()  # cluster id
    reader.number(">i")  # controller
    return reader.array(lambda: _topic(reader, id_bytes=0, eligible=False)) or ()


def _broker(reader: Flexible) -> None:
    reader.number(">i")
    reader.text()  # host
    reader.number(">i")
    reader.text()  # rack
    reader.tags()


def _topic(reader: Flexible, *, id_bytes: int, eligible: bool) -> tuple[PartitionState, ...]:
    reader.number(">h")  # error
    reader.text()
    reader.skip(id_bytes + 1)  # topic id, is internal
    partitions = reader.array(lambda: _partition(reader, eligible=eligible)) or ()
    reader.number(">i")  # authorized operations
    reader.tags()
    return partitions


def _partition(reader: Flexible, *, eligible: bool) -> PartitionState:
    reader.number(">h")  # error: for example LEADER_NOT_AVAILABLE, which leader -1 says too
    index, leader, epoch = (reader.number(">i") for _ in range(3))
    _, isr = reader.ids(), reader.ids()  # replicas, ISR
    elr, _ = (reader.ids(), reader.ids()) if eligible else (None, None)  # ELR, last known ELR
    reader.ids()  # offline replicas
    reader.tags()
    return PartitionState(
        partition=index,
        leader=leader if leader >= 0 else None,
        isr=tuple(sorted(isr or ())),
        elr=None if elr is None else tuple(sorted(elr)),
        leader_epoch=epoch if epoch >= 0 else None,
    )
