"""Client settings in resources and entries that are not read, next to a topic that is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import assert_file

TOPIC = """apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
metadata: {name: t}
spec: {replicas: 3, config: {min.insync.replicas: 2}}
"""
RELEASE = "---\napiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec:\n"
MAP = "---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n"
IN_RELEASE = "(?i)acks stands in HelmRelease, of which nothing is read"
ENTRY = "acks is in an entry that is not read"
RESOURCES = [
    (f"{RELEASE}  values: {{env: {{SPRING_KAFKA_PRODUCER_ACKS: '1'}}}}\n", 2, IN_RELEASE),
    (f"{RELEASE}  a: [{{name: MP_MESSAGING_OUTGOING_P_ACKS, value: '1'}}]\n", 2, IN_RELEASE),
    (f"{RELEASE}  a: ['acks: 1']\n".replace("HelmRelease", "PrometheusRule"), 0, "YES"),
    (f"{RELEASE}  values: {{spring: {{kafka: {{producer: {{acks: 1}}}}}}}}\n", 2, IN_RELEASE),
    (f"{RELEASE}  values: {{javaOpts: '-Xmx1g -Dspring.kafka.producer.acks=1'}}\n", 2, IN_RELEASE),
    (f"{RELEASE}  values: |\n    kafka:\n      acks: 1\n", 2, IN_RELEASE),
    (f"{RELEASE}  values: {{kafka: {{minInsyncReplicas: 1}}}}\n", 2, "stands in HelmRelease"),
    (f"{RELEASE}  values: {{env: {{KAFKA_BROKERS: 'a:9092'}}, retries: 3}}\n", 0,
     "YES.*of HelmRelease no setting affects the advice"),
    (f"{MAP}  orders.kafka.producer.acks: '1'\n", 2, ENTRY),
    (f"{MAP}  settings.yaml: |\n    kafka:\n      producer:\n        acks: 1\n", 2, ENTRY),
    (f"{MAP}  metrics.yml: |\n    - pattern: kafka.server<type=(.+)><>Count\n", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), RESOURCES)
def test_relevant_settings_in_unread_resources_are_not_skipped(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = "consumer.auto.offset.reset=earliest"
    assert_file(tmp_path / "all.yaml", TOPIC + text, "", settings, code, expected)


POD = """apiVersion: apps/v1
kind: Deployment
metadata: {name: d}
spec:
  template:
    spec:
      containers: [{name: a, image: a, env: [{name: SPRING_KAFKA_PRODUCER_ACKS, value: all}]}]
"""


@pytest.mark.parametrize(("text", "code", "expected"), RESOURCES)
def test_relevant_settings_next_to_an_application_are_not_skipped(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = "consumer.auto.offset.reset=earliest topic.replication.factor=3 "
    settings += "topic.min.insync.replicas=2 application.processing.errors=retry"
    expected = expected.partition(".*of HelmRelease")[0]
    assert_file(tmp_path / "all.yaml", POD + text, "", settings, code, expected)
