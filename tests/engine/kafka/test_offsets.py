"""The requests of `offsets`, against a server with handwritten bytes from Kafka's schemas."""

from __future__ import annotations

import socket
import struct

import pytest

from labs.engine.protocol import offsets
from tests.engine.kafka.conftest import Serve

NOT_LEADER, NOT_COORDINATOR = 6, 16


def list_response(*partitions: tuple[int, int, int]) -> bytes:
    """A ListOffsets response of version 6, from (partition, error, offset) tuples."""
    rows = [
        struct.pack(">ihqqib", index, error, -1, offset, -1, 0)
        for index, error, offset in partitions
    ]
    return struct.pack(">bib", 0, 0, 2) + _topic(rows) + b"\0"


def fetch_response(*partitions: tuple[int, int, int], error: int = 0) -> bytes:
    """An OffsetFetch response of version 6 with empty metadata, from (partition, error, offset)."""
    rows = [
        struct.pack(">iqibhb", index, offset, -1, 1, partition_error, 0)
        for index, partition_error, offset in partitions
    ]
    return struct.pack(">bib", 0, 0, 2) + _topic(rows) + struct.pack(">hb", error, 0)


def _topic(rows: list[bytes]) -> bytes:
    """`orders` with its partitions, and the end of its tagged fields."""
    return struct.pack(">b6sb", 7, b"orders", len(rows) + 1) + b"".join(rows) + b"\0"


def test_watermarks_and_committed_offsets_are_returned_by_partition(serve: Serve) -> None:
    server = serve(
        list_response((0, 0, 90), (1, 0, 7)),
        list_response((0, 0, 100), (1, 0, 7)),
        fetch_response((0, 0, 80)),
    )
    result = offsets.fetch(server.port, "orders", [0, 1], "app", 60)
    assert result.last_stable == {0: 90, 1: 7}
    assert result.high_watermark == {0: 100, 1: 7}
    assert result.committed == {0: 80}


def test_the_requests_have_the_bytes_that_kafka_expects(serve: Serve) -> None:
    server = serve(list_response(), list_response(), fetch_response())
    offsets.fetch(server.port, "orders", [3], "app", 60)
    stable, high, commits = server.requests
    topic = struct.pack(">bb6sb", 2, 7, b"orders", 2)
    for request, isolation in ((stable, 1), (high, 0)):
        assert request[:4] == struct.pack(">hh", 2, 6)
        partition = struct.pack(">iiqb", 3, -1, -1, 0)
        assert request[10:] == struct.pack(">bib", 0, -1, isolation) + topic + partition + b"\0\0"
    assert commits[:4] == struct.pack(">hh", 9, 6)
    assert commits[10:] == struct.pack(">bb3s", 0, 4, b"app") + topic + struct.pack(">i", 3) + (
        b"\0\0"
    )


def test_answers_of_a_broker_that_is_not_leader_or_coordinator_are_ignored(serve: Serve) -> None:
    server = serve(
        list_response((0, NOT_LEADER, 7)),
        list_response((0, NOT_LEADER, 7)),
        fetch_response((0, NOT_COORDINATOR, 7), error=NOT_COORDINATOR),
    )
    assert offsets.fetch(server.port, "orders", [0], "app", 60) == offsets.Offsets()


def test_a_group_without_a_commit_has_no_committed_offset(serve: Serve) -> None:
    server = serve(list_response((0, 0, 5)), list_response((0, 0, 5)), fetch_response((0, 0, -1)))
    assert offsets.fetch(server.port, "orders", [0], "app", 60).committed == {}


def test_a_truncated_response_is_an_error(serve: Serve) -> None:
    server = serve(list_response((0, 0, 5)), list_response((0, 0, 5))[:-4])
    with pytest.raises(OSError, match="ends too early"):
        offsets.fetch(server.port, "orders", [0], None, 60)


def test_a_refused_connection_is_an_error() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        offsets.fetch(port, "orders", [0], None, 60)
