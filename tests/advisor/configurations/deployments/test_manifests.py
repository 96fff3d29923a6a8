"""Manifests of a cluster and its applications, in one text and in separate files.

`helm template` prints one text, and a chart or an overlay has a file for each resource. The answer
must be the same.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_answer, write_files
from tests.advisor.configurations.manifests import DEPLOYMENT

READS = "application.restart=resumes application.processing.errors=retry"
API = "apiVersion: kafka.strimzi.io/v1beta2\n"
LABELLED = "metadata: {name: %s, labels: {strimzi.io/cluster: c}}\n"
CLUSTER = f"""{API}kind: Kafka
metadata: {{name: c, annotations: {{strimzi.io/node-pools: enabled, strimzi.io/kraft: enabled}}}}
spec:
  kafka: {{version: 4.1.0, config: {{min.insync.replicas: 2, default.replication.factor: 3}}}}
---
{API}kind: KafkaNodePool
{LABELLED % "p"}spec:
  replicas: 3
  roles: [broker, controller]
  storage: {{type: persistent-claim, size: 1Gi}}
---
{API}kind: KafkaTopic
{LABELLED % "orders"}spec: {{partitions: 6, replicas: 3, config: {{min.insync.replicas: 2}}}}
"""
ENV = "        env:\n"
ACKS, RESET = "SPRING_KAFKA_PRODUCER_ACKS", "SPRING_KAFKA_CONSUMER_AUTO_OFFSET_RESET"
VALUE = "        - {name: %s, value: '%s'}\n"
VALUE_FROM = "        - {name: %s, valueFrom: {configMapKeyRef: {name: m, key: %s}}}\n"
REFS = "        envFrom: [{configMapRef: {name: m}%s}]\n"
MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n"
APPLICATION = "  application.yml: |\n    spring.kafka.producer.acks: '%s'\n"
BROKER = (DEPLOYMENT + ENV + VALUE % ("KAFKA_NODE_ID", 1)).replace(
    "acme/orders", "apache/kafka:4.1.0"
)
LATE, WEAK = "auto.offset.reset: latest -> earliest", "acks: 1 -> all"


@pytest.mark.parametrize(("parts", "code", "expected"), [
    ([DEPLOYMENT + ENV + VALUE % (ACKS, "all") + VALUE % (RESET, "earliest")], 0, "^YES"),
    ([DEPLOYMENT + ENV + VALUE % (ACKS, 1) + VALUE % (RESET, "earliest")], 1, WEAK),
    ([DEPLOYMENT + ENV + VALUE % (RESET, "earliest"), MAP + APPLICATION % 1], 1, WEAK),
    ([DEPLOYMENT + ENV + VALUE % (RESET, "earliest"), MAP + APPLICATION % "all"], 0, "^YES"),
])  # fmt: skip
def test_applications_with_their_cluster_get_the_expected_answer(
    tmp_path: Path, parts: list[str], code: int, expected: str
) -> None:
    assert_in_any_files(tmp_path, [CLUSTER, *parts], READS, code, expected)


@pytest.mark.parametrize("broker", [BROKER])
def test_other_brokers_with_those_of_strimzi_are_refused(tmp_path: Path, broker: str) -> None:
    write_parts(tmp_path, [CLUSTER, broker + VALUE % ("KAFKA_MIN_INSYNC_REPLICAS", 1)])
    words = "these brokers are in addition to those of Strimzi"
    assert_answer(str(tmp_path / "all.yaml"), f"{READS} {COPIES}", 2, words)


@pytest.mark.parametrize(("parts", "code", "expected"), [
    ([MAP + "  a: latest\n", DEPLOYMENT + ENV + VALUE_FROM % (RESET, "a")], 1, LATE),
    ([MAP + "  a: earliest\n", DEPLOYMENT + ENV + VALUE_FROM % (RESET, "a")], 0, "^YES"),
    ([f"{MAP}  {RESET}: latest\n", DEPLOYMENT + REFS % ""], 1, LATE),
    ([f"{MAP}  {RESET}: latest\n", DEPLOYMENT + REFS % "" + ENV + VALUE % (RESET, "earliest")], 0,
     "^YES"),
    ([f"{MAP}  {RESET}: earliest\n", DEPLOYMENT + REFS % "" + ENV + VALUE % (RESET, "latest")], 1,
     LATE),
    ([f"{MAP}  {RESET.removeprefix('SPRING_')}: latest\n", DEPLOYMENT + REFS % ", prefix: SPRING_"],
     1, LATE),
    # a ConfigMap of another application
    ([f"{MAP}  {RESET}: earliest\n", (DEPLOYMENT + REFS % "").replace("name: m", "name: n")], 2,
     "is used by no container here"),
    ([f"{MAP}  {RESET}: earliest\n", DEPLOYMENT + ENV + VALUE % (ACKS, "all")], 2,
     "is used by no container here"),
])  # fmt: skip
def test_a_config_map_in_a_separate_file_gets_the_expected_answer(
    tmp_path: Path, parts: list[str], code: int, expected: str
) -> None:
    assert_in_any_files(tmp_path, parts, f"{TOPIC} {READS}", code, expected)


MOUNTED = "      volumes: [{name: c, configMap: {name: %s}}]\n"
SIDE_BY_SIDE = [
    "apiVersion: v1\nkind: Service\nmetadata: {name: orders}\nspec: {ports: [{port: 80}]}\n",
    "apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nspec: {maxReplicas: 3}\n",
    "apiVersion: v1\nkind: Namespace\nmetadata: {name: n}\n",
]
SPRING = MAP + APPLICATION % 1 + "    spring.kafka.consumer.auto-offset-reset: earliest\n"


@pytest.mark.parametrize(("parts", "code", "expected"), [
    ([DEPLOYMENT + ENV + VALUE % (RESET, "earliest"), *SIDE_BY_SIDE], 0, "^YES"),
    ([DEPLOYMENT + ENV + VALUE % (RESET, "latest"), *SIDE_BY_SIDE], 1, LATE),
    ([SPRING, DEPLOYMENT + MOUNTED % "m"], 1, WEAK),
    ([SPRING, DEPLOYMENT], 1, WEAK),
    ([SPRING, DEPLOYMENT + MOUNTED % "other"], 2, "no pod here mounts this ConfigMap"),
])  # fmt: skip
def test_resources_that_accompany_a_workload_get_the_expected_answer(
    tmp_path: Path, parts: list[str], code: int, expected: str
) -> None:
    assert_in_any_files(tmp_path, parts, f"{TOPIC} {READS}", code, expected)


def test_json_output_of_kubectl_is_read(tmp_path: Path) -> None:
    pod = {"containers": [{"name": "a", "image": "a", "env": [{"name": ACKS, "value": "1"}]}]}
    item = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": pod}
    listed = {"apiVersion": "v1", "kind": "List", "items": [item]}
    write_files(tmp_path, {"pods.json": json.dumps(listed, indent=2)})
    settings = f"{TOPIC} {READS} consumer.auto.offset.reset=earliest"
    assert_answer(str(tmp_path / "pods.json"), settings, 1, WEAK)


@pytest.mark.parametrize("files", [
    {"d.yaml": DEPLOYMENT},
    {"d.yaml": DEPLOYMENT, "s.yaml": SIDE_BY_SIDE[0]},
    {"s.yaml": SIDE_BY_SIDE[0]},
])  # fmt: skip
def test_manifests_without_kafka_settings_are_refused_only_alone(
    tmp_path: Path, files: dict[str, str]
) -> None:
    """Such manifests are usual next to an application's file; alone they state nothing."""
    write_files(tmp_path, {**files, "application.yml": "spring.kafka.producer.acks: 1\n"})
    paths = " ".join(f"{tmp_path}/{name}" for name in files)
    settings = f"{TOPIC} {READS} consumer.auto.offset.reset=earliest"
    assert_answer(paths, settings, 2, "no file of Kafka's and no variable")
    assert_answer(f"{paths} {tmp_path}/application.yml", settings, 1, WEAK)


def test_variables_of_an_application_with_its_cluster_override_its_file(tmp_path: Path) -> None:
    application = DEPLOYMENT + ENV + VALUE % (ACKS, "all") + VALUE % (RESET, "earliest")
    write_parts(tmp_path, [CLUSTER, application])
    file = "spring:\n  kafka:\n    consumer: {auto-offset-reset: latest}\n"
    write_files(tmp_path, {"application.yml": file})
    assert_answer(f"{tmp_path}/application.yml {tmp_path}/all.yaml", READS, 0, "^YES")


def write_parts(folder: Path, parts: list[str]) -> list[str]:
    """Writes each part to its own file and all parts to one; returns the paths of the former."""
    files = {f"{number}.yaml": text for number, text in enumerate(parts)}
    write_files(folder, {**files, "all.yaml": "---\n".join(parts)})
    return [str(folder / name) for name in files]


def assert_in_any_files(
    folder: Path, parts: list[str], settings: str, code: int, expected: str
) -> None:
    """Asserts this answer for the parts in both orders, and for one file with all of them."""
    names = write_parts(folder, parts)
    for paths in (names, names[::-1], [str(folder / "all.yaml")]):
        assert_answer(" ".join(paths), settings, code, expected)
