"""Realistic configurations: what a deployment states in addition to its brokers' settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_answer, assert_file

SAFE_ENV = "KAFKA_MIN_INSYNC_REPLICAS: 2\n      KAFKA_DEFAULT_REPLICATION_FACTOR: 3"
IMAGE = "image: apache/kafka:3.9.0"
LOGS = "/tmp/kafka-logs"


def compose(more: str = "", *, roles: str = "broker,controller", tail: str = "") -> str:
    """Returns three brokers; `more` is part of each service, and `tail` comes after them."""
    text = "services:\n"
    for number in (1, 2, 3):
        extra = more if "volumes:" in more else f"{more}    volumes: ['d{number}:{LOGS}']\n"
        text += f"  kafka{number}:\n    {IMAGE}\n{extra}    environment:\n"
        text += (
            f"      KAFKA_NODE_ID: {number}\n      KAFKA_PROCESS_ROLES: {roles}\n      {SAFE_ENV}\n"
        )
    return text + tail


VOLUME = f"    volumes: ['d:{LOGS}']\n"
CONTROLLER = f"  lone:\n    {IMAGE}\n{VOLUME}    environment:\n"
CONTROLLER += "      KAFKA_PROCESS_ROLES: controller\n"
CREATE = "kafka-topics.sh --bootstrap-server kafka1:9092 --create --topic"
ONLY_ONE = "CANNOT WORK.*only 1 broker.s. are registered"
ONE_SERVICE = (
    f"services:\n  kafka:\n    {IMAGE}\n    %s\n{VOLUME}    environment:\n      {SAFE_ENV}\n"
)
ONE_SERVICE += "      KAFKA_PROCESS_ROLES: broker,controller\n"
VARIABLE_LOGS = "      KAFKA_LOG_DIRS: ${LOGS}\n"
COMPOSE = [
    (compose(), 0, "YES.*controllers=3"),
    (compose(roles="broker", tail=CONTROLLER), 1, "controllers: 1 -> 3"),
    # Kafka.scala, getPropsFromArgs: --override takes precedence over the file
    (compose("    command: kafka-server-start.sh f --override min.insync.replicas=1\n"), 1,
     "min.insync.replicas: 1 -> 2"),
    (compose("    entrypoint: [sh, -c, 'a --override unclean.leader.election.enable=true']\n"), 1,
     "unclean.leader.election.enable: true -> false"),
    # a topic is created with its own number of copies
    (compose(tail=f"  init:\n    {IMAGE}\n    command: {CREATE} t --replication-factor 1\n"), 1,
     "replication.factor: 1 -> 3"),
    (compose(tail=f"  init:\n    {IMAGE}\n    command: |\n      {CREATE} a --replication-factor 3\n"
     f"      {CREATE} b \\\n        --replication-factor=${{COPIES:-1}}\n"), 1,
     "2 topics are created here: the fewest copies.*replication.factor: 1 -> 3|"
     "replication.factor: 1 -> 3.*2 topics are created here"),
    (compose(tail=f"  init:\n    {IMAGE}\n    command: {CREATE} t --replication-factor 3 "
     "--config min.insync.replicas=1\n"), 1, "min.insync.replicas: 1 -> 2"),
    (compose(tail=f"  init:\n    {IMAGE}\n    command: kafka-topics.sh --list\n"), 0, "YES"),
    (compose().replace(SAFE_ENV, f"{SAFE_ENV}\n      KAFKA_CREATE_TOPICS: 'a:3:3,b:1:1:compact'"),
     1,
     "replication.factor: 1 -> 3"),
    # settings that may be elsewhere are reported
    (compose("    env_file: broker.env\n"), 0, "env_file broker.env may contain settings"),
    (compose("    volumes: ['./server.properties:/etc/kafka/server.properties', 'd:/data']\n"), 0,
     "a mounted file \\S+ may contain settings"),
    # each replica of a service is a broker, unless they share an id
    (ONE_SERVICE % "deploy: {replicas: 3}" + VARIABLE_LOGS, 0, "YES.*3 brokers of Kafka 3.9"),
    (ONE_SERVICE % "scale: 3" + VARIABLE_LOGS, 0, "YES.*controllers=3"),
    # a second broker with the same log folder gets no lock (LogManager)
    (ONE_SERVICE % "scale: 3", 1, ONLY_ONE),
    (compose().replace("d2:", "d1:").replace("d3:", "d1:"), 1, ONLY_ONE),
    ((ONE_SERVICE % "scale: 3") + "      KAFKA_NODE_ID: 1\n", 1, ONLY_ONE),
    # settings in another service, or another file
    (compose("    extends: {file: common.yml, service: base}\n"), 2,
     "this service extends another one"),
    (compose("    extends: base\n", tail="  base: {restart: always}\n"), 0, "YES"),
    (compose(tail="  a:\n    extends: b\n  b: {image: nginx}\n"), 0, "YES"),
    (compose(tail="  a:\n    extends: kafka1\n"), 2, "this service extends another one"),
    # brokers that are not Apache Kafka
    ("services:\n  r:\n    image: docker.redpanda.com/redpandadata/redpanda:v24.1.1\n    "
     "environment:\n      KAFKA_X: 1\n", 2, "Redpanda speaks Kafka's protocol"),
    (compose().replace("apache/kafka:3.9.0", "automqinc/automq:1.2.0"), 2, "AutoMQ speaks"),
    (compose(tail="  ui:\n    image: redpandadata/console:v2\n"), 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), COMPOSE)
def test_a_compose_file_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "docker-compose.yml", text, "", COPIES, code, expected)


WORKLOAD = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: k}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: k
        image: IMAGE
        MORE
        env:
        - {name: KAFKA_MIN_INSYNC_REPLICAS, value: '2'}
        - {name: KAFKA_DEFAULT_REPLICATION_FACTOR, value: '3'}
        VARIABLE
  volumeClaimTemplates: [{metadata: {name: d}}]
"""
JOB = """---
apiVersion: batch/v1
kind: Job
metadata: {name: t}
spec:
  template:
    spec:
      containers:
      - name: t
        image: apache/kafka:3.9.0
        command: [kafka-topics.sh, --create, --topic, a, --replication-factor, '1']
"""
STRIMZI = """apiVersion: kafka.strimzi.io/v1
kind: Kafka
metadata: {name: k}
spec:
  kafka:
    version: 4.1.0
    metadataVersion: %s
    config: {min.insync.replicas: 2, default.replication.factor: 3}
"""
POOL = """---
apiVersion: kafka.strimzi.io/v1
kind: KafkaNodePool
metadata: {name: %s}
spec: {replicas: %s, roles: [%s], storage: {type: %s}}
"""


