"""Several resources of Kubernetes in one text, which share names, and what they are printed as.

Expected from the Kubernetes API: a name is of one kind in one namespace, so that two resources are
two applications, or two places that one runs in. A pipeline has one.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, C, assert_file
from tests.advisor.configurations.deployments.test_started import MAP, POD, READS

ACKS = "        - {name: SPRING_KAFKA_PRODUCER_ACKS, value: '%s'}\n"
FILE = "  producer.properties: |\n    acks=%s\n"
VARIABLE = "  SPRING_KAFKA_PRODUCER_ACKS: '%s'\n"
APPLICATION = "  application.yml: |\n    spring.kafka.producer.acks: %s\n"
SERVER = "  server.properties: |\n    node.id=%s\n    min.insync.replicas=%s\n"
ONE = "acks: 1 -> all"
DIFFERS = "acks differs from line"
STRIMZI = """apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: k}
spec:
  kafka:
    replicas: 3
    config:
      default.replication.factor: 3
      %s
"""
POOL = """---
apiVersion: kafka.strimzi.io/v1beta2
kind: KafkaNodePool
metadata: {name: p, labels: {strimzi.io/cluster: k}}
spec:
  replicas: %s
  roles: [broker, controller]
  storage: {type: persistent-claim, size: 1Gi}
