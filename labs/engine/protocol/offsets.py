"""High watermarks, last stable offsets and committed offsets, queried from one broker.

As in `topics`, our own socket selects the broker and the timeout. All requests are sent at once on
one connection; a broker responds in order.

ListOffsets (API key 2) version 6 with timestamp -1 returns the high watermark for
`read_uncommitted` and the last stable offset for `read_committed` (Partition.scala,
`fetchOffsetForTimestamp`). Only a leader responds, and only after its high watermark has reached
its own epoch. Only the group's coordinator responds to OffsetFetch (API key 9) version 6. Brokers
from 2.8 to 4.3 support both versions: {ListOffsets,OffsetFetch}{Request,Response}.json.
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
    """The offsets that one broker knows, by partition; unknown ones are absent."""

    high_watermark: dict[int, int] = field(default_factory=dict)
    last_stable: dict[int, int] = field(default_factory=dict)
    committed: dict[int, int] = field(default_factory=dict)


def fetch(
    port: int, topic: str, partitions: Sequence[int], group: str | None, limit_s: float
) -> Offsets:
    """Returns what the broker at this loopback port knows about `partitions` and `group`.

    Raises `OSError` (including `TimeoutError`) if a response took longer than `limit_s` seconds.
    """
    bodies = [
        (_LIST_OFFSETS, _list_offsets(topic, partitions, isolation))
        # In this order, so that the later high watermark is never below the last stable offset.
        for isolation in (_COMMITTED, _UNCOMMITTED)
    ]
    if group is not None:
        bodies.append((_OFFSET_FETCH, _offset_fetch(group, topic, partitions)))
    stable, high, *commits = requests(port, bodies, limit_s)
    return Offsets(
        last_stable=dict(_listed_offsets(stable)),
        high_watermark=dict(_listed_offsets(high)),
        committed=dict(_fetched_offsets(commits[0])) if commits else {},
    )


def _list_offsets(topic: str, partitions: Sequence[int], isolation: int) -> bytes:
    entries = (struct.pack(">iiq", number, _ANY_EPOCH, _LATEST) + b"\0" for number in partitions)
    return struct.pack(">ib", _CLIENT, isolation) + _topic_array(
        topic, partitions, b"".join(entries)
    )


def _offset_fetch(group: str, topic: str, partitions: Sequence[int]) -> bytes:
    entries = struct.pack(f">{len(partitions)}i", *partitions)
    return compact(group) + _topic_array(topic, partitions, entries)


def _topic_array(topic: str, partitions: Sequence[int], entries: bytes) -> bytes:
    return b"\x02" + compact(topic) + varint(len(partitions) + 1) + entries + b"\0\0"


def _listed_offsets(reader: Reader) -> Iterator[tuple[int, int]]:
    # throttle; topics: name, partitions: index, error, timestamp, offset, leader epoch
    _, topics = reader.fields("i", [TEXT, ["ihqqi"]])
    for _, partitions in topics or ():
        for partition, error, _, offset, _ in partitions or ():
            if error == 0 and offset >= 0:
                yield partition, offset


def _fetched_offsets(reader: Reader) -> Iterator[tuple[int, int]]:
    # throttle; topics: name, partitions: index, offset, leader epoch, metadata, error
    _, topics = reader.fields("i", [TEXT, ["iqi", TEXT, "h"]])
    for _, partitions in topics or ():
        for partition, offset, _, _, error in partitions or ():
            if error == 0 and offset >= 0:
                yield partition, offset
