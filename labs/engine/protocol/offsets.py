"""How far a partition can be read and how far a group has committed, asked of one broker.

A socket of our own goes to the broker we mean and gives up when we say, as in `topics`. All
questions go out at once on one connection; a broker answers them in order.

ListOffsets (API key 2) version 6 with timestamp -1 answers with the high watermark for
`read_uncommitted` and with the last stable offset for `read_committed` (Partition.scala,
`fetchOffsetForTimestamp`); only a leader answers, and not before its high watermark has reached
its own term. OffsetFetch (API key 9) version 6 is answered by the group's coordinator alone.
Brokers from 2.8 to 4.3 know both versions: {ListOffsets,OffsetFetch}{Request,Response}.json.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from labs.engine.protocol.wire import TEXT, Api, Reader, compact, requests, varint

_LIST_OFFSETS: Api = (2, 6)
_OFFSET_FETCH: Api = (9, 6)
_LATEST, _CLIENT, _ANY_EPOCH = -1, -1, -1
_UNCOMMITTED, _COMMITTED = 0, 1


@dataclass(frozen=True, slots=True)
class Offsets:
    """What one broker says, by partition; what it cannot say is absent."""

    high_watermark: dict[int, int] = field(default_factory=dict)
    last_stable: dict[int, int] = field(default_factory=dict)
    committed: dict[int, int] = field(default_factory=dict)


def fetch(
    port: int, topic: str, partitions: Sequence[int], group: str | None, limit_s: float
) -> Offsets:
    """What the broker at this loopback port knows of `partitions`, and of `group` there.

    Raises `OSError` (`TimeoutError` included) if an answer took longer than `limit_s` seconds.
    """
    asked = [
        (_LIST_OFFSETS, _list_offsets(topic, partitions, isolation))
        # In this order: asked later, a high watermark is never below the last stable offset.
        for isolation in (_COMMITTED, _UNCOMMITTED)
    ]
    if group is not None:
        asked.append((_OFFSET_FETCH, _offset_fetch(group, topic, partitions)))
    stable, high, *commits = requests(port, asked, limit_s)
    return Offsets(
        last_stable=dict(_listed(stable)),
        high_watermark=dict(_listed(high)),
        committed=dict(_fetched(commits[0])) if commits else {},
    )


def _list_offsets(topic: str, partitions: Sequence[int], isolation: int) -> bytes:
    wanted = (struct.pack(">iiq", number, _ANY_EPOCH, _LATEST) + b"\0" for number in partitions)
    return struct.pack(">ib", _CLIENT, isolation) + _one_topic(topic, partitions, b"".join(wanted))


def _offset_fetch(group: str, topic: str, partitions: Sequence[int]) -> bytes:
    wanted = struct.pack(f">{len(partitions)}i", *partitions)
    return compact(group) + _one_topic(topic, partitions, wanted)


def _one_topic(topic: str, partitions: Sequence[int], wanted: bytes) -> bytes:
    return b"\x02" + compact(topic) + varint(len(partitions) + 1) + wanted + b"\0\0"


def _listed(reader: Reader) -> Iterator[tuple[int, int]]:
    # throttle; topics: name, partitions: index, error, timestamp, offset, leader epoch
    _, topics = reader.fields("i", [TEXT, ["ihqqi"]])
    for _, partitions in topics or ():
        for partition, error, _, offset, _ in partitions or ():
            if error == 0 and offset >= 0:
                yield partition, offset


def _fetched(reader: Reader) -> Iterator[tuple[int, int]]:
    # throttle; topics: name, partitions: index, offset, leader epoch, metadata, error
    _, topics = reader.fields("i", [TEXT, ["iqi", TEXT, "h"]])
    for _, partitions in topics or ():
        for partition, offset, _, _, error in partitions or ():
            if error == 0 and offset >= 0:
                yield partition, offset
