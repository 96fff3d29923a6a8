"""Files of settings: whose each is, and in which language."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_file

LEAST = "min.insync.replicas=2\nunclean.leader.election.enable=false\n"
OF_EACH = "topic.replication.factor=3"
OFFSETS = "offsets.topic.replication.factor=3 with min.insync.replicas=1"


@pytest.mark.parametrize(("name", "code", "expected"), [
    ("topic.properties", 0, OFFSETS),
    ("orders-topic-config.properties", 0, OFFSETS),
    ("server.properties", 0, "B001 high"),
    ("broker-1.properties", 0, "B001 high"),
    ("a.properties", 2, "a.properties:1: this may be of one topic, or of a broker for all topics"),
])  # fmt: skip
def test_a_name_says_whether_a_file_is_of_a_topic_or_of_brokers(
    tmp_path: Path, name: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / name, LEAST, "", f"{COPIES} {OF_EACH}", code, expected)


@pytest.mark.parametrize("name", ["topic.properties", "a.properties"])
def test_a_file_of_brokers_is_theirs_whatever_its_name(tmp_path: Path, name: str) -> None:
    text = f"{LEAST}log.dirs=/data\n"
    assert_file(tmp_path / name, text, "", f"{COPIES} {OF_EACH}", 0, "B001 high")


@pytest.mark.parametrize("text", [
    'conf: dict[str, str] = {"bootstrap.servers": "k:9092", "acks": "1"}\n',
    'CONF: Final = dict(acks="1", **{"linger.ms": 5})\n',
])  # fmt: skip
def test_an_annotated_dict_is_python(tmp_path: Path, text: str) -> None:
    assert_file(tmp_path / "c.py", text, "", f"{COPIES} {TOPIC}", 1, "producer.acks: 1 -> all")


def test_librdkafka_refuses_a_word_with_a_blank(tmp_path: Path) -> None:
    text, expected = '{"acks": "all ", "linger.ms": 5}', "j.json:1: acks has white space around"
    assert_file(tmp_path / "j.json", text, "", f"{COPIES} {TOPIC}", 2, expected)