"""


def of(namespace: str, text: str) -> str:
    return text.replace("{name: orders}", f"{{name: orders, namespace: {namespace}}}")


@pytest.mark.parametrize(("text", "code", "expected"), [
    (POD + ACKS % 1 + POD + ACKS % "all", 2, DIFFERS),
    (of("dev", POD + ACKS % 1) + of("prod", POD + ACKS % "all"), 2, DIFFERS),
    (POD + ACKS % 1 + (POD + ACKS % "all").replace("Deployment", "Job"), 2, DIFFERS),
    (MAP % "a" + VARIABLE % 1 + MAP % "b" + VARIABLE % "all", 2, "has another value than on line"),
    (MAP % "a" + APPLICATION % 1 + MAP % "b" + APPLICATION % "all", 2, "--only a, --only b"),
    (MAP % "a" + VARIABLE % "all" + POD, 2, "is used by no container here"),
])  # fmt: skip
def test_applications_of_one_text(tmp_path: Path, text: str, code: int, expected: str) -> None:
    assert_file(tmp_path / "k.yml", text, "", READS, code, expected)


@pytest.mark.parametrize(("text", "settings", "code", "expected"), [
    (MAP % "a" + FILE % 1 + MAP % "b" + FILE % "all", C, 2, DIFFERS),
    (MAP % "a" + FILE % "all" + MAP % "b" + FILE % "all", C, 0, "YES"),
    *[(MAP % "a" + SERVER % (1, one) + MAP % "b" + SERVER % (2, 3 - one),
       f"{COPIES} topic.replication.factor=3", 1, "min.insync.replicas: 1 -> 2") for one in (1, 2)],
])  # fmt: skip
def test_files_of_one_name(
    tmp_path: Path, text: str, settings: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yml", text, "", settings, code, expected)


@pytest.mark.parametrize("text", [
    "apiVersion: v1\nitems:\n- " + (POD + ACKS % 1)[4:].replace("\n", "\n  ").strip()
    + "\nkind: List\n",
    '{"apiVersion": "apps/v1", "kind": "Deployment", "spec": {"template": {"spec": {"containers": ['
    '{"name": "a", "image": "a", "env": [{"name": "SPRING_KAFKA_PRODUCER_ACKS", "value": "1"}]}'
    "]}}}}",
])  # fmt: skip
def test_what_kubectl_prints(tmp_path: Path, text: str) -> None:
    assert_file(tmp_path / "k.yml", text, "", READS, 1, ONE)


@pytest.mark.parametrize(("row", "code", "expected"), [
    ("min.insync.replicas: 2", 0, "YES"),
    ("min.insync.replicas: {{ .Values.least }}", 2, "min.insync.replicas is filled in before"),
    ("min: {insync: {replicas: 2}}", 2, "k.yml:9: Strimzi has no min with keys of its own"),
    ("log.cleanup.policy: [compact, delete]", 2, "k.yml:9: Strimzi takes no list for log.cleanup"),
    ("num.io.threads:", 2, "k.yml:9: Strimzi takes no num.io.threads without a value"),
    ("log.dirs: /tmp/a\n      min.insync.replicas: 2", 0, "YES.*log.dirs: Strimzi sets"),
    ("controller.socket.timeout.ms: 0", 2, "controller.socket.timeout.ms"),
])  # fmt: skip
def test_a_value_of_strimzis(tmp_path: Path, row: str, code: int, expected: str) -> None:
    assert_file(tmp_path / "k.yml", STRIMZI % row, "", COPIES, code, expected)


def test_a_kafka_that_is_there_twice(tmp_path: Path) -> None:
    both = "---\n".join(STRIMZI % f"min.insync.replicas: {least}" for least in (1, 2))
    words = "k.yml:12: this Kafka is on line 2 already. Leave one of them"
    assert_file(tmp_path / "k.yml", both, "", COPIES, 2, words)


@pytest.mark.parametrize(("one", "other", "code", "expected"), [
    (2, 2, 2, "k.yml:19: this KafkaNodePool is on line 11 already"),
    (1, 2, 2, "k.yml:19: this KafkaNodePool is on line 11 already"),
    (3, "", 0, "YES"),
])  # fmt: skip
def test_a_pool_that_is_there_twice(
    tmp_path: Path, one: int, other: int | str, code: int, expected: str
) -> None:
    kafka = (STRIMZI % "min.insync.replicas: 2").replace("    replicas: 3\n", "")
    text = kafka + POOL % one + (POOL % other if other else "")
    assert_file(tmp_path / "k.yml", text, "", COPIES, code, expected)


@pytest.mark.parametrize(
    ("group", "product"),
    [
        ("platform.confluent.io/v1beta1", "Confluent for Kubernetes"),
        ("kafka.banzaicloud.io/v1beta1", "Koperator"),
    ],
)
def test_resources_of_other_operators(tmp_path: Path, group: str, product: str) -> None:
    text = f"apiVersion: {group}\nkind: KafkaTopic\nmetadata: {{name: a}}\nspec:\n  replicas: 3\n"
    words = f"k.yml:1: this is a resource of {product}, .* kafka-configs.sh --describe --all print"
    assert_file(tmp_path / "k.yml", text, "", READS, 2, words)


def test_a_service_of_knative(tmp_path: Path) -> None:
    pod = POD.replace("apps/v1", "serving.knative.dev/v1").replace("Deployment", "Service")
    assert_file(tmp_path / "k.yml", pod + ACKS % 1, "", READS, 1, ONE)


@pytest.mark.parametrize(("script", "code", "expected"), [
    ("exec kafka-server-start.sh /s.properties --override min.insync.replicas=2", 0, "YES"),
    ("exec kafka-server-start.sh /s.properties \\\n      --override min.insync.replicas=1", 1,
     "min.insync.replicas: 1 -> 2"),
    ("echo min.insync.replicas=1 >> /s.properties", 2, "min.insync.replicas is written by this"),
    ("echo hello", 1, "min.insync.replicas: 1 -> 2"),
])  # fmt: skip
def test_a_script_in_a_config_map(tmp_path: Path, script: str, code: int, expected: str) -> None:
    file = f"start.sh: |\n    #!/bin/sh\n    {script}\n  server.properties: |\n    broker.id=1\n"
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  {file}"
    settings = f"{COPIES} topic.replication.factor=3"
    assert_file(tmp_path / "k.yml", text, "--kafka 3.9", settings, code, expected)


@pytest.mark.parametrize(
    ("note", "expected"),
    [
        (
            "strimzi.io/managed: 'false'",
            "strimzi.io/managed: Strimzi does not set what stands here",
        ),
        ("strimzi.io/pause-reconciliation: 'true'", "Strimzi does not set what stands here"),
        ("strimzi.io/managed: 'true'", "YES(?!.*does not set)"),
    ],
)
def test_a_resource_that_strimzi_leaves_as_it_is(tmp_path: Path, note: str, expected: str) -> None:
    text = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: t, annotations: "
    text += f"{{{note}}}}}\nspec: {{replicas: 3, config: {{min.insync.replicas: 2}}}}\n"
    assert_file(tmp_path / "k.yml", text, "", COPIES, 0, expected)


def test_documents_without_anything(tmp_path: Path) -> None:
    text = f"---\n---\n{POD}---\n---\n"
    assert_file(tmp_path / "k.yml", text, "", READS, 0, "YES")


INIT = "      initContainers:\n      - name: migrate\n        image: acme/orders\n        env:\n"
FROM = INIT.replace("env:\n", "envFrom: [{configMapRef: {name: m}}]\n")
SIDECAR = INIT.replace("        env:\n", "        restartPolicy: Always\n        env:\n")
OTHER = (MAP % "m") + VARIABLE


@pytest.mark.parametrize(("text", "code", "expected"), [
    (POD + ACKS % "all" + INIT + ACKS % 1, 0,
     "SPRING_KAFKA_PRODUCER_ACKS is of an init container"),
    (POD + ACKS % 1 + INIT + ACKS % "all", 1, ONE),
    (POD + ACKS % 1 + FROM + OTHER % "all", 1, ONE),
    (POD + ACKS % "all" + FROM + OTHER % 1, 0, "YES"),
    (POD + ACKS % "all" + SIDECAR + ACKS % 1, 2, DIFFERS),
    (POD.partition("        env:")[0] + INIT + ACKS % "all", 2,
     "no file of Kafka's and no variable"),
])  # fmt: skip
def test_what_an_init_container_is_given(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yml", text, "", READS, code, expected)


GIVEN = MAP % "c" + "  SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS: '1'\n" + VARIABLE
WEB = POD.replace("orders", "web").partition("        env:")[0]
HANDED = "        envFrom: [{configMapRef: {name: c}}]\n"


@pytest.mark.parametrize(("text", "code", "expected"), [
    (GIVEN % 1 + POD + HANDED, 1, ONE),
    (GIVEN % "all" + POD + WEB + HANDED, 2, "auto.offset.reset differs from another one"),
    (GIVEN % "all" + POD + HANDED + WEB, 0, "YES"),
    (GIVEN % "all" + POD, 2, "is used by no container here"),
])  # fmt: skip
def test_what_one_of_two_applications_is_given(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yml", text, "", READS, code, expected)
