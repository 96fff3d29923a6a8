"""Several kinds of Strimzi resources in one file. Resources of products with their own clients are
refused, unless the user chooses only the brokers.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_file, assert_files

_API = "apiVersion: kafka.strimzi.io/v1\nkind: %s\nmetadata: {name: c}\n"
KAFKA = (
    f"{_API % 'Kafka'}spec:\n  kafka:\n    version: 4.3.0\n    replicas: 3\n    config:\n"
    "      default.replication.factor: 3\n      min.insync.replicas: 2\n"
)
NO_CONFIG = f"{_API % 'Kafka'}spec:\n  kafka:\n    replicas: 3\n"
TOPIC = (
    f"{_API % 'KafkaTopic'}spec:\n  replicas: 3\n  config:\n    min.insync.replicas: 2\n"
)  # fmt: skip
CONNECT = f"{_API % 'KafkaConnect'}spec:\n  replicas: 1\n  config:\n    group.id: c\n"
COPIES = f"{_API % 'KafkaMirrorMaker2'}spec:\n  replicas: 1\n"
BRIDGE = f"{_API % 'KafkaBridge'}spec:\n  replicas: 1\n"
USER = f"{_API % 'KafkaUser'}spec: {{}}\n"
_SETTINGS = (
    "producer.acks=all consumer.auto.offset.reset=earliest application.commit=after-processing "
    "consumer.enable.auto.commit=false application.restart=resumes"
)
YES, OF_CONNECT = "^YES", "a {} belongs to Kafka Connect, .* Nothing of it is read. {}"
CHOOSE = "Leave it out, or choose the rest on the command line: --only {}"


@pytest.mark.parametrize(("resources", "options", "code", "expected"), [
    ((KAFKA, TOPIC), "", 0, YES),
    ((KAFKA, TOPIC, USER), "", 0, YES),
    ((CONNECT,), "", 2, OF_CONNECT.format("KafkaConnect", "").strip()),
    ((KAFKA, CONNECT), "", 2, OF_CONNECT.format("KafkaConnect", CHOOSE.format("Kafka"))),
    ((CONNECT, KAFKA), "", 2, OF_CONNECT.format("KafkaConnect", CHOOSE.format("Kafka"))),
    ((KAFKA, COPIES), "", 2, OF_CONNECT.format("KafkaMirrorMaker2", CHOOSE.format("Kafka"))),
    ((KAFKA, BRIDGE), "", 2, "a KafkaBridge configures clients"),
    ((TOPIC, CONNECT), "", 2, OF_CONNECT.format("KafkaConnect", CHOOSE.format("KafkaTopic"))),
    ((KAFKA, TOPIC, CONNECT), "--only Kafka", 0, YES),
    ((KAFKA, TOPIC, COPIES, CONNECT), "--only Kafka", 0, YES),
    ((TOPIC, CONNECT), "--only KafkaTopic", 0, YES),
    ((NO_CONFIG, TOPIC, CONNECT), "--only Kafka", 0, YES),
    ((KAFKA, TOPIC), "--only Kafka", 0, YES),
    ((KAFKA, CONNECT), "--only KafkaConnect", 2, "a KafkaConnect belongs to Kafka Connect"),
    ((TOPIC, CONNECT), "--only Kafka", 2, "a KafkaConnect belongs to Kafka Connect"),
])  # fmt: skip
def test_clients_next_to_the_brokers_are_not_skipped(
    tmp_path: Path, resources: tuple[str, ...], options: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yaml", "---\n".join(resources), options, _SETTINGS, code, expected)


@pytest.mark.parametrize("policy", [
    "[compact]", "[compact, delete]", "\n    - compact\n    - delete\n", "compact,delete",
])  # fmt: skip
def test_a_yaml_list_is_read_like_comma_separated_text(tmp_path: Path, policy: str) -> None:
    text = f"{TOPIC}    cleanup.policy: {policy}\n"
    assert_file(tmp_path / "k.yaml", text, "", _SETTINGS, 0, "^YES.*The topic is compacted")
    assert_file(
        tmp_path / "k.yaml", f"{TOPIC}    cleanup.policy: [delet]\n", "", _SETTINGS, 2, "delet"
    )


_LISTENERS = f"{_API % 'Kafka'}spec:\n  kafka:\n    listeners:\n"
_LISTENERS += "    - {name: p, port: 9092, type: internal}\n"
_POOL = (
    f"{_API % 'KafkaNodePool'}spec:\n  replicas: 3\n  roles: [controller, broker]\n"
    "  storage: {type: persistent-claim, size: 1Gi}\n"
)
_PLAIN_TOPIC = f"{_API % 'KafkaTopic'}spec: {{}}\n"
_QUOTA = f"{_API % 'KafkaUser'}spec:\n  quotas: {{producerByteRate: 1000}}\n"
_ACCESS = "apiVersion: access.strimzi.io/v1\nkind: KafkaAccess\nmetadata: {name: a}\n"
_ORDERS = (
    "apiVersion: a.example/v1\nkind: Orders\nmetadata: {name: a}\nspec: {producer: {acks: '1'}}\n"
)


@pytest.mark.parametrize(("resources", "code", "expected"), [
    ((KAFKA, TOPIC, USER), 0, YES),
    ((USER, KAFKA, TOPIC), 0, YES),
    ((_PLAIN_TOPIC, KAFKA), 0, YES),
    ((_LISTENERS, TOPIC, _POOL), 0, YES),
    ((KAFKA, _ACCESS), 0, YES),
    ((KAFKA, TOPIC, _QUOTA), 1, "a quota holds the producer back"),
    ((KAFKA.replace("factor: 3", "factor: 1"), _PLAIN_TOPIC), 1, "replication.factor: 1 -> 3"),
    ((KAFKA, _ORDERS), 2, "1.yaml:4: acks stands in Orders, of which nothing is read"),
    ((KAFKA, CONNECT), 2, "1.yaml:2: a KafkaConnect belongs to Kafka Connect"),
    ((USER,), 2, "no Kafka, KafkaNodePool, KafkaTopic"),
])  # fmt: skip
def test_resources_in_separate_files_are_read_like_one_file(
    tmp_path: Path, resources: tuple[str, ...], code: int, expected: str
) -> None:
    files = {f"{number}.yaml": text for number, text in enumerate(resources)}
    assert_files(tmp_path, files, _SETTINGS, code, expected)
