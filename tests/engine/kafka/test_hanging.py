"""The requests of `hanging`, against a server with handwritten bytes from Kafka's schemas."""

from __future__ import annotations

import struct

import pytest

from labs.engine.protocol import hanging
from labs.engine.protocol.hanging import OpenTransaction
from tests.engine.kafka.conftest import Serve

NAME = b"\x07orders"
NOT_LEADER, FENCED = 6, 53
HANGING = OpenTransaction(
    producer=7, epoch=3, coordinator_epoch=-1, wrote_ms=1_700_000_000_000, start=120
)
ENDED = OpenTransaction(
    producer=8, epoch=0, coordinator_epoch=5, wrote_ms=1_700_000_000_000, start=-1
)


def describe_response(*transactions: OpenTransaction, failed: int = 0) -> bytes:
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


def markers_response(failed: int = 0) -> bytes:
    """A WriteTxnMarkers response of version 1: one producer, one topic, one partition."""
    topic = NAME + b"\x02" + struct.pack(">ih", 2, failed) + b"\0" + b"\0"
    return b"\0" + b"\x02" + struct.pack(">q", 7) + b"\x02" + topic + b"\0" + b"\0"


def test_only_open_transactions_are_returned(serve: Serve) -> None:
    server = serve(describe_response(HANGING, ENDED))
    assert hanging.open_transactions(server.port, "orders", 2, 60) == [HANGING]
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (61, 0)
    assert request.endswith(b"\x02" + NAME + b"\x02\0\0\0\x02" + b"\0\0")


def test_abort_writes_the_marker_that_the_coordinator_would_write(serve: Serve) -> None:
    server = serve(markers_response())
    hanging.abort(server.port, "orders", 2, HANGING, 60)
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (27, 1)
    marker = struct.pack(">qh?", 7, 3, False) + b"\x02" + NAME + b"\x02\0\0\0\x02" + b"\0"
    assert request.endswith(b"\x02" + marker + struct.pack(">i", 0) + b"\0\0")


def test_an_error_code_in_a_response_is_raised(serve: Serve) -> None:
    with pytest.raises(OSError, match="error 6"):
        hanging.open_transactions(
            serve(describe_response(HANGING, failed=NOT_LEADER)).port, "orders", 2, 60
        )
    with pytest.raises(OSError, match="error 53"):
        hanging.abort(serve(markers_response(FENCED)).port, "orders", 2, HANGING, 60)
