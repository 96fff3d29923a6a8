"""Disks that are lost with a pod, and what else broker manifests state about their cluster."""

from __future__ import annotations

import pytest

from tests.advisor.configurations.asking import given

_SETTINGS = (
    "topic.replication.factor=3 consumer.auto.offset.reset=earliest application.restart=resumes "
    "application.commit=after-processing consumer.enable.auto.commit=false"
)
_NOT_ELIGIBLE = "application.disk.lost=each-restart without eligible leader replicas"
_NO_LONGER = "application.disk.lost=each-restart: a follower that was killed is no longer eligible"
_KAFKA = (
    "apiVersion: kafka.strimzi.io/v1beta2\nkind: Kafka\nmetadata: {{name: c}}\nspec:\n  kafka:\n"
    "    version: {}\n    replicas: 3\n    config: {{min.insync.replicas: 2}}\n    storage: {}\n"
)
_POOL = (
    "apiVersion: kafka.strimzi.io/v1beta2\nkind: KafkaNodePool\nmetadata: {{name: p}}\nspec:\n"
    "  replicas: 3\n  roles: [{}]\n  storage: {}\n---\n"
)
_JBOD = "{{type: jbod, volumes: [{{id: 0, type: {}}}]}}"
STRIMZI = [
    (_KAFKA.format("3.9.0", "{type: ephemeral}"), 1, _NOT_ELIGIBLE),
    (_KAFKA.format("3.9.0", _JBOD.format("ephemeral")), 1, _NOT_ELIGIBLE),
    (_KAFKA.format("3.9.0", _JBOD.format("persistent-claim")), 0, "YES"),
    (_KAFKA.format("4.1.0", "{type: ephemeral}"), 1, _NO_LONGER),
    (_POOL.format("broker", "{type: ephemeral}") + _KAFKA.format("3.9.0", "{}"), 1, _NOT_ELIGIBLE),
    (
        _POOL.format("controller", "{type: ephemeral}") + _KAFKA.format("3.9.0", "{}"),
        1,
        "application.metadata.disk.lost: each-restart -> rebuilt",
    ),
]


@pytest.mark.parametrize(("text", "code", "expected"), STRIMZI)
def test_strimzi_resources_state_whether_disks_persist(
    tmp_path, text: str, code: int, expected: str
) -> None:
    _assert_answer(tmp_path, text, code, expected)


_OPTIONS = "{driver_opts: {type: tmpfs, device: tmpfs}}"
_MEMORY = "volumes:\n" + "".join(f"  d{number}: {_OPTIONS}\n" for number in (1, 2, 3))


def _compose(disks: str) -> str:
    """Returns a compose file with three brokers; `@` in `disks` stands for the broker's number."""
    return "services:\n" + "".join(
        f"  kafka{number}:\n    image: apache/kafka:3.9.0\n    {disks.replace('@', str(number))}\n"
        "    environment:\n"
        f"      KAFKA_NODE_ID: {number}\n      KAFKA_MIN_INSYNC_REPLICAS: 2\n"
        "      KAFKA_LOG_DIRS: /k/d\n"
        for number in (1, 2, 3)
    )


@pytest.mark.parametrize(
    ("disks", "more", "code", "expected"),
    [
        ("tmpfs: [/k/d]", "", 1, _NOT_ELIGIBLE),
        ('tmpfs: "/k:size=1g"', "", 1, _NOT_ELIGIBLE),
        ("volumes: [{type: tmpfs, target: /k/d}]", "", 1, _NOT_ELIGIBLE),
        ("volumes: ['d@:/k/d']", _MEMORY, 1, _NOT_ELIGIBLE),
        ("volumes: [{type: volume, source: d@, target: /k/d}]", _MEMORY, 1, _NOT_ELIGIBLE),
        ("tmpfs: [/tmp]\n    volumes: ['d@:/k/d']", "", 0, "YES"),
        ("tmpfs: [/k/d/e]\n    volumes: ['d@:/k/d']", "", 0, "YES"),
        ("volumes: ['d@:/k/d']", "volumes: {d1: {}}\n", 0, "YES"),
    ],
)
def test_a_compose_file_states_whether_logs_are_in_memory(
    tmp_path, disks: str, more: str, code: int, expected: str
) -> None:
    _assert_answer(tmp_path, _compose(disks) + more, code, expected)


def _stateful_set(image: str, more: str = "", variable: str = "KAFKA_MIN_INSYNC_REPLICAS") -> str:
    return (
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: k}\nspec:\n  replicas: 3\n"
        f"  template:\n    spec:\n      containers:\n      - name: k\n        image: {image}\n"
        f'        env: [{{name: {variable}, value: "2"}}]\n{more}'
    )


_CLAIMS = "  volumeClaimTemplates: [{metadata: {name: data}}]\n"
_EMPTY = "      volumes: [{name: data, emptyDir: {}}]\n"
MANIFESTS = [
    (_stateful_set("apache/kafka:3.9.0"), 1, _NOT_ELIGIBLE),
    (_stateful_set("apache/kafka:3.9.0", _EMPTY), 1, _NOT_ELIGIBLE),
    (_stateful_set("confluentinc/cp-kafka:7.9.0"), 1, _NOT_ELIGIBLE),
    (_stateful_set("apache/kafka:3.9.0", _CLAIMS), 0, "3 brokers of Kafka 3.9"),
    (_stateful_set("apache/kafka:4.1.0"), 1, _NO_LONGER),
    (_stateful_set("apache/kafka:4.1.0", _CLAIMS), 0, "3 brokers of Kafka 4.1"),
    # neither container is a broker
    (_stateful_set("example/app:3.9.0"), 0, "3 brokers of Kafka 4.3"),
    (_stateful_set("apache/kafka:3.9.0", variable="SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS"), 1,
     "3 brokers of Kafka 4.3"),
    (_stateful_set("apache/kafka:3.9.0").replace("replicas: 3", "replicas: 1"), 1, "only 1 broker"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), MANIFESTS)
def test_kubernetes_manifests_state_the_brokers_and_whether_disks_persist(
    tmp_path, text: str, code: int, expected: str
) -> None:
    _assert_answer(tmp_path, text, code, expected)


def _assert_answer(tmp_path, text: str, code: int, expected: str) -> None:
    file = tmp_path / "resources.yaml"
    file.write_text(text)
    exit_code, output = given(str(file), f"{_SETTINGS} topic.min.insync.replicas=2")
    assert expected in " ".join(output.split()), output
    assert exit_code == code, output


def test_variables_of_products_with_their_own_clients_are_named(tmp_path) -> None:
    file = tmp_path / "our.env"
    file.write_text("export CONNECT_PRODUCER_ACKS=1\nKAFKA_MIN_INSYNC_REPLICAS=2\n")
    exit_code, output = given(str(file), _SETTINGS)
    assert "our.env:1: CONNECT_… belongs to a product that configures its clients" in output
    assert exit_code == 0
