"""The wire of `reassign`, against a server that speaks bytes by hand from Kafka's schemas."""

from __future__ import annotations

import struct

import pytest

from labs.engine.protocol import reassign
from tests.engine.kafka.conftest import Serve

NAME = b"\x07orders"
NOT_AUTHORIZED, UNKNOWN_TOPIC = 31, 3


def altered(error: int = 0, of_partition: int = 0) -> bytes:
    """An AlterPartitionReassignments response of version 0: one topic, one partition."""
    partition = struct.pack(">ih", 2, of_partition) + b"\0" + b"\0"
    topic = NAME + b"\x02" + partition + b"\0"
    return b"\0" + struct.pack(">ih", 0, error) + b"\0" + b"\x02" + topic + b"\0"


def listed(*partitions: bytes) -> bytes:
    """A ListPartitionReassignments response of version 0."""
    topics = b"\x02" + NAME + b"\x02" + partitions[0] + b"\0" if partitions else b"\x01"
    return b"\0" + struct.pack(">ih", 0, 0) + b"\0" + topics + b"\0"


def ids(*of: int) -> bytes:
    return bytes([len(of) + 1]) + struct.pack(f">{len(of)}i", *of)


def test_the_replicas_are_asked_for_in_their_order(serve: Serve) -> None:
    server = serve(altered())
    reassign.request_replicas(server.port, "orders", 2, [3, 1], 60)
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (45, 0)
    place = struct.pack(">i", 2) + ids(3, 1) + b"\0"
    assert request.endswith(struct.pack(">i", 60_000) + b"\x02" + NAME + b"\x02" + place + b"\0\0")


def test_a_reassignment_is_pending_as_long_as_the_controller_lists_it(serve: Serve) -> None:
    waits = struct.pack(">i", 2) + ids(1, 2, 3) + ids() + ids(3) + b"\0"
    server = serve(listed(waits))
    assert reassign.pending(server.port, "orders", 2, 60)
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (46, 0)
    assert request.endswith(NAME + b"\x02" + struct.pack(">i", 2) + b"\0\0")
    assert not reassign.pending(serve(listed()).port, "orders", 2, 60)


def test_a_refusal_is_an_error(serve: Serve) -> None:
    with pytest.raises(OSError, match="error 31"):
        reassign.request_replicas(serve(altered(NOT_AUTHORIZED)).port, "orders", 2, [1], 60)
    with pytest.raises(OSError, match=r"error 3$"):
        reassign.request_replicas(
            serve(altered(of_partition=UNKNOWN_TOPIC)).port, "orders", 2, [1], 60
        )
