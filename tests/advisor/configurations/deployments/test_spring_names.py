"""Variables of Spring in other spellings than capitals with underscores.

Expected from Spring Boot's SystemEnvironmentPropertyMapper and DefaultPropertyMapper: all of these
set the property; of two spellings the one in capitals counts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_files
from tests.advisor.configurations.manifests import DEPLOYMENT

KNOWN = "topic.replication.factor=3 topic.min.insync.replicas=2 application.restart=resumes"
KNOWN += " application.processing.errors=retry"
BASE = {
    "SPRING_KAFKA_CONSUMER_GROUP_ID": "g", "SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET": "earliest",
}  # fmt: skip
SERVICE = "services:\n  orders:\n    image: orders\n    environment:\n"
CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: orders}\ndata:\n"
FROM = "        envFrom: [{configMapRef: {name: orders}}]\n"
SPELLINGS = (
    "spring.kafka.producer.acks", "spring_kafka_producer_acks", "Spring_Kafka_Producer_Acks",
    "SPRING.KAFKA.PRODUCER.ACKS",
)  # fmt: skip
BRACKETS = "spring.kafka.producer.properties[delivery.timeout.ms]"


def compose(**variables: str) -> dict[str, str]:
    rows = "".join(f"      {name}: '{text}'\n" for name, text in (BASE | variables).items())
    return {"compose.yml": SERVICE + rows}


def pod(**variables: str) -> dict[str, str]:
    rows = "".join(
        f"        - {{name: {name}, value: '{text}'}}\n"
        for name, text in (BASE | variables).items()
    )
    return {"pod.yaml": f"{DEPLOYMENT}        env:\n{rows}"}


def config_map(**variables: str) -> dict[str, str]:
    rows = "".join(f"  {name}: '{text}'\n" for name, text in (BASE | variables).items())
    return {"pod.yaml": f"{CONFIG_MAP}{rows}---\n{DEPLOYMENT}{FROM}"}


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("files", [compose, pod, config_map])
def test_each_spelling_counts(tmp_path: Path, files, name: str):
    assert_files(tmp_path, files(**{name: "1"}), KNOWN, 1, "producer.acks: 1 -> all")
    assert_files(tmp_path, files(**{name: "all"}), KNOWN, 0, "^YES, if")


@pytest.mark.parametrize(("variables", "code", "expected"), [
    ({BRACKETS: "31000"}, 1, "delivery.timeout.ms: 31000 -> 120000"),
    ({"spring.kafka.producer.acks": "all", "SPRING_KAFKA_PRODUCER_ACKS": "1"}, 2, "acks"),
    ({"spring.kafka.consumer.auto-offset-reset": "latest"}, 2, "auto.offset.reset"),
    ({"spring_kafka_producer.acks": "1"}, 2, "acks"),
])  # fmt: skip
def test_a_name_in_brackets_counts_and_two_spellings_are_refused(
    tmp_path: Path, variables: dict[str, str], code: int, expected: str
):
    assert_files(tmp_path, compose(**variables), KNOWN, code, expected)


def test_a_file_in_a_config_map_is_no_variable(tmp_path: Path):
    text = f"{CONFIG_MAP}  spring.kafka.properties: |\n    acks=1\n---\n{DEPLOYMENT}"
    assert_files(tmp_path, {"pod.yaml": text}, KNOWN, 1, "producer.acks: 1 -> all")


def test_a_property_in_a_config_map_that_no_container_uses_is_refused(tmp_path: Path):
    """Next to a container with variables of its own, as one in capitals is."""
    files = pod()
    text = f"{files['pod.yaml']}---\n{CONFIG_MAP}  spring.kafka.producer.acks: '1'\n"
    assert_files(tmp_path, {"pod.yaml": text}, KNOWN, 2, "is used by no container here")
