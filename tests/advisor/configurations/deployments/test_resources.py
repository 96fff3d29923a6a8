"""Several Kubernetes resources in one text, which share names, in the forms that tools print.

Expected from the Kubernetes API: a name is unique for one kind in one namespace. Two resources are
two applications, or two environments of one. A pipeline has one application.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, C, assert_file
from tests.advisor.configurations.deployments.test_startup import MAP, POD, READS

ACKS = "        - {name: SPRING_KAFKA_PRODUCER_ACKS, value: '%s'}\n"
FILE = "  producer.properties: |\n    acks=%s\n"
VARIABLE = "  SPRING_KAFKA_PRODUCER_ACKS: '%s'\n"
APPLICATION = "  application.yml: |\n    spring.kafka.producer.acks: %s\n"
SERVER = "  server.properties: |\n    node.id=%s\n    min.insync.replicas=%s\n"
FIX = "acks: 1 -> all"
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


def in_namespace(namespace: str, text: str) -> str:
    return text.replace("{name: orders}", f"{{name: orders, namespace: {namespace}}}")


@pytest.mark.parametrize(("text", "code", "expected"), [
    (POD + ACKS % 1 + POD + ACKS % "all", 2, DIFFERS),
    (in_namespace("dev", POD + ACKS % 1) + in_namespace("prod", POD + ACKS % "all"), 2, DIFFERS),
    (POD + ACKS % 1 + (POD + ACKS % "all").replace("Deployment", "Job"), 2, DIFFERS),
    (MAP % "a" + VARIABLE % 1 + MAP % "b" + VARIABLE % "all", 2, "has another value than on line"),
    (MAP % "a" + APPLICATION % 1 + MAP % "b" + APPLICATION % "all", 2, "--only a, --only b"),
    (MAP % "a" + VARIABLE % "all" + POD, 2, "is used by no container here"),
])  # fmt: skip
def test_applications_in_one_text_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yml", text, "", READS, code, expected)


@pytest.mark.parametrize(("text", "settings", "code", "expected"), [
    (MAP % "a" + FILE % 1 + MAP % "b" + FILE % "all", C, 2, DIFFERS),
    (MAP % "a" + FILE % "all" + MAP % "b" + FILE % "all", C, 0, "YES"),
    *[(MAP % "a" + SERVER % (1, one) + MAP % "b" + SERVER % (2, 3 - one),
       f"{COPIES} topic.replication.factor=3", 1, "min.insync.replicas: 1 -> 2") for one in (1, 2)],
])  # fmt: skip
def test_files_with_the_same_name_get_the_expected_answer(
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
def test_the_output_of_kubectl_is_read(tmp_path: Path, text: str) -> None:
    assert_file(tmp_path / "k.yml", text, "", READS, 1, FIX)


@pytest.mark.parametrize(("row", "code", "expected"), [
    ("min.insync.replicas: 2", 0, "YES"),
    ("min.insync.replicas: {{ .Values.least }}", 2, "min.insync.replicas is filled in before"),
    ("min: {insync: {replicas: 2}}", 2, "k.yml:9: Strimzi has no min with keys of its own"),
    ("log.cleanup.policy: [compact, delete]", 2, "k.yml:9: Strimzi takes no list for log.cleanup"),
    ("num.io.threads:", 2, "k.yml:9: Strimzi takes no num.io.threads without a value"),
    ("log.dirs: /tmp/a\n      min.insync.replicas: 2", 0, "YES.*log.dirs: Strimzi sets"),
    ("controller.socket.timeout.ms: 0", 2, "controller.socket.timeout.ms"),
])  # fmt: skip
def test_a_value_in_a_strimzi_resource_gets_the_expected_answer(
    tmp_path: Path, row: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yml", STRIMZI % row, "", COPIES, code, expected)


def test_a_duplicate_kafka_resource_is_refused(tmp_path: Path) -> None:
    both = "---\n".join(STRIMZI % f"min.insync.replicas: {minimum}" for minimum in (1, 2))
    words = "k.yml:12: this Kafka is already on line 2. Leave one of them"
    assert_file(tmp_path / "k.yml", both, "", COPIES, 2, words)


@pytest.mark.parametrize(("one", "other", "code", "expected"), [
    (2, 2, 2, "k.yml:19: this KafkaNodePool is already on line 11"),
    (1, 2, 2, "k.yml:19: this KafkaNodePool is already on line 11"),
    (3, "", 0, "YES"),
])  # fmt: skip
def test_a_duplicate_node_pool_gets_the_expected_answer(
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
def test_resources_of_other_operators_are_refused(tmp_path: Path, group: str, product: str) -> None:
    text = f"apiVersion: {group}\nkind: KafkaTopic\nmetadata: {{name: a}}\nspec:\n  replicas: 3\n"
    words = f"k.yml:1: this is a resource of {product}, .* kafka-configs.sh --describe --all print"
    assert_file(tmp_path / "k.yml", text, "", READS, 2, words)


def test_a_knative_service_is_an_application(tmp_path: Path) -> None:
    pod = POD.replace("apps/v1", "serving.knative.dev/v1").replace("Deployment", "Service")
    assert_file(tmp_path / "k.yml", pod + ACKS % 1, "", READS, 1, FIX)


@pytest.mark.parametrize(("script", "code", "expected"), [
    ("exec kafka-server-start.sh /s.properties --override min.insync.replicas=2", 0, "YES"),
    ("exec kafka-server-start.sh /s.properties \\\n      --override min.insync.replicas=1", 1,
     "min.insync.replicas: 1 -> 2"),
    ("echo min.insync.replicas=1 >> /s.properties", 2, "min.insync.replicas is written by this"),
    ("echo hello", 1, "min.insync.replicas: 1 -> 2"),
])  # fmt: skip
def test_a_script_in_a_config_map_gets_the_expected_answer(
    tmp_path: Path, script: str, code: int, expected: str
) -> None:
    file = f"start.sh: |\n    #!/bin/sh\n    {script}\n  server.properties: |\n    broker.id=1\n"
    text = f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: c}}\ndata:\n  {file}"
    settings = f"{COPIES} topic.replication.factor=3"
    assert_file(tmp_path / "k.yml", text, "--kafka 3.9", settings, code, expected)


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        (
            "strimzi.io/managed: 'false'",
            "strimzi.io/managed: Strimzi does not apply this resource",
        ),
        ("strimzi.io/pause-reconciliation: 'true'", "Strimzi does not apply this resource"),
        ("strimzi.io/managed: 'true'", "YES(?!.*does not set)"),
    ],
)
def test_a_note_tells_when_strimzi_does_not_reconcile_a_resource(
    tmp_path: Path, annotation: str, expected: str
) -> None:
    text = "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: t, annotations: "
    text += f"{{{annotation}}}}}\nspec: {{replicas: 3, config: {{min.insync.replicas: 2}}}}\n"
    assert_file(tmp_path / "k.yml", text, "", COPIES, 0, expected)


def test_empty_documents_are_skipped(tmp_path: Path) -> None:
    text = f"---\n---\n{POD}---\n---\n"
    assert_file(tmp_path / "k.yml", text, "", READS, 0, "YES")


INIT = "      initContainers:\n      - name: migrate\n        image: acme/orders\n        env:\n"
INIT_FROM = INIT.replace("env:\n", "envFrom: [{configMapRef: {name: m}}]\n")
SIDECAR = INIT.replace("        env:\n", "        restartPolicy: Always\n        env:\n")
OTHER_MAP = (MAP % "m") + VARIABLE


@pytest.mark.parametrize(("text", "code", "expected"), [
    (POD + ACKS % "all" + INIT + ACKS % 1, 0,
     "SPRING_KAFKA_PRODUCER_ACKS is of an init container"),
    (POD + ACKS % 1 + INIT + ACKS % "all", 1, FIX),
    (POD + ACKS % 1 + INIT_FROM + OTHER_MAP % "all", 1, FIX),
    (POD + ACKS % "all" + INIT_FROM + OTHER_MAP % 1, 0, "YES"),
    (POD + ACKS % "all" + SIDECAR + ACKS % 1, 2, DIFFERS),
    (POD.partition("        env:")[0] + INIT + ACKS % "all", 2,
     "no file of Kafka's and no variable"),
])  # fmt: skip
def test_variables_of_an_init_container_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yml", text, "", READS, code, expected)


SHARED_MAP = MAP % "c" + "  SPRING_KAFKA_CONSUMER_MAX_POLL_RECORDS: '1'\n" + VARIABLE
WEB = POD.replace("orders", "web").partition("        env:")[0]
ENV_FROM = "        envFrom: [{configMapRef: {name: c}}]\n"


@pytest.mark.parametrize(("text", "code", "expected"), [
    (SHARED_MAP % 1 + POD + ENV_FROM, 1, FIX),
    (SHARED_MAP % "all" + POD + WEB + ENV_FROM, 2, "auto.offset.reset differs from another one"),
    (SHARED_MAP % "all" + POD + ENV_FROM + WEB, 0, "YES"),
    (SHARED_MAP % "all" + POD, 2, "is used by no container here"),
])  # fmt: skip
def test_variables_of_one_of_two_applications_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yml", text, "", READS, code, expected)