def workload(more: str = "", variable: str = "", image: str = "apache/kafka:3.9.0") -> str:
    text = WORKLOAD.replace("IMAGE", image).replace("MORE", more or "tty: false")
    return text.replace("        VARIABLE\n", f"        - {variable}\n" if variable else "")


def strimzi(version: str, controllers: int = 3, storage: str = "jbod") -> str:
    pools = POOL % ("b", 3, "broker", "jbod") + POOL % ("c", controllers, "controller", storage)
    return STRIMZI % version + pools


HEREDOC = "values = [<<EOF\nspring:\n  kafka:\n    producer:\n      acks: 1\nEOF\n]"
KUBERNETES = [
    (workload(), 0, "YES"),
    (workload("args: [start, f, --override, min.insync.replicas=1]"), 1,
     "min.insync.replicas: 1 -> 2"),
    (workload() + JOB, 1, "replication.factor: 1 -> 3"),
    (workload(variable="{name: KAFKA_ACKS, valueFrom: {configMapKeyRef: {name: a, key: b}}}"), 0,
     "KAFKA_ACKS comes from a configMapKeyRef: not read"),
    (workload(variable="{name: KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE, "
              "valueFrom: {configMapKeyRef: {name: a, key: b}}}"), 2,
     "unclean.leader.election.enable comes from a configMapKeyRef. Write the value"),
    (workload(variable="{name: KAFKA_SSL_KEY_PASSWORD, "
              "valueFrom: {secretKeyRef: {name: a, key: b}}}"), 0, "YES"),
    (workload("envFrom: [{configMapRef: {name: a}}]"), 0, "variables come from a configMapRef"),
    (workload(image="redpandadata/redpanda:v24.1.1"), 2, "Redpanda speaks"),
    # a feature is on from the metadata version that enables it in new clusters
    (strimzi("4.1-IV1"), 0, "YES"),
    (strimzi("4.0-IV3"), 0, "has no eligible.leader.replicas.version, unless"),
    (strimzi("3.9-IV0"), 0, "has no transaction.version, unless"),
    (strimzi("4.1", controllers=1), 1, "controllers: 1 -> 3"),
    (strimzi("4.1", storage="ephemeral"), 1, "metadata.disk.lost: each-restart -> rebuilt"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), KUBERNETES)
