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

from labs.engine.protocol.wire import IDS, TEXT, Layout, compact, request

_DESCRIBE, _METADATA = (75, 0), (3, 9)  # API key and version
_PARTITIONS_AT_MOST = 2000
Ids = tuple[int, ...] | None


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


def describe(
    port: int, topic: str, limit_s: float, *, eligible: bool = True
) -> tuple[PartitionState, ...]:
    """What the broker at this loopback port knows of `topic`; empty if it knows no such topic.

    Without `eligible` it is asked in the way that brokers before 3.8 understand. Raises `OSError`
    (`TimeoutError` included) if no answer came in `limit_s` seconds.
    """
    named = b"\x02" + compact(topic) + b"\0"  # an array of one topic
    # error, index, leader, leader epoch; replicas, ISR, (ELR, last known ELR,) offline replicas
    partition: list[Layout] = ["hiii", *[IDS] * (5 if eligible else 3)]
    if eligible:
        no_cursor = struct.pack(">ib", _PARTITIONS_AT_MOST, -1) + b"\0"
        reader = request(port, _DESCRIBE, named + no_cursor, limit_s)
        # throttle; topics: error, name, id, is internal, partitions, authorized operations
        _, topics = reader.fields("i", ["h", TEXT, "16s?", partition, "i"])
    else:
        # Do not create the topic, and list no authorized operations.
        reader = request(port, _METADATA, named + b"\0\0\0\0", limit_s)
        # throttle; brokers: id, host, port, rack; cluster id, controller; topics, without an id
        broker: list[Layout] = ["i", TEXT, "i", TEXT]
        *_, topics = reader.fields("i", broker, TEXT, "i", ["h", TEXT, "?", partition, "i"])
    states = (_state(*row) for *_, partitions, _ in topics or () for row in partitions or ())
    return tuple(sorted(states, key=lambda state: state.partition))


def _state(
    error: int, index: int, leader: int, epoch: int, replicas: Ids, isr: Ids, *others: Ids
) -> PartitionState:
    """The errors, such as LEADER_NOT_AVAILABLE, say no more than a leader of -1."""
    eligible = others[0] if len(others) > 1 else None
    return PartitionState(
        partition=index,
        leader=leader if leader >= 0 else None,
        isr=tuple(sorted(isr or ())),
        elr=None if eligible is None else tuple(sorted(eligible)),
        leader_epoch=epoch if epoch >= 0 else None,
    )
