"""The wire of `hanging`, against a server that speaks bytes by hand from Kafka's schemas."""

from __future__ import annotations

import struct

import pytest

from labs.engine.protocol import hanging
from labs.engine.protocol.hanging import OpenTransaction
from tests.engine.kafka.conftest import Serve

NAME = b"\x07orders"
NOT_LEADER, FENCED = 6, 53
HANGS = OpenTransaction(
    producer=7, epoch=3, coordinator_epoch=-1, wrote_ms=1_700_000_000_000, start=120
)
ENDED = OpenTransaction(
    producer=8, epoch=0, coordinator_epoch=5, wrote_ms=1_700_000_000_000, start=-1
)


def described(*transactions: OpenTransaction, failed: int = 0) -> bytes:
    """A DescribeProducers response of version 0: one topic, one partition, its producers."""
    producers = b"".join(
        struct.pack(">qiiqiq", transaction.producer, transaction.epoch, 41, transaction.wrote_ms,
                    transaction.coordinator_epoch, transaction.start) + b"\0"
        for transaction in transactions
    )  # fmt: skip
    partition = (
        struct.pack(">ih", 2, failed) + b"\0" + bytes([len(transactions) + 1]) + producers + b"\0"
    )
    return b"\0" + struct.pack(">i", 0) + b"\x02" + NAME + b"\x02" + partition + b"\0" + b"\0"


def written(failed: int = 0) -> bytes:
    """A WriteTxnMarkers response of version 1: one producer, one topic, one partition."""
    topic = NAME + b"\x02" + struct.pack(">ih", 2, failed) + b"\0" + b"\0"
    return b"\0" + b"\x02" + struct.pack(">q", 7) + b"\x02" + topic + b"\0" + b"\0"


def test_what_is_open_is_told_and_what_has_ended_is_not(serve: Serve) -> None:
    server = serve(described(HANGS, ENDED))
    assert hanging.open_transactions(server.port, "orders", 2, 60) == [HANGS]
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (61, 0)
    assert request.endswith(b"\x02" + NAME + b"\x02\0\0\0\x02" + b"\0\0")


def test_it_is_aborted_as_its_coordinator_would(serve: Serve) -> None:
    server = serve(written())
    hanging.abort(server.port, "orders", 2, HANGS, 60)
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (27, 1)
    marker = struct.pack(">qh?", 7, 3, False) + b"\x02" + NAME + b"\x02\0\0\0\x02" + b"\0"
    assert request.endswith(b"\x02" + marker + struct.pack(">i", 0) + b"\0\0")


def test_a_refusal_is_an_error(serve: Serve) -> None:
    with pytest.raises(OSError, match="error 6"):
        hanging.open_transactions(serve(described(HANGS, failed=NOT_LEADER)).port, "orders", 2, 60)
    with pytest.raises(OSError, match="error 53"):
        hanging.abort(serve(written(FENCED)).port, "orders", 2, HANGS, 60)