def test_manifests_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yaml", text, "", COPIES, code, expected)


def test_the_metadata_version_decides_whether_an_empty_disk_loses_records(tmp_path: Path) -> None:
    path = tmp_path / "k.yaml"
    path.write_text(strimzi("4.0-IV3"))
    expected_loss = (
        "isr-shrunk-leader-lost.*eligible.leader.replicas.version|without eligible leader repl"
    )
    assert_answer(str(path), f"{COPIES} application.disk.lost=returns-empty", 1, expected_loss)


@pytest.mark.parametrize(
    ("version", "more", "code", "expected"),
    [
        ("3.9-IV0", "consumer.group.protocol=consumer", 2, "=classic: the brokers refuse group.pr"),
        ("3.9-IV0", "consumer.group.protocol=classic", 0, "has only classic groups, unless"),
        ("3.9-IV0", "consumer.group.protocol=consumer "
         "broker.group.coordinator.rebalance.protocols=classic,consumer", 0, "YES"),
        ("4.0-IV0", "consumer.group.protocol=consumer", 0, "YES"),
    ],
)  # fmt: skip
def test_the_metadata_version_decides_which_group_protocols_exist(
    tmp_path: Path, version: str, more: str, code: int, expected: str
) -> None:
    """GroupVersion of 4.1.2: 1 from 4.0-IV0 on."""
    path = tmp_path / "k.yaml"
    path.write_text(strimzi(version))
    assert_answer(str(path), f"{COPIES} {more}", code, expected)


