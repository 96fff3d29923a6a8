"""Which controller is the active one, asked of one node over the wire.

The "controller" that clients are told of by Metadata is some broker: since KRaft it only says
whom to send requests to (KIP-590). DescribeQuorum (API key 55, KIP-595) names the leader of the
metadata log, which is the active controller; a broker hands the question on to it. This is what
kafka-metadata-quorum.sh asks. The layout is that of DescribeQuorum{Request,Response}.json,
version 0, which brokers from 3.3 to 4.3 know.
"""

from __future__ import annotations

import socket
import struct

from labs.engine.kafka.wire import Reader, frame, varint

_DESCRIBE_QUORUM, _VERSION = 55, 0
_METADATA = b"__cluster_metadata"


def ask(port: int, limit_s: float) -> int | None:
    """The node that leads the metadata quorum, as the node at this loopback port has it.

    None if it knows of none: while one is being elected, or where no majority is left. Raises
    `OSError` (`TimeoutError` included) if no answer came in `limit_s` seconds.
    """
    header = struct.pack(">hhih", _DESCRIBE_QUORUM, _VERSION, 1, -1) + b"\0"
    topic = b"\x02" + varint(len(_METADATA) + 1) + _METADATA
    request = header + topic + b"\x02" + struct.pack(">i", 0) + b"\0" * 3
    with socket.create_connection(("127.0.0.1", port), timeout=limit_s) as wire:
        wire.settimeout(limit_s)
        wire.sendall(struct.pack(">i", len(request)) + request)
        return _leader(Reader(frame(wire)))


def _leader(reader: Reader) -> int | None:
    reader.number(">i")  # correlation
    reader.tags()
    if reader.number(">h"):  # error: NOT_CONTROLLER, REQUEST_TIMED_OUT
        return None
    told = reader.array(lambda: _topic(reader)) or ()
    leaders = [leader for leaders in told for leader in leaders if leader >= 0]
    return leaders[0] if leaders else None


def _topic(reader: Reader) -> tuple[int, ...]:
    reader.text()
    leaders = reader.array(lambda: _partition(reader)) or ()
    reader.tags()
    return leaders


def _partition(reader: Reader) -> int:
    reader.number(">i")  # partition
    failed = reader.number(">h")
    leader = reader.number(">i")
    reader.number(">i")  # epoch
    reader.number(">q")  # high watermark
    for _ in ("voters", "observers"):
        reader.array(lambda: _replica(reader))
    reader.tags()
    return -1 if failed else leader


def _replica(reader: Reader) -> None:
    reader.number(">i")
    reader.number(">q")  # log end offset
    reader.tags()
