"""Asks one node over the wire which controller is active.

The "controller" of a Metadata answer is some broker: since KRaft it only says where to send
requests (KIP-590). DescribeQuorum (API key 55, KIP-595) names the leader of the
metadata log, which is the active controller; a broker hands the question on to it. This is what
kafka-metadata-quorum.sh asks. The layout is that of DescribeQuorum{Request,Response}.json,
version 0, which brokers from 3.3 to 4.3 know.
"""

from __future__ import annotations

import struct

from labs.engine.protocol.wire import TEXT, compact, request

_DESCRIBE_QUORUM = (55, 0)
_METADATA = "__cluster_metadata"


def active_controller(port: int, limit_s: float) -> int | None:
    """The leader of the metadata quorum, as the node at this loopback port has it.

    None if it knows none: during an election, or without a majority. Raises
    `OSError` (`TimeoutError` included) if no answer came in `limit_s` seconds.
    """
    asked = b"\x02" + compact(_METADATA) + b"\x02" + struct.pack(">i", 0) + b"\0" * 3
    reader = request(port, _DESCRIBE_QUORUM, asked, limit_s)
    # error; topics: name, partitions: index, error, leader, epoch, watermark, voters, observers
    refused, topics = reader.fields("h", [TEXT, ["ihiiq", ["iq"], ["iq"]]])
    leaders = (
        leader
        for _, partitions in topics or ()
        for _, error, leader, *_ in partitions or ()
        if not (refused or error) and leader >= 0
    )
    return next(leaders, None)
