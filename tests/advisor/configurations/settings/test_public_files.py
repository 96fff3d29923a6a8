"""Files from public repositories: a refusal states the reason and the line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

READS = "consumer.auto.offset.reset=earliest application.restart=resumes "
READS += "application.commit=after-processing"
SETTINGS = f"{TOPIC} {READS}"
VECTOR = '[sinks.k]\ntype = "kafka"\n[sinks.k.librdkafka_options]\n"acks" = "1"\n'
CLOUD = "bootstrap.servers=x\nsasl.mechanisms=PLAIN\nschema.registry.url=https://x\n"
CLOUD += "basic.auth.credentials.source=USER_INFO\nenable.idempotence=true\n"
CUSTOM = "kafka:\n  producer:\n    brokers: [a]\n    %s: 1\n"
UNKNOWN_YAML = "4: {} stands under kafka.producer in YAML of a kind that we do not know"


@pytest.mark.parametrize(("name", "text", "expected"), [
    ("vector.toml", VECTOR, "vector.toml:1: this is a file of Vector"),
    ("telegraf.toml", '[[outputs.kafka]]\nbrokers = ["k"]\n', "this is a file of Telegraf"),
    ("sink.json", "{\n 'connector.class': 'SnowflakeSink',\n 'topics': 't'\n}\n",
     "sink.json:2: connector.class belongs to Kafka Connect"),
    ("topic.yaml", "apiVersion: apps.cpc.platform.confluent.io/v1beta1\nkind: KafkaTopic\n",
     "topic.yaml:1: this is a resource of Confluent for Kubernetes"),
    ("config.yaml", CUSTOM % "acks", UNKNOWN_YAML.format("acks")),
    ("config.yaml", CUSTOM % "required_acks", UNKNOWN_YAML.format("required_acks")),
    ("hosts.yml", CUSTOM % "min.insync.replicas", UNKNOWN_YAML.format("min.insync.replicas")),
    ("config.yaml", CUSTOM % "port", "1: this looks like YAML of a kind that we do not know"),
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
def test_a_refused_file_is_reported_with_the_reason_and_the_line(
    tmp_path: Path, name: str, text: str, expected: str
) -> None:
    assert_file(tmp_path / name, text, "", SETTINGS, 2, expected)


@pytest.mark.parametrize("store", [False, True])
def test_schema_registry_settings_in_a_librdkafka_file_do_not_count(
    tmp_path: Path, store: bool
) -> None:
    text = f"{CLOUD}enable.auto.offset.store={str(store).lower()}\n"
    path = tmp_path / "cloud.properties"
    message = "is for the Schema Registry's client: librdkafka refuses it"
    assert_file(path, text, "", SETTINGS, int(store), message)


@pytest.mark.parametrize(("image", "line"), [
    ("quay.io/debezium/kafka:3.0", "3.9"), ("debezium/kafka:2.7.0.Final", "3.7"),
    ("quay.io/strimzi/kafka:0.45.0-kafka-3.9.0", "3.9"), ("apache/kafka:3.9.1", "3.9"),
    ("quay.io/debezium/kafka:9.9", "4.3"),
])  # fmt: skip
def test_the_kafka_version_of_an_image_is_not_the_version_of_its_vendor(
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
COMPUTED = "is computed by Terraform"


@pytest.mark.parametrize(("value", "code", "expected"), [
    (JOINED % "2", 0, "^YES"), (JOINED % "${local.least}", 0, "^YES"),
    (JOINED % "1", 1, "min.insync.replicas: 1 -> 2"),
    (f'join("\\n", [{BASE} "min.insync.replicas=2"])', 0, "^YES"),
    (JOINED % "${var.least}", 2, f"min.insync.replicas {COMPUTED}"),
    (f'join("\\n", [\n    {BASE}\n    local.least,\n  ])', 2, f"a part of it, {COMPUTED}"),
    (JOINED.replace("[", "concat([").replace("])", "], local.more))") % "2", 2, COMPUTED),
    (JOINED.replace('"\\n"', '","') % "2", 2, COMPUTED),
])  # fmt: skip
def test_lines_that_terraform_joins_are_read_if_all_are_literals(
    tmp_path: Path, value: str, code: int, expected: str
) -> None:
    settings = f"{READS} consumer.enable.auto.commit=false"
    assert_file(tmp_path / "main.tf", MSK % value, "", settings, code, expected)


OF_3_9 = "services:\n  kafka:\n    image: apache/kafka:3.9.1\n    environment:\n      %s\n"
KRAFT = OF_3_9 % "KAFKA_PROCESS_ROLES: broker,controller"
ZOOKEEPER = OF_3_9 % "KAFKA_ZOOKEEPER_CONNECT: z:2181"


@pytest.mark.parametrize(("text", "options", "code", "expected"), [
    (KRAFT, "", 1, "1 broker of Kafka 3.9"),
    (KRAFT, "--kafka 4.3", 1, "1 broker of Kafka 4.3.*kafka is 3.9 here, and 4.3 by --kafka"),
    (KRAFT, "--kafka 3.2", 2, "which is a preview in Kafka 3.2"),
    (ZOOKEEPER, "--kafka 4.3", 2, "zookeeper.connect: .*Kafka 4.3 has no ZooKeeper"),
    (ZOOKEEPER, "--kafka 3.2", 1, "1 broker of Kafka 3.2"),
])  # fmt: skip
def test_a_stated_version_overrides_that_of_an_image(
    tmp_path: Path, text: str, options: str, code: int, expected: str
) -> None:
    more = "" if code == 2 else "topic.replication.factor=1"
    assert_file(tmp_path / "compose.yml", text, options, f"{READS} {more}", code, expected)
