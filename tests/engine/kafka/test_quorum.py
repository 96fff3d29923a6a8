"""The requests of `quorum`, against a server with handwritten bytes from Kafka's schemas."""

from __future__ import annotations

import struct

import pytest

from labs.engine.protocol import quorum
from tests.engine.kafka.conftest import Serve

NOT_CONTROLLER, NOT_LEADER = 41, 6
REPLICA = struct.pack(">iq", 4, 100) + b"\0"
NAME = b"__cluster_metadata"
TAGS = b"\x01\x00\x03abc"  # one tagged field of three bytes, as a later release may send


def describe_response(leader: int, partition_error: int = 0, top_error: int = 0) -> bytes:
    """A DescribeQuorum response of version 0: one partition, three voters, one observer."""
    partition = struct.pack(">ihiiq", 0, partition_error, leader, 7, 99)
    partition += b"\x04" + REPLICA * 3 + b"\x02" + REPLICA + b"\0"
    topic = bytes([len(NAME) + 1]) + NAME + b"\x02" + partition + b"\0"
    return TAGS + struct.pack(">h", top_error) + b"\x02" + topic + b"\0"


@pytest.mark.parametrize(
    ("answer", "leader"),
    [
        (describe_response(5), 5), (describe_response(-1), None),
        (describe_response(5, partition_error=NOT_LEADER), None),
        (describe_response(5, top_error=NOT_CONTROLLER), None),
        (TAGS + struct.pack(">h", 0) + b"\x01\0", None),
    ],
)  # fmt: skip
def test_the_leader_of_the_metadata_log_is_the_active_controller(
    serve: Serve, answer: bytes, leader: int | None
) -> None:
    server = serve(answer)
    assert quorum.active_controller(server.port, 60) == leader
    request = server.requests[0]
    assert struct.unpack_from(">hh", request) == (55, 0)
    assert request.endswith(b"\x02" + bytes([len(NAME) + 1]) + NAME + b"\x02\0\0\0\0\0\0\0")


def test_a_truncated_response_is_an_error(serve: Serve) -> None:
    server = serve(describe_response(5)[:20])
    with pytest.raises(OSError, match="ends too early"):
        quorum.active_controller(server.port, 60)
