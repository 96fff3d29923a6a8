"""The wire of `offsets`, against a server that speaks bytes by hand from Kafka's schemas."""

from __future__ import annotations

import socket
import struct

import pytest

from labs.engine.protocol import offsets
from tests.engine.kafka.conftest import Serve

NOT_LEADER, NOT_COORDINATOR = 6, 16


def listed(*partitions: tuple[int, int, int]) -> bytes:
    """A ListOffsets response of version 6: (partition, error, offset) each."""
    rows = [struct.pack(">ihqqib", index, error, -1, at, -1, 0) for index, error, at in partitions]
    return struct.pack(">bib", 0, 0, 2) + _topic(rows) + b"\0"


def fetched(*partitions: tuple[int, int, int], error: int = 0) -> bytes:
    """An OffsetFetch response of version 6, with metadata that is empty."""
    rows = [struct.pack(">iqibhb", index, own, -1, 1, at, 0) for index, at, own in partitions]
    return struct.pack(">bib", 0, 0, 2) + _topic(rows) + struct.pack(">hb", error, 0)


def _topic(rows: list[bytes]) -> bytes:
    """`orders` with its partitions, and the end of its tagged fields."""
    return struct.pack(">b6sb", 7, b"orders", len(rows) + 1) + b"".join(rows) + b"\0"


def test_watermarks_and_commits_by_partition(serve: Serve) -> None:
    server = serve(
        listed((0, 0, 90), (1, 0, 7)), listed((0, 0, 100), (1, 0, 7)), fetched((0, 0, 80))
    )
    entry = offsets.fetch(server.port, "orders", [0, 1], "app", 60)
    assert entry.last_stable == {0: 90, 1: 7}
    assert entry.high_watermark == {0: 100, 1: 7}
    assert entry.committed == {0: 80}


def test_what_is_asked_is_what_kafka_reads(serve: Serve) -> None:
    server = serve(listed(), listed(), fetched())
    offsets.fetch(server.port, "orders", [3], "app", 60)
    stable, high, commits = server.requests
    topic = struct.pack(">bb6sb", 2, 7, b"orders", 2)
    for request, isolation in ((stable, 1), (high, 0)):
        assert request[:4] == struct.pack(">hh", 2, 6)
        place = struct.pack(">iiqb", 3, -1, -1, 0)
        assert request[10:] == struct.pack(">bib", 0, -1, isolation) + topic + place + b"\0\0"
    assert commits[:4] == struct.pack(">hh", 9, 6)
    assert commits[10:] == struct.pack(">bb3s", 0, 4, b"app") + topic + struct.pack(">i", 3) + (
        b"\0\0"
    )


def test_who_does_not_lead_or_coordinate_says_nothing(serve: Serve) -> None:
    server = serve(
        listed((0, NOT_LEADER, 7)),
        listed((0, NOT_LEADER, 7)),
        fetched((0, NOT_COORDINATOR, 7), error=NOT_COORDINATOR),
    )
    assert offsets.fetch(server.port, "orders", [0], "app", 60) == offsets.Offsets()


def test_a_group_without_a_commit_has_none(serve: Serve) -> None:
    server = serve(listed((0, 0, 5)), listed((0, 0, 5)), fetched((0, 0, -1)))
    assert offsets.fetch(server.port, "orders", [0], "app", 60).committed == {}


def test_a_broker_that_ends_in_the_middle_is_an_error(serve: Serve) -> None:
    server = serve(listed((0, 0, 5)), listed((0, 0, 5))[:-4])
    with pytest.raises(OSError, match="ends too early"):
        offsets.fetch(server.port, "orders", [0], None, 60)


def test_nobody_there_is_an_error_too() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(OSError, match="refused"):
        offsets.fetch(port, "orders", [0], None, 60)
