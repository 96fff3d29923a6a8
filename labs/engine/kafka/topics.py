"""Who leads a partition and who is in sync, asked of one broker over the wire.

librdkafka's admin client knows neither leader epochs nor eligible leader replicas, and chooses
itself which broker to ask, also one that is paused. A socket of our own goes to the broker we
mean. DescribeTopicPartitions (KIP-966, API key 75, version 0) has both; brokers before 3.8 do not
have it, and are asked by Metadata (API key 3, version 9, KIP-482), which knows no eligible ones.
The layouts are those of {DescribeTopicPartitions,Metadata}{Request,Response}.json of Kafka 4.3.1.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

T = TypeVar("T")
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
    request = _describe(topic) if eligible else _metadata(topic)
    with socket.create_connection(("127.0.0.1", port), timeout=limit_s) as wire:
        wire.sendall(struct.pack(">i", len(request)) + request)
        reader = _Reader(frame(wire))
    topics = _described(reader) if eligible else _listed(reader)
    return tuple(sorted(sum(topics, ()), key=lambda state: state.partition))


def _header(api: tuple[int, int]) -> bytes:
    return struct.pack(">hhih", *api, 1, -1) + b"\0"  # correlation 1, no client id


def _one(topic: str) -> bytes:
    """An array of one topic, by name."""
    name = topic.encode()
    return b"\x02" + _varint(len(name) + 1) + name + b"\0"


def _describe(topic: str) -> bytes:
    no_cursor = struct.pack(">ib", _PARTITIONS_AT_MOST, -1) + b"\0"
    return _header(_DESCRIBE) + _one(topic) + no_cursor


def _metadata(topic: str) -> bytes:
    # Do not create the topic, and list no authorized operations.
    return _header(_METADATA) + _one(topic) + b"\0\0\0\0"


def _described(reader: _Reader) -> tuple[tuple[PartitionState, ...], ...]:
    reader.number(">i")  # correlation
    reader.tags()
    reader.number(">i")  # throttle time
    return reader.array(lambda: _topic(reader, id_bytes=16, eligible=True)) or ()


def _listed(reader: _Reader) -> tuple[tuple[PartitionState, ...], ...]:
    reader.number(">i")  # correlation
    reader.tags()
    reader.number(">i")  # throttle time
    reader.array(lambda: _broker(reader))
    reader.text()  # cluster id
    reader.number(">i")  # controller
    return reader.array(lambda: _topic(reader, id_bytes=0, eligible=False)) or ()


def _broker(reader: _Reader) -> None:
    reader.number(">i")
    reader.text()  # host
    reader.number(">i")
    reader.text()  # rack
    reader.tags()


def _topic(reader: _Reader, *, id_bytes: int, eligible: bool) -> tuple[PartitionState, ...]:
    reader.number(">h")  # error
    reader.text()
    reader.skip(id_bytes + 1)  # topic id, is internal
    partitions = reader.array(lambda: _partition(reader, eligible=eligible)) or ()
    reader.number(">i")  # authorized operations
    reader.tags()
    return partitions


def _partition(reader: _Reader, *, eligible: bool) -> PartitionState:
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


class _Reader:
    """Reads the "flexible" encoding of KIP-482: compact arrays and strings, tagged fields."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def skip(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise ConnectionError("the broker's answer ends too early")
        return self._data[self._at - count : self._at]

    def number(self, form: str) -> int:
        return int(struct.unpack(form, self.skip(struct.calcsize(form)))[0])

    def varint(self) -> int:
        value = shift = 0
        while True:
            byte = self.skip(1)[0]
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def text(self) -> None:
        self.skip(max(0, self.varint() - 1))

    def array(self, item: Callable[[], T]) -> tuple[T, ...] | None:
        length = self.varint()
        return tuple(item() for _ in range(length - 1)) if length else None

    def ids(self) -> tuple[int, ...] | None:
        return self.array(lambda: self.number(">i"))

    def tags(self) -> None:
        for _ in range(self.varint()):
            self.varint()
            self.skip(self.varint())


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def frame(wire: socket.socket) -> bytes:
    """The next message of a connection, after its length. Raises `OSError` if none comes."""
    (length,) = struct.unpack(">i", _exactly(wire, 4))
    return _exactly(wire, length)


def _exactly(wire: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = wire.recv(count - len(data))
        if not more:
            raise ConnectionError("the broker closed the connection")
        data += more
    return data
