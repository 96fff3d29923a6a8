"""Asks one node over the wire which controller is active.

The "controller" of a Metadata answer is some broker: since KRaft it only says where to send
requests (KIP-590). DescribeQuorum (API key 55, KIP-595) names the leader of the
metadata log, which is the active controller; a broker hands the question on to it. This is what
kafka-metadata-quorum.sh asks. The layout is that of DescribeQuorum{Request,Response}.json,
version 0, which brokers from 3.3 to 4.3 know.
"""

from __future__ import annotations

import struct

from labs.engine.protocol.wire import Reader, compact, request

_DESCRIBE_QUORUM = (55, 0)
_METADATA = "__cluster_metadata"


def ask(port: int, limit_s: float) -> int | None:
    """The leader of the metadata quorum, as the node at this loopback port has it.

    None if it knows none: during an election, or without a majority. Raises
    `OSError` (`TimeoutError` included) if no answer came in `limit_s` seconds.
    """
    requested = b"\x02" + compact(_METADATA) + b"\x02" + struct.pack(">i", 0) + b"\0" * 3
    return _leader(request(port, _DESCRIBE_QUORUM, requested, limit_s))


def _leader(reader: Reader) -> int | None:
    """Parses the answer up to the leader of the single partition of its single topic."""
    refused = reader.number(">h")  # NOT_CONTROLLER, REQUEST_TIMED_OUT
    if refused or not _next_of_array(reader):
        return None
    reader.text()
    if not _next_of_array(reader):
        return None
    reader.number(">i")  # partition
    failed, leader = reader.number(">h"), reader.number(">i")
    return None if failed or leader < 0 else leader


def _next_of_array(reader: Reader) -> bool:
    return reader.varint() > 1
