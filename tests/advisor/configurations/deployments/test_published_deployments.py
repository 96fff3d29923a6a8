"""Deployments as teams publish them: images, templates, scripts, several topics in a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from advisor.catalog import Family, kafka_versions, versions
from advisor.intake import Product, detect, read
from tests.advisor.configurations.asking import COPIES, TOPIC, assert_file

JAVA = Product(Family.JAVA, versions(Family.JAVA)[0], kafka_versions()[0])
ONE_BROKER = "CANNOT WORK.*only 1 broker.s. are registered"


def service(image: str, variables: str, name: str = "kafka", more: str = "") -> str:
    text = f"  {name}:\n    {image}\n    volumes: ['{name}:/data']\n{more}    environment:\n"
    return text + "".join(f"      {row}\n" for row in variables.split("; "))


def compose(*services: str) -> str:
    return "services:\n" + "".join(services)


SAFE = "KAFKA_LOG_DIRS: /data; KAFKA_CFG_DEFAULT_REPLICATION_FACTOR: 3; "
SAFE += "KAFKA_CFG_MIN_INSYNC_REPLICAS: 2"
SERVER = "KAFKA_ADVERTISED_LISTENERS: 'PLAINTEXT://kafka:9092'; KAFKA_LOG_DIRS: /data"
CUSTOM = "image: registry.example.org/team/events:7"
BUILD = "build: ./kafka"
COMPOSE = [
    # a service with a server's listeners is one broker, whatever the name of its image
    (compose(service(CUSTOM, SERVER)), TOPIC, 1, ONE_BROKER),
    (compose(service("image: obs/kafka", SERVER)), TOPIC, 1, ONE_BROKER),
    (compose(service(CUSTOM, "KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false'")), TOPIC, 1, ONE_BROKER),
    (compose(service("image: bitnamilegacy/kafka:4.0", "A: b")), TOPIC, 1, ONE_BROKER),
    # the names of an application's own variables state nothing about brokers
    (compose(service(CUSTOM, "KAFKA_HOST: kafka; KAFKA_TOPIC: a")), TOPIC, 2,
     "no setting of Kafka is in this file"),
    (compose(service(CUSTOM, "KAFKA_COMPRESSION_TYPE: gzip")), TOPIC, 0, "YES"),
    # a container that runs tools, and has an id only because its image requires one
    (compose(service("image: apache/kafka:3.9.0", SERVER + "; KAFKA_MIN_INSYNC_REPLICAS: 1"),
             service("image: confluentinc/cp-kafka:7.9.0", "KAFKA_BROKER_ID: ignored; "
                     "KAFKA_ZOOKEEPER_CONNECT: ignored", "tools")), "", 1, "and 1 broker of Kafka"),
    # these images apply variables to the file of Kafka's release (one copy of offsets)
    (compose(service("image: bitnami/kafka:3.7", SERVER + "; KAFKA_NODE_ID: 1")), "", 1,
     "NO.*this image fills in the server.properties of Kafka's release: offsets.topic"),
    (compose(service(BUILD, SERVER + "; KAFKA_NODE_ID: 1")), "", 1, "NO.*this image may fill in"),
    (compose(service("image: apache/kafka:3.7.0", SERVER + "; KAFKA_NODE_ID: 1")), "", 1,
     "CANNOT WORK"),
    (compose(service("image: wurstmeister/kafka:2.13-2.8.1", "KAFKA_ZOOKEEPER_CONNECT: z; "
                     "KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: 3")), "", 1, "CANNOT WORK"),
    # without a stated version, the newest one with ZooKeeper is assumed
    (compose(service("image: wurstmeister/kafka", "KAFKA_ZOOKEEPER_CONNECT: z")), "", 1,
     "1 broker of Kafka 3.9.*Kafka 3.9, the newest with ZooKeeper, is assumed"),
    (compose(service("image: confluentinc/cp-kafka:5.4.2", "KAFKA_ZOOKEEPER_CONNECT: z")), "", 1,
     "of Kafka 2.8.*the image's Kafka 2.4 is older than those known here: 2.8 is used"),
    # a command refers to the variable of the same service
    (compose(service("image: apache/kafka:3.9.0", f"{SERVER}; KAFKA_SESSION: 100",
                     more="    command: sh -c 'run --override group.min.session.timeout.ms="
                     "$${KAFKA_SESSION}'\n")), "", 1, "CANNOT WORK"),
    # refused by its image's name, although it has no variable of Kafka
    ("services:\n  r:\n    image: docker.redpanda.com/redpandadata/redpanda:${V:-latest}\n", "", 2,
     "Redpanda speaks Kafka's protocol"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "settings", "code", "expected"), COMPOSE)
def test_a_compose_file_gets_the_expected_answer(
    tmp_path: Path, text: str, settings: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "docker-compose.yml", text, "", f"{COPIES} {settings}", code, expected)


def test_the_file_of_the_release_has_one_copy_of_the_transaction_log(tmp_path: Path) -> None:
    """Three brokers of Bitnami's image that do not state its copies give no exactly-once."""
    names = ("a", "b", "c")
    rows = [
        service("image: bitnami/kafka:3.7", f"{SAFE}; KAFKA_CFG_NODE_ID: {number}", name)
        for number, name in enumerate(names)
    ]
    settings = f"{COPIES} producer.transactional.id=t consumer.isolation.level=read_committed "
    settings += "application.commit=in-transaction application.sink=idempotent"
    assert_file(
        tmp_path / "c.yml", compose(*rows), "--want exactly-once", settings, 1,
        "transaction.state.log.replication.factor: 1 -> 3",
    )  # fmt: skip