MSK = """resource "aws_msk_configuration" "c" {
  name = "c"
  server_properties = <<-PROPERTIES
    %s
  PROPERTIES
}
resource "aws_msk_cluster" "c" {
  kafka_version          = "%s"
  number_of_broker_nodes = %s
}
"""
TOPIC_TF = 'resource "kafka_topic" "t" {\n  name = "t"\n  replication_factor = 3\n%s}\n'
CLEAN = "unclean.leader.election.enable = false\n    default.replication.factor = 3"
SAFE = f"min.insync.replicas = 2\n    {CLEAN}"
TERRAFORM = [
    (MSK % (SAFE, "3.6.0", 3), 0, "YES.*3 brokers of Kafka 3.6"),
    (MSK % (SAFE, "3.7.x.kraft", 3), 0, "YES.*3 brokers of Kafka 3.7"),
    (MSK % (CLEAN, "3.6.0", 3), 1, "min.insync.replicas: 1 -> 2"),
    # MSK's own default (Developer Guide, "Default Amazon MSK configuration")
    (MSK % ("min.insync.replicas=2\n    default.replication.factor=3", "3.6.0", 3), 1,
     "unclean.leader.election.enable: true -> false"),
    (MSK % (SAFE, "3.6.0", 2), 1, "CANNOT WORK.*only 2 broker"),
    (MSK % (SAFE, "var.kafka", 3), 0, "3 brokers of Kafka"),
    (MSK.replace("<<-PROPERTIES\n    %s\n  PROPERTIES", 'file("f")%s') % ("", "3.6.0", 3), 2,
     "server_properties, or a part of it, is computed by Terraform. Write its settings here"),
    (MSK.replace("<<-PROPERTIES\n    %s\n  PROPERTIES", 'join("\\n", ["%s"])')
     % (CLEAN, "3.6.0", 3) + TOPIC_TF % '  config = {\n "min.insync.replicas" = "2"\n }\n', 2,
     "server_properties, or a part of it, is computed by Terraform"),
    (MSK.replace("<<-PROPERTIES\n    %s\n  PROPERTIES", '"%s"')
     % (SAFE.replace("\n    ", "\\n"), "3.6.0", 3), 0, "YES.*3 brokers of Kafka 3.6"),
    (MSK % (f"{CLEAN}\n    min.insync.replicas=${{var.isr}}", "3.6.0", 3), 2,
     "min.insync.replicas is computed by Terraform. Write its value here"),
    (MSK % (f"{CLEAN}\n    min.insync.replicas=${{var.isr}}", "3.6.0", 3)
     + TOPIC_TF % '  config = {\n "min.insync.replicas" = "2"\n }\n', 2, "computed by Terraform"),
    (MSK % (f"{CLEAN}\n    min.insync.replicas=${{var.isr}}", "3.6.0", 3)
     + 'variable "isr" {\n  default = 1\n}\n', 1, "min.insync.replicas: 1 -> 2.*unless it is"),
    (MSK % (f"{SAFE}\n    ${{var.more}}", "3.6.0", 3), 2, "or a part of it, is computed by"),
    (MSK % (f"{SAFE}\n    %{{ for k in var.m }}\n    ${{k}}=1\n    %{{ endfor }}", "3.6.0", 3), 2,
     "or a part of it, is computed by"),
    (MSK % (f"{SAFE}\n    num.partitions=${{var.p}}", "3.6.0", 3), 0, "num.partitions is computed"),
    (MSK % ("unclean.leader.election.enable=true", "3.6.0", 3)
     + TOPIC_TF % '  config = { \n "min.insync.replicas" = "2"\n }\n', 1,
     "election.enable: true -> f"),
    (MSK % (SAFE, "3.6.0", 3) + TOPIC_TF % '  config = {\n "min.insync.replicas" = "2"\n }\n'
     '  lifecycle {\n    ignore_changes = [config]\n  }\n', 0,
     "YES.*ignore_changes: Terraform does not set again what is named there"),
    (MSK % (SAFE, "3.6.0", 3) + "  lifecycle {\n    ignore_changes = all\n  }\n", 0,
     "YES.*ignore_changes: Terraform does not set again what is named there"),
    # computed names, and settings in parts that are not read
    *[(TOPIC_TF % f'  config = {{\n "min.insync.replicas" = "2"\n {row}\n }}\n', 2,
       "a name in config is computed by Terraform here")
      for row in ('(local.name) = "true"', '"${local.part}.enable" = "true"',
                  "for name, value in var.more : name => value")],
    *[(TOPIC_TF % '  config = {\n "min.insync.replicas" = "2"\n }\n' + f"{block} {{\n  {row}\n}}\n",
       code,
       words) for block, row, code, words in (
          ('module "t"', 'config = {"min.insync.replicas" = "1"}', 2, "is in a resource or a"),
          ('module "t"', "topics = [{ replication_factor = 1 }]", 2, "is in a resource or a"),
          ('resource "helm_release" "k"', 'name = "config.unclean.leader.election.enable"', 2,
           "unclean.leader.election.enable is in a resource or a module that is not read"),
          ('resource "aws_ecs_task_definition" "a"', 'name = "SPRING_KAFKA_PRODUCER_ACKS"', 2,
           "acks is in a resource or a module that is not read"),
          *[(f'resource "{kind}" "a"', row, 2, "(?i)acks is in a res") for kind, row in (
              ("aws_lambda_function", 'variables = { SPRING_KAFKA_PRODUCER_ACKS = "1" }'),
              ("helm_release", 'name = "app.env.SPRING_KAFKA_PRODUCER_ACKS"'),
              ("helm_release", 'name = "app.env.MP_MESSAGING_OUTGOING_P_ACKS"'),
              ("helm_release", HEREDOC),
              ("google_cloud_run_service", 'value = "-Dspring.kafka.producer.acks=1"'))],
          ('module "a"', 'name = "env.SPRING_KAFKA_BOOTSTRAP_SERVERS"', 0, "YES"),
          ('module "a"', "variables = { KAFKA_TOPIC = kafka_topic.t.name }", 0, "YES"),
          ('resource "kafka_acl" "a"', 'resource_name = "orders.v1"', 0, "YES"),
          ('module "vpc"', 'name = "KAFKA_VPC"', 0, "YES"))],
    *[(f'resource "aiven_kafka_topic" "t" {{\n  project = var.p\n  {copies}\n  config {{\n'
       f"    {least}\n  }}\n}}\n" + more, code, words) for copies, least, more, code, words in (
          ("replication = 3", "min_insync_replicas = 2", "", 0, "YES.*Aiven's service has its own"),
          ("replication = 3", 'min_insync_replicas = "1"', 'resource "aiven_kafka_acl" "a" {}', 1,
           "min.insync.replicas: 1 -> 2"),
          ("replication = var.n", "min_insync_replicas = 2", "", 2,
           "replication.factor is computed"),
          ("replication = 3", "min_insync_replicas = 2", 'resource "aiven_kafka" "k" {}', 2,
           "to a service whose brokers"))],
]  # fmt: skip

