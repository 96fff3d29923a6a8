"""How far a partition can be read and how far a group has committed, asked of one broker.

A socket of our own goes to the broker we mean and gives up when we say, as in `topics`. All
questions go out at once on one connection; a broker answers them in order.

ListOffsets (API key 2) version 2 with timestamp -1 answers with the high watermark for
`read_uncommitted` and with the last stable offset for `read_committed` (Partition.scala,
`fetchOffsetForTimestamp`); only a leader answers, and not before its high watermark has reached
its own term. OffsetFetch (API key 9) version 2 is answered by the group's coordinator alone.
Brokers from 3.3 to 4.3 know both versions: {ListOffsets,OffsetFetch}{Request,Response}.json.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from labs.engine.protocol.wire import Api, Classic, classic_header, exchange

_LIST_OFFSETS: Api = (2, 2)
_OFFSET_FETCH: Api = (9, 2)
_LATEST, _CLIENT = -1, -1
_UNCOMMITTED, _COMMITTED = 0, 1


@dataclass(frozen=True, slots=True)
class Offsets:
    """What one broker says, by partition; what it cannot say is absent."""

    high_watermark: dict[int, int] = field(default_factory=dict)
    last_stable: dict[int, int] = field(default_factory=dict)
    committed: dict[int, int] = field(default_factory=dict)


def ask(
    port: int, topic: str, partitions: Sequence[int], group: str | None, limit_s: float
) -> Offsets:
    """What the broker at this loopback port knows of `partitions`, and of `group` there.

    Raises `OSError` (`TimeoutError` included) if an answer took longer than `limit_s` seconds.
    """
    requests = [
        classic_header(_LIST_OFFSETS) + _list_offsets(topic, partitions, isolation)
        # In this order: asked later, a high watermark is never below the last stable offset.
        for isolation in (_COMMITTED, _UNCOMMITTED)
    ]
    if group is not None:
        requests.append(classic_header(_OFFSET_FETCH) + _offset_fetch(group, topic, partitions))
    answers = [_body(block) for block in exchange(port, requests, limit_s)]
    return Offsets(
        last_stable=dict(_listed(answers[0])),
        high_watermark=dict(_listed(answers[1])),
        committed=dict(_fetched(answers[2])) if group is not None else {},
    )


def _list_offsets(topic: str, partitions: Sequence[int], isolation: int) -> bytes:
    wanted = b"".join(struct.pack(">iq", partition, _LATEST) for partition in partitions)
    return struct.pack(">ib", _CLIENT, isolation) + _one_topic(topic, partitions, wanted)


def _offset_fetch(group: str, topic: str, partitions: Sequence[int]) -> bytes:
    wanted = struct.pack(f">{len(partitions)}i", *partitions)
    return _text(group) + _one_topic(topic, partitions, wanted)


def _one_topic(topic: str, partitions: Sequence[int], wanted: bytes) -> bytes:
    return struct.pack(">i", 1) + _text(topic) + struct.pack(">i", len(partitions)) + wanted


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack(">h", len(data)) + data


def _body(answer: bytes) -> Classic:
    reader = Classic(answer)
    reader.number(">i")  # correlation
    return reader


def _listed(reader: Classic) -> Iterator[tuple[int, int]]:
    reader.number(">i")  # throttle time
    for _ in range(_partitions(reader)):
        partition, error, _, offset = reader.take(">ihqq")
        if error == 0 and offset >= 0:
            yield partition, offset


def _fetched(reader: Classic) -> Iterator[tuple[int, int]]:
    for _ in range(_partitions(reader)):
        partition, offset = reader.take(">iq")
        reader.text()  # metadata
        error = reader.number(">h")
        if error == 0 and offset >= 0:
            yield partition, offset


def _partitions(reader: Classic) -> int:
    """Goes to the partitions of the one topic; how many there are."""
    if reader.number(">i") == 0:  # topics
        return 0
    reader.text()
    return reader.number(">i")
