"""A variable that two sources of one container contain: the last `envFrom` entry counts (Kubernetes
API reference, Container v1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_file

SETTINGS = (
    "topic.replication.factor=3 topic.min.insync.replicas=2 application.processing.errors=retry"
)
SETTINGS += " consumer.auto.offset.reset=earliest"
MAP, SECRET = "{configMapRef: {name: a}}", "{secretRef: {name: b}}"
FILE = """apiVersion: v1
kind: ConfigMap
metadata: {{name: a}}
data: {{SPRING_KAFKA_PRODUCER_ACKS: "1"}}
---
apiVersion: v1
kind: Secret
metadata: {{name: {name}}}
stringData: {{SPRING_KAFKA_PRODUCER_ACKS: all}}
---
apiVersion: apps/v1
kind: Deployment
metadata: {{name: app}}
spec:
  template:
    spec:
      containers:
        - {{name: app, image: app, envFrom: [{sources}]{own}}}
{more}"""


def manifests(sources: str, own: str = "", more: str = "", name: str = "b") -> str:
    return FILE.format(sources=sources, own=own, more=more, name=name)


OWN_VALUE = ", env: [{name: SPRING_KAFKA_PRODUCER_ACKS, value: '1'}]"
OTHER_CONTAINER = f"        - {{name: other, image: other, envFrom: [{MAP}]}}\n"
SOURCES = [
    (manifests(f"{MAP}, {SECRET}"), 0, "YES"),
    (manifests(f"{SECRET}, {MAP}"), 1, "acks: 1 -> all"),
    (manifests(f"{MAP}, {SECRET}, {MAP}"), 1, "acks: 1 -> all"),
    (manifests(f"{MAP}, {SECRET}", OWN_VALUE), 1, "acks: 1 -> all"),
    # a container with only the first source, an unused source, and one name for two sources
    (
        manifests(f"{MAP}, {SECRET}", more=OTHER_CONTAINER),
        2,
        "Leave only the ConfigMap that counts",
    ),
    (manifests(MAP), 2, "is used by no container here"),
    (manifests(f"{MAP}, {{secretRef: {{name: a}}}}", name="a"), 2, "Leave only the ConfigMap"),
]


@pytest.mark.parametrize(("text", "code", "expected"), SOURCES)
def test_the_last_source_of_variables_of_a_container_counts(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "app.yaml", text, "", SETTINGS, code, expected)


NO_VALUE = "spring.kafka.producer.acks has no value here"
BROKER = (
    "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: k}\nspec:\n  replicas: 3\n"
    "  template:\n    spec:\n      containers:\n      - name: k\n"
    "        image: apache/kafka:4.1.0\n        env:\n"
    "        - {name: KAFKA_PROCESS_ROLES, value: 'broker,controller'}\n        - name: %s\n"
)


@pytest.mark.parametrize(("text", "code", "expected"), [
    (manifests(f"{MAP}, {SECRET}", ", env: [{name: SPRING_KAFKA_PRODUCER_ACKS}]"), 2, NO_VALUE),
    (BROKER % "KAFKA_MIN_INSYNC_REPLICAS", 2, "min.insync.replicas has no value here"),
    *[(manifests(f"{MAP}, {SECRET}", f", env: [{{name: {name}}}]"), 0, "YES(?!.*no value)")
      for name in ("DB_PASSWORD", "SPRING_KAFKA_CLIENT_ID", "JAVA_OPTS")],
])  # fmt: skip
def test_a_variable_with_neither_a_value_nor_a_source_is_empty(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "app.yaml", text, "", SETTINGS, code, expected)