SHARED = """locals {
  copies = 3
  shared = {
    "min.insync.replicas" = "2" # of all
    "retention.ms" = 7 * 24 * 3600 * 1000
  }
}
"""
ONE_LINE, LINES = (
    "merge(local.shared, {%s})",
    "merge(\n    {\n      %s\n    },\n    local.shared,\n  )",
)
MIN_ISR = '"min.insync.replicas" = '
TERRAFORM += [
    (SHARED + TOPIC_TF.replace("= 3", "= local.copies") % f"  config = {maps}\n", code, words)
    for maps, code, words in (
        ("local.shared", 0, "YES"),
        (ONE_LINE % f"{MIN_ISR}1", 1, "min.insync.replicas: 1 -> 2"),
        (ONE_LINE % f"{MIN_ISR}tostring(1)", 1, "min.insync.replicas: 1 -> 2"),
        (ONE_LINE % '"cleanup.policy" = "delete"', 0, "YES"),
        (LINES % f"{MIN_ISR}1", 0, "YES"),
        ("merge(local.shared, var.own)", 2, "config is computed by Terraform"),
        ("merge(local.other, {})", 2, "config is computed by Terraform"),
        (f"{{ {MIN_ISR}tostring(2) }}", 0, "YES"),
    )
]


@pytest.mark.parametrize(("text", "code", "expected"), TERRAFORM)
def test_terraform_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "m.tf", text, "", COPIES, code, expected)


HEAD = "Topic: t\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: min.insync.replicas=2\n"
ROW = "\tTopic: t\tPartition: {}\tLeader: {}\tReplicas: 1,2,3\tIsr: {}\tElr: \tLastKnownElr: \n"
FIVE = "1,2,3,4,5"
PRINTED = [
    (HEAD + ROW.format(0, 1, "1,2,3"), 0, "YES.*--describe --all shows whether.*--want"),
    # the number of brokers is the number of those that hold copies
    ((HEAD + ROW.format(0, 1, "1,2,3")).replace("Factor: 3", "Factor: 5").replace("1,2,3", FIVE),
     0, "YES.*and 5 brokers of Kafka.*5 brokers are assumed, as many as its partitions name"),
    (HEAD + (ROW + ROW.replace("1,2,3", "4,5,6")).format(0, 1, "1,2,3", 1, 4, "4,5,6"), 0,
     "and 6 brokers of Kafka"),
    # records with acks=all are refused until a replica is back
    (HEAD + ROW.format(0, 1, "1") + ROW.format(1, 2, "2,3,1"), 1,
     "replicas.in.sync: 1 -> 3 .*1 partition has fewer replicas"),
    (HEAD + ROW.format(0, 1, "1,2") + ROW.format(1, 2, "2,3,1"), 0, "1 partition has fewer"),
    # while replicas are moved, a partition has more of them than the topic
    ((HEAD + ROW.format(0, 1, "1,2,3,4")).replace("s: 1,2,3\t", "s: 1,2,3,4,5,6\t"), 0,
     "YES.*1 partition has fewer replicas in sync than copies"),
    (HEAD + ROW.format(0, "none", "3") + ROW.format(1, 2, "2"), 1,
     "replicas.in.sync=0: a partition has no leader.*2 partitions have.*1 of them wit"),
    ("Dynamic configs for topic t are:\n  min.insync.replicas=2 sensitive=false synonyms={}\n"
     "Quota configs for client-id 'a' are producer_byte_rate=10.0\n", 0,
     "producer_byte_rate=10.0 applies to"),
    ("Dynamic configs for topic t are:\n  min.insync.replicas=2 sensitive=false synonyms={}\n"
     "Quota configs for the default user-principal are producer_byte_rate=10.0\n", 1,
     "quota holds the producer back"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), PRINTED)
def test_output_of_tools_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "t.txt", text, "", f"{COPIES} {TOPIC}", code, expected)