POD = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: k}
spec:
  replicas: %s
  template:
    spec:
      containers:
      - name: k
        image: %s
        env:
        - {name: KAFKA_ZOOKEEPER_CONNECT, value: 'z:2181'}
        volumeMounts: [{name: d, mountPath: /bitnami}]
  volumeClaimTemplates: [{metadata: {name: d}}]
"""


@pytest.mark.parametrize(("text", "code", "expected"), [
    (POD % (1, "bitnami/kafka"), 1, ONE_BROKER),
    (POD % (3, "bitnami/kafka"), 0, "YES.*3 brokers of Kafka 3.9.*this image fills in"),
    (POD.replace("KAFKA_ZOOKEEPER_CONNECT", "KAFKA_BROKERS") % (1, "team/app"), 2,
     "no variable KAFKA_… of a broker"),
])  # fmt: skip
def test_a_workload_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = f"{COPIES} {TOPIC} broker.default.replication.factor=3"
    assert_file(tmp_path / "k.yaml", text, "", settings, code, expected)


BROKER = "process.roles=broker,controller\ndefault.replication.factor=3\nmin.insync.replicas=2\n"
TEMPLATES = [
    # a setting that does not affect the answer may be filled in later
    (f"node.id={{{{ id }}}}\nnum.network.threads=${{THREADS}}\n{BROKER}", 0, "YES"),
    (
        f"node.id=$NODE_ID\ncontroller.quorum.voters=1@$A:1,2@$B:1,3@$C:1\n{BROKER}",
        0,
        "YES(?!.*assumed.*controllers=3)",
    ),
    (
        "node.id=1\ndefault.replication.factor=$RF\nmin.insync.replicas=${ISR}\n",
        2,
        ":2: default.replication.factor, min.insync.replicas are filled in before this file",
    ),
    (f"{{% if kraft %}}\n{BROKER}{{% endif %}}\n", 2, ":1: a template"),
    (f"{BROKER}zookeeper.connect={{% for z in all %}}{{{{ z }}}}:2181,{{% endfor %}}\n", 0, "YES"),
    (f"{BROKER}inter.broker.protocol.version={{{{ v }}}}\n", 0, "YES"),
    ("node.id=x\n", 2, "node.id must be a whole number"),
]


@pytest.mark.parametrize(("text", "code", "expected"), TEMPLATES)
def test_a_template_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "server.properties.j2", text, "", COPIES, code, expected)


def test_a_yaml_template_is_refused_with_the_command_to_render_it() -> None:
    text = "apiVersion: apps/v1\nkind: StatefulSet\nspec:\n{{- if .Values.x }}\n  replicas: 1\n"
    (problem,) = read(text, JAVA).problems
    assert "the output of `helm template`" in problem.message


MAKE = "kafka-topics.sh --bootstrap-server b:9092 --create --if-not-exists --topic"
SAFE_TOPIC = f"{MAKE} a --replication-factor 3 --config min.insync.replicas=2\n"
SCRIPTS = [
    (f"docker exec kafka {MAKE} a --replication-factor 1\n", 1, "replication.factor: 1 -> 3"),
    (f"R=3\n{MAKE} a \\\n --replication-factor \"$R\" \\\n --config min.insync.replicas=2\n", 0,
     "YES"),
    (f"R=3\nR=1\n{MAKE} a --replication-factor $R --config min.insync.replicas=2\n", 2,
     "s.sh:3: .*--replication-factor is filled in"),
    # statements that may set it again are not analysed
    (f"R=3\nif dev; then R=1; fi\n{MAKE} a --replication-factor $R\n", 2, "s.sh:3: .*is filled in"),
    (f"R=3\nread -r R\n{MAKE} a --replication-factor $R\n", 2, "s.sh:3: .*is filled in"),
    (f"R=3\n[ $2 ] && R=$2\n{MAKE} a --replication-factor $R\n", 2, "s.sh:3: .*is filled in"),
    (f"R=1\n{MAKE} a --replication-factor ${{R:-3}}\n", 1, "replication.factor: 1 -> 3"),
    (f"R=$1\n{MAKE} a --replication-factor ${{R:-3}}\n", 2, "s.sh:2: .*is filled in"),
    (f"{MAKE} a --replication-factor ${{R:-3}} --config min.insync.replicas=2\n", 0, "YES"),
    (f"{MAKE} a --replication-factor 3 --config min.insync.replicas=$I\n", 2, "s.sh:1: "),
    (f"{MAKE} a --replication-factor 3 --config min.insync.replicas=2\n"
     "kafka-configs --alter --entity-type topics --entity-name a "
     "--delete-config min.insync.replicas\n", 2, "s.sh:2: .*is deleted by a command"),
    (f"{MAKE} a --replication-factor 3\nkafka-configs --alter --entity-type topics "
     "--entity-name b --add-config min.insync.replicas=2\n", 2, "s.sh:2: .*changed for one topic"),
    (f"{MAKE} a --replication-factor 3\nkafka-configs --alter --entity-type topics "
     "--entity-name a --add-config min.insync.replicas=2\n", 0, "YES"),
    (f"# {MAKE} a --replication-factor 1\n{MAKE} a --replication-factor 3\n", 1,
     "min.insync.replicas: 1 -> 2"),
    (f"{MAKE} a\n", 1, "s.sh:1: the brokers' default.replication.factor counts"),
    (f"{MAKE} a --replication-factor 3\n{MAKE} b\n", 2, "s.sh:2: .*without a replication factor"),
    (f"{MAKE} a --replication-factor 3\nkafka-configs --alter --entity-type topics "
     "--add-config min.insync.replicas=2\n", 0, "YES"),
    (f"{SAFE_TOPIC}kafka-configs --alter --topic a --add-config-file c.properties\n", 2,
     "s.sh:2: the file of --add-config-file is not read"),
    (f"{SAFE_TOPIC}kafka-configs --alter --entity-type users --entity-name u "
     "--add-config producer_byte_rate=1\n", 0, "producer_byte_rate=1 applies to some clients"),
    # commands that lose messages whatever the settings are
    (f"{SAFE_TOPIC}kafka-leader-election --election-type unclean --all-topic-partitions\n", 2,
     "s.sh:2: this command lets a replica without the last messages lead"),
    (f"{SAFE_TOPIC}kafka-leader-election --election-type preferred --all-topic-partitions\n", 0,
     "YES"),
    (f"{SAFE_TOPIC}kafka-consumer-groups --group g --reset-offsets \\\n --to-latest --execute\n", 2,
     "s.sh:2: this command moves the position of a group"),
    (f"{SAFE_TOPIC}kafka-consumer-groups --group g --reset-offsets --to-earliest --execute\n", 0,
     "YES"),
    (f"{SAFE_TOPIC}kafka-consumer-groups --group g --reset-offsets --to-latest --dry-run\n", 0,
     "YES"),
    (f"{SAFE_TOPIC}kafka-delete-records --offset-json-file d.json\n", 2,
     "deletes messages, read or not"),
    (f"{SAFE_TOPIC}kafka-reassign-partitions --reassignment-json-file r.json --execute\n", 0,
     "YES.*the number of replicas after this command is not read"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), SCRIPTS)
def test_a_script_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "s.sh", f"{text}", "", COPIES, code, expected)


ONE_TOPIC = 'resource "kafka_topic" "t" {\n  replication_factor = 3\n}\n'


def test_the_fewest_copies_of_several_terraform_topics_count(tmp_path: Path) -> None:
    text = ONE_TOPIC + ONE_TOPIC.replace("3", "1")
    assert_file(tmp_path / "t.tf", text, "", COPIES, 1, "replication.factor: 1 -> 3")


TOPICS = """apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
spec: {replicas: %s, config: {min.insync.replicas: 2}}
---
apiVersion: kafka.strimzi.io/v1
kind: KafkaTopic
spec: {replicas: %s, config: {min.insync.replicas: %s}}
"""


@pytest.mark.parametrize(("text", "code", "expected"), [
    (TOPICS % (3, 3, 2), 0, "YES.*2 topics are created here"),
    (TOPICS % (3, 1, 2), 1, "replication.factor: 1 -> 3"),
    (TOPICS % (3, 3, 1), 2, "min.insync.replicas: not every topic"),
])  # fmt: skip
def test_several_strimzi_topics_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "t.yaml", text, "", COPIES, code, expected)


def test_a_dockerfile_is_not_read_as_an_env_file() -> None:
    reader = detect("FROM openjdk:21\nENV A=1 \\\n    KAFKA_HOME=/opt/kafka\n")
    assert reader is not None
    assert reader.kind == "dockerfile"


@pytest.mark.parametrize("text", [
    "apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nrules:\n- apiGroups:\n"
    "  - \"kafka.strimzi.io\"\n",
    "image:\n  tag: a\nenv: {\"a\": b, 'kafka.x': 1}\n",
    "#!/bin/bash\ncurl -d '{\"acks\": 1}' http://a\n",
    "resource \"helm_release\" \"a\" {\n  values = { \"acks\" : 1 }\n}\n",
])  # fmt: skip
def test_a_file_that_is_not_a_program_is_not_detected_as_one(text: str) -> None:
    reader = detect(text)
    assert reader is None or reader.kind not in ("python-dict", "spark-options")


KSQL = "image: confluentinc/ksqldb-server:0.29"


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("docker-compose.yml", compose(service(KSQL, "KSQL_BOOTSTRAP_SERVERS: b:9092; KAFKA_HOST: b")),
     "no setting of Kafka is in this file. Line 6: the KSQL_… of kafka belong to a product"),
    ("build.sh", "#!/bin/sh\nKAFKA_DIR=/opt/kafka\ncp -r $KAFKA_DIR/libs .\n",
     "no setting of Kafka is in this file"),
    (".env", "CONNECT_GROUP_ID=connect\nKAFKA_DEMO_VERSION=7\n",
     "no setting of Kafka is in this file"),
    ("tests.yml", "on:\n  push:\n    branches: [main]\nenv:\n  KAFKA_VERSION: 4.1.0\n"
     "jobs:\n  test:\n    steps:\n    - run: |\n        export KAFKA_NUM_PARTITIONS=3\n",
     "YAML of a kind that we do not know"),
])  # fmt: skip
def test_a_file_without_relevant_settings_is_refused(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", TOPIC, 2, expected)
