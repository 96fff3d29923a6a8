"""Queries the active controller from one node.

The "controller" of a Metadata response is any broker: in KRaft mode it only says where to send
requests (KIP-590). DescribeQuorum (API key 55, KIP-595) returns the leader of the metadata log,
which is the active controller; brokers forward the request to it. kafka-metadata-quorum.sh uses the
same request. The layout is that of DescribeQuorum{Request,Response}.json, version 0, which brokers
from 3.3 to 4.3 support.
"""

from __future__ import annotations

import struct

from labs.engine.protocol.wire import TEXT, compact, request

_DESCRIBE_QUORUM = (55, 0)
_METADATA = "__cluster_metadata"


def active_controller(port: int, limit_s: float) -> int | None:
    """Returns the leader of the metadata quorum, from the node at this loopback port.

    None if it knows no leader: during an election, or without a majority. Raises `OSError`
    (including `TimeoutError`) if there was no response in `limit_s` seconds.
    """
    body = b"\x02" + compact(_METADATA) + b"\x02" + struct.pack(">i", 0) + b"\0" * 3
    reader = request(port, _DESCRIBE_QUORUM, body, limit_s)
    # error; topics: name, partitions: index, error, leader, epoch, watermark, voters, observers
    top_level_error, topics = reader.fields("h", [TEXT, ["ihiiq", ["iq"], ["iq"]]])
    leaders = (
        leader
        for _, partitions in topics or ()
        for _, error, leader, *_ in partitions or ()
        if not (top_level_error or error) and leader >= 0
    )
    return next(leaders, None)
