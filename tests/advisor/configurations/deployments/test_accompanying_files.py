"""Files that accompany those of a pipeline, and state little or nothing about Kafka."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_answer, assert_file, write_files

_TOPIC = "topic.replication.factor=3 topic.min.insync.replicas=2"
_READS = (
    "application.restart=resumes application.commit=after-processing "
    "consumer.enable.auto.commit=false consumer.auto.offset.reset=earliest"
)
_ZOOKEEPER = "KAFKA_ZOOKEEPER_CONNECT=z:2181\n"
_COMPOSE = """services:
  kafka:
    image: apache/kafka:3.9.0
    volumes: ['d:/tmp/kafka-logs']
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_MIN_INSYNC_REPLICAS: ${ISR%s}
"""


@pytest.mark.parametrize(
    "name", ["BOOTSTRAP_SERVERS", "BOOTSTRAP_SERVER", "BROKERS", "BROKER_LIST"]
)
def test_variables_of_a_zookeeper_client_are_not_a_broker(tmp_path: Path, name: str) -> None:
    text = f"{_ZOOKEEPER}KAFKA_{name}=k:9092\n"
    assert_file(tmp_path / ".env", text, "", f"{_TOPIC} {_READS}", 2, "those of its application")


def test_a_server_with_a_zookeeper_address_and_a_broker_id_is_a_broker(tmp_path: Path) -> None:
    text = f"{_ZOOKEEPER}KAFKA_BROKER_ID=1\nKAFKA_BROKERS=k:9092\n"
    assert_file(tmp_path / ".env", text, "", f"{_TOPIC} {_READS}", 0, "^YES")


@pytest.mark.parametrize(
    ("env", "default", "expected"),
    [
        ("ISR=\n", ":-2", "values of the .env beside it are"),
        ('export ISR=""\n', ":-2", "values of the .env beside it are"),
        ("ISR=1\n", ":-2", "values of the .env beside it are"),
        ("ISR=\n", "-2", "min.insync.replicas"),
    ],
)
def test_an_empty_variable_has_its_default(
    tmp_path: Path, env: str, default: str, expected: str
) -> None:
    write_files(tmp_path, {"compose.yml": _COMPOSE % default, ".env": env})
    files = f"{tmp_path}/compose.yml {tmp_path}/.env"
    code = 2 if expected.startswith("min") else 1
    assert_answer(files, f"broker.default.replication.factor=1 {_READS}", code, expected)


def test_a_bootstrap_file_without_kafka_is_not_read(tmp_path: Path) -> None:
    kafka = "spring.kafka:\n  producer: {acks: all}\n"
    kafka += "  consumer: {group-id: g, auto-offset-reset: earliest}\n"
    cloud = "spring:\n  application: {name: a}\n  cloud.config: {uri: 'http://c'}\n"
    write_files(tmp_path, {"application.yml": kafka, "bootstrap.yml": cloud})
    files = f"{tmp_path}/bootstrap.yml {tmp_path}/application.yml"
    settings = f"{_TOPIC} application.restart=resumes application.processing.errors=retry"
    assert_answer(files, settings, 0, "nothing of Kafka is in it: not read")


def test_the_batch_size_of_a_stream_may_be_a_variable_in_a_dict(tmp_path: Path) -> None:
    code = """options = {"kafka.bootstrap.servers": "a", "subscribe": "t",
           "startingOffsets": "earliest", "maxOffsetsPerTrigger": MOST}
rows = spark.readStream.format("kafka").options(**options).load()
(rows.writeStream.format("kafka").option("kafka.bootstrap.servers", "a").option("topic", "o")
 .option("checkpointLocation", "s3://c").start())
"""
    assert_file(tmp_path / "q.py", code, "", _TOPIC, 0, "maxOffsetsPerTrigger is not a plain value")