QUORUM = "broker.controller.quorum."
TIERED = "topic.remote.storage.enable=true"
HASTY = "producer.delivery.timeout.ms=12000 producer.request.timeout.ms=5000"
SETTINGS = [
    # GzipCompression.LevelValidator
    ("", "topic.compression.gzip.level=20", 2, "Value must be between 1 and 9 or equal to -1"),
    ("", "producer.compression.gzip.level=0", 2, "Value must be between 1 and 9 or equal to -1"),
    ("", "broker.compression.gzip.level=10", 2, "Value must be between 1 and 9 or equal to -1"),
    ("", "producer.compression.gzip.level=-1 topic.compression.gzip.level=9", 0, "YES"),
    # tiered storage (KIP-405), whose metadata topic has its own minimum since 4.3 (KIP-1235)
    ("", f"{TIERED}", 0, "T007 low: .*this answer covers the messages"),
    ("", "topic.remote.storage.enable=false", 0, "YES(?!.*T007)"),
    ("--kafka 4.2", TIERED, 1, "remote.metadata.min.insync.replicas: 1 -> 2"),
    ("--kafka 4.2", f"{TIERED} broker.min.insync.replicas=2", 0, "YES"),
    ("--kafka 4.2 --survive 0", TIERED, 0, "YES"),
    ("--kafka 3.5", "application.remote.metadata.replication.factor=1", 2,
     "There is no application setting"),
    ("", f"{TIERED} application.remote.metadata.min.insync.replicas=1", 1, "nobody can find"),
    # LogValidator, KIP-74 and the controllers' own timeouts
    ("", "topic.compression.type=gzip", 0, "recompress batches"),
    ("", "topic.compression.type=producer", 0, "compression.type is not taken"),
    ("", "broker.replica.fetch.max.bytes=10", 0, "does not limit a batch"),
    ("", f"{QUORUM}fetch.timeout.ms=600000", 1, "fetch.timeout.ms: 600000 -> 2000"),
    ("", f"{QUORUM}fetch.timeout.ms=118000", 1, "a new controller, and for a new leader after it"),
    ("", f"{QUORUM}fetch.timeout.ms=47000", 0, "YES"),
    ("", f"{QUORUM}fetch.timeout.ms=1", 1, "CANNOT WORK.*none stays elected"),
    ("--survive 0", f"{QUORUM}fetch.timeout.ms=1 application.controllers=1", 0, "YES"),
    ("", f"{QUORUM}election.timeout.ms=60000", 1, "election.timeout.ms: 60000 -> 1000"),
    ("", f"{QUORUM}election.backoff.max.ms=600000", 0, "longer than clients wait"),
    ("--kafka 3.9", f"{QUORUM}fetch.timeout.ms=600000 application.metadata.mode=zookeeper", 0,
     "YES"),
    ("", f"broker.replica.lag.time.max.ms=5000 {HASTY} producer.acks=1", 1, "12000"),
    ("--client-version 3.9", "producer.transactional.id=a", 0, "P010 .*same as KAFKA-14562"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, f"{COPIES} {TOPIC} {settings}", code, expected)


RLMM = "rlmm.config.remote.log.metadata.topic."
FILES = [
    # the locations of all remote segments, on one broker (KIP-405)
    (f"{RLMM}replication.factor=1\n", TIERED, 1, "remote.metadata.replication.factor: 1 -> 3"),
    (f"{RLMM}replication.factor=3\n", TIERED, 0, "YES"),
    (f"{RLMM}replication.factor=1\n", "", 0, "YES"),
    (f"{RLMM}min.isr=1\n", TIERED, 1, "remote.metadata.min.insync.replicas: 1 -> 2"),
    (f"{RLMM}num.partitions=1\n", TIERED, 0, "passed to a plug-in"),
    # each listener has its own limit (ConnectionQuotas)
    ("listener.name.internal.max.connections=0\n", "", 2, "lets no client connect"),
    ("listener.name.internal.max.connections=9\n", "", 0, "YES"),
]


@pytest.mark.parametrize(("text", "settings", "code", "expected"), FILES)
def test_a_broker_file_gets_the_expected_answer(
    tmp_path: Path, text: str, settings: str, code: int, expected: str
) -> None:
    settings = f"{COPIES} {TOPIC} {settings}"
    assert_file(tmp_path / "server.properties", text, "--broker", settings, code, expected)
