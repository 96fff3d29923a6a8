"""The requests of `reassign`, against a server with handwritten bytes from Kafka's schemas."""

from __future__ import annotations

import struct

import pytest

from labs.engine.protocol import reassign
from tests.engine.kafka.conftest import Serve

NAME = b"\x07orders"
NOT_AUTHORIZED, UNKNOWN_TOPIC = 31, 3


def alter_response(error: int = 0, partition_error: int = 0) -> bytes:
    """An AlterPartitionReassignments response of version 0: one topic, one partition."""
    partition = struct.pack(">ih", 2, partition_error) + b"\0" + b"\0"
    topic = NAME + b"\x02" + partition + b"\0"
    return b"\0" + struct.pack(">ih", 0, error) + b"\0" + b"\x02" + topic + b"\0"


def list_response(*partitions: bytes) -> bytes:
    """A ListPartitionReassignments response of version 0."""
    topics = b"\x02" + NAME + b"\x02" + partitions[0] + b"\0" if partitions else b"\x01"
    return b"\0" + struct.pack(">ih", 0, 0) + b"\0" + topics + b"\0"


def array(*ids: int) -> bytes:
    return bytes([len(ids) + 1]) + struct.pack(f">{len(ids)}i", *ids)


def test_replicas_are_requested_in_the_given_order(serve: Serve) -> None:
    server = serve(alter_response())
    reassign.request_replicas(server.port, "orders", 2, [3, 1], 60)
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (45, 0)
    partition = struct.pack(">i", 2) + array(3, 1) + b"\0"
    assert request.endswith(
        struct.pack(">i", 60_000) + b"\x02" + NAME + b"\x02" + partition + b"\0\0"
    )


def test_a_reassignment_is_pending_while_the_controller_lists_it(serve: Serve) -> None:
    pending_partition = struct.pack(">i", 2) + array(1, 2, 3) + array() + array(3) + b"\0"
    server = serve(list_response(pending_partition))
    assert reassign.pending(server.port, "orders", 2, 60)
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (46, 0)
    assert request.endswith(NAME + b"\x02" + struct.pack(">i", 2) + b"\0\0")
    assert not reassign.pending(serve(list_response()).port, "orders", 2, 60)


def test_an_error_code_in_a_response_is_raised(serve: Serve) -> None:
    with pytest.raises(OSError, match="error 31"):
        reassign.request_replicas(serve(alter_response(NOT_AUTHORIZED)).port, "orders", 2, [1], 60)
    with pytest.raises(OSError, match=r"error 3$"):
        reassign.request_replicas(
            serve(alter_response(partition_error=UNKNOWN_TOPIC)).port, "orders", 2, [1], 60
        )
