"""The settings of past releases and the files that they write, tested without running them."""

from __future__ import annotations

import pytest

from labs.incidents import past_files, replicas
from labs.incidents.kafka_3919 import steps

OLD_DUMP = """\
Starting offset: 0
offset: 0 position: 0 CreateTime: 1 isvalid: true payloadsize: 2 magic: 1 compresscodec: GZIP crc: 1 payload: 40
offset: 2 position: 0 CreateTime: 1 isvalid: true payloadsize: 2 magic: 1 compresscodec: GZIP crc: 1 payload: 41
offset: 1 position: 9 CreateTime: 1 isvalid: true payloadsize: 2 magic: 1 compresscodec: GZIP crc: 1 payload: 42
"""  # noqa: E501
NEW_DUMP = """\
Log starting offset: 0
baseOffset: 0 lastOffset: 1 count: 2 position: 0 size: 78 magic: 2 compresscodec: none
| offset: 0 CreateTime: 1 keySize: -1 valueSize: 2 sequence: -1 headerKeys: [] payload: 40
| offset: 1 CreateTime: 1 keySize: -1 valueSize: 3 sequence: -1 headerKeys: [] payload: a b
"""


def test_records_of_a_dump_are_read_in_log_order() -> None:
    assert list(past_files.records(OLD_DUMP)) == [(0, "40"), (2, "41"), (1, "42")]
    assert list(past_files.records(NEW_DUMP)) == [(0, "40"), (1, "a b")]


@pytest.mark.parametrize(("version", "known", "unknown"), [
    ("0.10.2.2", "zookeeper.connect", "process.roles"),
    ("2.8.2", "zookeeper.connect", "process.roles"),
    ("3.2.0", "process.roles", "zookeeper.connect"),
])  # fmt: skip
def test_a_broker_gets_only_settings_that_its_release_knows(
    version: str, known: str, unknown: str
) -> None:
    settings = past_files.broker(version, 2, 9000, 9001)
    assert known in settings
    assert unknown not in settings
    assert settings["listeners"] == "PLAINTEXT://127.0.0.1:9000"


def test_offsets_at_which_two_replicas_hold_different_messages_are_found() -> None:
    logs = {1: [(0, "a"), (1, "b"), (2, "c")], 2: [(0, "a"), (1, "x")], 3: [(0, "a"), (2, "c")]}
    assert replicas.differing_offsets(logs) == {1}
    assert list(steps.offset_dips([(0, "a"), (5, "b"), (3, "c"), (4, "d")])) == [(5, 3)]


def test_a_dump_of_several_brokers_is_divided_by_broker() -> None:
    dump = (
        "Dumping /tmp/x/broker-1/data/orders-0/0.log\nStarting offset: 0\n"
        "Dumping /tmp/x/broker-2/data/orders-0/0.log\nStarting offset: 0\n"
        "offset: 0 position: 0 payload: 7\n"
        "Dumping /tmp/x/broker-2/data/orders-0/9.log\noffset: 9 position: 0 payload: 8\n"
    )
    results = past_files.by_broker(dump)
    assert {number: list(past_files.records(text)) for number, text in results.items()} == {
        1: [], 2: [(0, "7"), (9, "8")],
    }  # fmt: skip
