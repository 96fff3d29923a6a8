"""Files as they lie in public repositories: what is refused says why, with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

READS = "consumer.auto.offset.reset=earliest application.restart=resumes "
READS += "application.commit=after-processing"
SET = f"{TOPIC} {READS}"
VECTOR = '[sinks.k]\ntype = "kafka"\n[sinks.k.librdkafka_options]\n"acks" = "1"\n'
CLOUD = "bootstrap.servers=x\nsasl.mechanisms=PLAIN\nschema.registry.url=https://x\n"
CLOUD += "basic.auth.credentials.source=USER_INFO\nenable.idempotence=true\n"
OWN = "kafka:\n  producer:\n    brokers: [a]\n    %s: 1\n"
STANDS = "4: {} stands under kafka.producer in YAML of a kind that we do not know"


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("vector.toml", VECTOR, "vector.toml:1: this is a file of Vector"),
    ("telegraf.toml", '[[outputs.kafka]]\nbrokers = ["k"]\n', "this is a file of Telegraf"),
    ("sink.json", "{\n 'connector.class': 'SnowflakeSink',\n 'topics': 't'\n}\n",
     "sink.json:2: connector.class belongs to Kafka Connect"),
    ("topic.yaml", "apiVersion: apps.cpc.platform.confluent.io/v1beta1\nkind: KafkaTopic\n",
     "topic.yaml:1: this is a resource of Confluent for Kubernetes"),
    ("config.yaml", OWN % "acks", STANDS.format("acks")),
    ("config.yaml", OWN % "required_acks", STANDS.format("required_acks")),
    ("hosts.yml", OWN % "min.insync.replicas", STANDS.format("min.insync.replicas")),
    ("config.yaml", OWN % "port", "1: this looks like YAML of a kind that we do not know"),
    ("load.sql", 'CREATE ROUTINE LOAD a ON t FROM KAFKA ("kafka_broker_list" = "b");',
     "load.sql:1: this is a file of StarRocks or Apache Doris"),
    ("s.sql", "CREATE SOURCE s FROM KAFKA CONNECTION k (TOPIC 't');", "a file of Materialize"),
    ("s.sql", "CREATE SOURCE s WITH (\n connector = 'kafka',\n scan.startup.mode='latest'\n);",
     "s.sql:2: this is a file of RisingWave"),
    ("s.json", '{"type": "kafka", "consumerProperties": {"acks": 1}}', "a file of Druid"),
    ("t.json", '{"streamConfigs": {"stream.kafka.topic.name": "t"}}', "a file of Pinot"),
    ("kafka.properties", "connector.name=kafka\nkafka.nodes=b\n", "a file of Trino"),
    ("f.conf", "a.sinks.k.type = org.apache.flume.sink.kafka.KafkaSink\n", "a file of Flume"),
    ("t.yaml", "Resources:\n  C:\n    Type: AWS::MSK::Configuration\n    Properties:\n"
     "      ServerProperties: |\n        min.insync.replicas=1\n",
     "t.yaml:3: this is a resource of AWS CloudFormation.*Give what stands in ServerProperties"),
    ("values.yaml", "env:\n  SPRING_KAFKA_PRODUCER_ACKS: '1'\n",
     "values.yaml:2: SPRING_KAFKA_PRODUCER_ACKS stands under env in YAML"),
    ("task.json", '{"containerDefinitions": [{"environment": [{"name": "KAFKA_ACKS"}]}]}',
     "task.json:1: this is a file of tasks of Amazon ECS"),
    ("application.properties", "kafka.group.id=g\nkafka.auto.offset.reset=earliest\n",
     "2: kafka.auto.offset.reset is auto.offset.reset of a client as code of your own has it"),
    ("application.properties", "kafka.auto.offset.reset=earliest\nsubscribe=t\n",
     "1: auto.offset.reset: Spark sets it itself"),
])  # fmt: skip
def test_what_is_refused_is_named_with_its_line(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", SET, 2, expected)


@pytest.mark.parametrize("store", [False, True])
def test_what_the_schema_registry_has_in_a_file_of_librdkafka_decides_nothing(
    tmp_path: Path, store: bool
) -> None:
    text = f"{CLOUD}enable.auto.offset.store={str(store).lower()}\n"
    path = tmp_path / "cloud.properties"
    words = "is for the Schema Registry's client: librdkafka refuses it"
    assert_file(path, text, "", SET, int(store), words)


@pytest.mark.parametrize(("image", "line"), [
    ("quay.io/debezium/kafka:3.0", "3.9"), ("debezium/kafka:2.7.0.Final", "3.7"),
    ("quay.io/strimzi/kafka:0.45.0-kafka-3.9.0", "3.9"), ("apache/kafka:3.9.1", "3.9"),
    ("quay.io/debezium/kafka:9.9", "4.3"),
])  # fmt: skip
def test_the_version_of_an_image_is_not_that_of_its_maker(
    tmp_path: Path, image: str, line: str
) -> None:
    text = f"services:\n  kafka:\n    image: {image}\n    environment:\n      KAFKA_BROKER_ID: 1\n"
    text += "      KAFKA_DEFAULT_REPLICATION_FACTOR: 1\n"
    expected = f"1 broker of Kafka {line}"
    assert_file(tmp_path / "compose.yml", text, "", READS, 1, expected)


MSK = """resource "aws_msk_configuration" "c" {
  server_properties = %s
}
resource "aws_msk_cluster" "c" {
  kafka_version = "3.7.x"
  number_of_broker_nodes = 3
}
locals {
  least = 2
}
"""
BASE = '"unclean.leader.election.enable=false", "default.replication.factor=3",'
JOINED = f'join("\\n", [\n    {BASE} # safe\n    "min.insync.replicas=%s",\n  ])'
WORKED_OUT = "is computed by Terraform"


@pytest.mark.parametrize(("value", "code", "expected"), [
    (JOINED % "2", 0, "^YES"), (JOINED % "${local.least}", 0, "^YES"),
    (JOINED % "1", 1, "min.insync.replicas: 1 -> 2"),
    (f'join("\\n", [{BASE} "min.insync.replicas=2"])', 0, "^YES"),
    (JOINED % "${var.least}", 2, f"min.insync.replicas {WORKED_OUT}"),
    (f'join("\\n", [\n    {BASE}\n    local.least,\n  ])', 2, f"a line of it, {WORKED_OUT}"),
    (JOINED.replace("[", "concat([").replace("])", "], local.more))") % "2", 2, WORKED_OUT),
    (JOINED.replace('"\\n"', '","') % "2", 2, WORKED_OUT),
])  # fmt: skip
def test_lines_that_terraform_joins_are_read_where_each_is_a_text(
    tmp_path: Path, value: str, code: int, expected: str
) -> None:
    settings = f"{READS} consumer.enable.auto.commit=false"
    assert_file(tmp_path / "main.tf", MSK % value, "", settings, code, expected)


OF_3_9 = "services:\n  kafka:\n    image: apache/kafka:3.9.1\n    environment:\n      %s\n"
KRAFT = OF_3_9 % "KAFKA_PROCESS_ROLES: broker,controller"
KEPT = OF_3_9 % "KAFKA_ZOOKEEPER_CONNECT: z:2181"


@pytest.mark.parametrize(("text", "options", "code", "expected"), [
    (KRAFT, "", 1, "1 broker of Kafka 3.9"),
    (KRAFT, "--kafka 4.3", 1, "1 broker of Kafka 4.3.*kafka is 3.9 here, and 4.3 by --kafka"),
    (KRAFT, "--kafka 3.2", 2, "which is a preview in Kafka 3.2"),
    (KEPT, "--kafka 4.3", 2, "zookeeper.connect: .*Kafka 4.3 has no ZooKeeper"),
    (KEPT, "--kafka 3.2", 1, "1 broker of Kafka 3.2"),
])  # fmt: skip
def test_the_version_that_somebody_states_goes_before_that_of_an_image(
    tmp_path: Path, text: str, options: str, code: int, expected: str
) -> None:
    more = "" if code == 2 else "topic.replication.factor=1"
    assert_file(tmp_path / "compose.yml", text, options, f"{READS} {more}", code, expected)
