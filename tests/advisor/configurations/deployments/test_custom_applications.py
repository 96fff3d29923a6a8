"""Variables and arguments of a team's own applications, next to brokers in a compose file.

Expected: only the code shows how an application uses its variables and arguments. A relevant client
setting is refused, however it is spelled. Kafka's own tools are not applications.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, assert_file

BROKERS = "services:\n" + "".join(
    f"""  k{number}:
    image: confluentinc/cp-kafka:7.6.0
    volumes: ['d{number}:/var/lib/kafka/data']
    environment:
      KAFKA_PROCESS_ROLES: broker,controller
      KAFKA_NODE_ID: {number}
      KAFKA_DEFAULT_REPLICATION_FACTOR: 3
      KAFKA_MIN_INSYNC_REPLICAS: 2
"""
    for number in range(3)
)
APP = "  app:\n    image: acme/app\n"
CUSTOM = "as in an application of your own"


@pytest.mark.parametrize(("name", "value", "code", "expected"), [
    ("Kafka__ProducerConfig__Acks", "Leader", 2, f"is acks of a producer, {CUSTOM}"),
    ("Kafka__Producer__EnableIdempotence", "false", 2, "is enable.idempotence of a producer"),
    ("KafkaSettings__AutoOffsetReset", "Latest", 2, "is auto.offset.reset of a consumer"),
    ("KAFKA_REQUIREDACKS", "1", 2, "is acks of a producer"),
    ("SARAMA_PRODUCER_REQUIRED_ACKS", "1", 2, "is acks of a producer"),
    ("KAFKA_CONSUMER_OFFSET_RESET", "latest", 2, "is auto.offset.reset of a consumer"),
    ("KAFKA_ISOLATION_LEVEL", "read_uncommitted", 2, "is isolation.level of a consumer"),
    ("PRODUCER_CONFIG", '{"acks": 1}', 2, f"acks is in a value here, {CUSTOM}"),
    ("KAFKA_PRODUCER_CONFIG", "linger.ms=5,acks=1", 2, "acks is in a value"),
    ("APP_PROPERTIES", "enable.auto.commit: true", 2, "enable.auto.commit is in a value"),
    ("KAFKA_BROKERS", "k1:9092", 0, "YES"),
    ("DB_ISOLATION_LEVEL", "read_committed", 0, "YES"),
    ("MYSQL_TX_ISOLATION_LEVEL", "read_committed", 0, "YES"),
])  # fmt: skip
def test_a_variable_of_a_custom_application_gets_the_expected_answer(
    tmp_path: Path, name: str, value: str, code: int, expected: str
) -> None:
    text = f"{BROKERS}{APP}    environment:\n      {name}: '{value}'\n"
    assert_file(tmp_path / "f.yml", text, "", COPIES, code, expected)


@pytest.mark.parametrize(("command", "code", "expected"), [
    ("[./app, --acks=1]", 2, f"acks is acks of a producer, {CUSTOM}"),
    ("[python, app.py, --acks, '1']", 2, "acks is acks of a producer"),
    ("./app -auto-offset-reset latest", 2, "is auto.offset.reset of a consumer"),
    ("./app --kafka-acks=1", 2, "is acks of a producer"),
    ("./app --producer-config acks=1", 2, "acks is in a value"),
    ("./app --topic a --brokers k1:9092", 0, "YES"),
    ("kafka-verifiable-producer --topic t --acks 1 --bootstrap-server k1:9092", 0, "YES"),
    ("/opt/kafka/bin/kafka-console-producer.sh --producer-property acks=1 --topic t", 0, "YES"),
    ("kcat -b k1 -P -t t -X acks=1", 0, "YES"),
])  # fmt: skip
def test_an_argument_of_a_custom_application_gets_the_expected_answer(
    tmp_path: Path, command: str, code: int, expected: str
) -> None:
    assert_file(
        tmp_path / "f.yml", f"{BROKERS}{APP}    command: {command}\n", "", COPIES, code, expected
    )
