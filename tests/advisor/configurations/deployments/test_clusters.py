"""Files that describe more than one cluster, or the servers of a cluster one by one.

Settings of one cluster do not apply to another. A file with two clusters used to be answered with
the settings of the last one.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    COPIES,
    TOPIC,
    assert_answer,
    assert_file,
    assert_in_any_order,
)
from tests.advisor.configurations.deployments.test_deployments import IMAGE, LOGS

ANOTHER = "another cluster than that on line"
_API = "apiVersion: kafka.strimzi.io/v1\n"
_LABEL = "labels: {strimzi.io/cluster: %s}"


def kafka(name: str, minimum: int = 2, in_namespace: str = "") -> str:
    namespace = f", namespace: {in_namespace}" if in_namespace else ""
    return (
        f"{_API}kind: Kafka\nmetadata: {{name: {name}{namespace}}}\nspec:\n  kafka:\n    config:\n"
        f"      default.replication.factor: 3\n      min.insync.replicas: {minimum}\n"
    )


def pool(cluster: str, replicas: int = 3) -> str:
    return (
        f"{_API}kind: KafkaNodePool\nmetadata: {{name: p{replicas}, {_LABEL % cluster}}}\n"
        f"spec:\n  replicas: {replicas}\n  roles: [controller, broker]\n"
        "  storage: {type: persistent-claim, size: 1Gi}\n"
    )


def topic(cluster: str, more: str = "") -> str:
    return (
        f"{_API}kind: KafkaTopic\nmetadata: {{name: t, {_LABEL % cluster}}}\n"
        f"spec:\n  replicas: 3\n{more}"
    )


STRIMZI = [
    ((pool("c"), kafka("c"), topic("c")), 0, "YES"),
    ((pool("c"), kafka("c", 1), topic("c")), 1, "min.insync.replicas: 1 -> 2"),
    # settings of the strong cluster do not apply to the weak one
    ((pool("c"), kafka("c", 1), topic("c"), pool("d"), kafka("d")), 2, ANOTHER),
    ((pool("d"), kafka("d", 1), topic("d"), pool("c"), kafka("c"), topic("c")), 2, ANOTHER),
    ((pool("c"), kafka("c"), topic("d")), 2, rf"{ANOTHER} 2 \(d\)"),
    ((pool("c"), pool("d"), topic("c")), 2, ANOTHER),
    ((kafka("c", 1, "dev"), kafka("c", 2, "prod"), topic("c")), 2, rf"{ANOTHER} 2 \(prod\)"),
    ((kafka("c", 2, "prod"), topic("c")), 0, "YES"),
    ((topic("c", "  config: {min.insync.replicas: 2}\n"),
      topic("d", "  config: {min.insync.replicas: 2}\n")), 0, "YES"),
    ((pool("{{ c }}").replace("{{", "'{{").replace("}}", "}}'", 1), kafka("c"), topic("c")), 0,
     "YES"),
    # pools without a broker
    ((pool("c", 0), kafka("c"), topic("c")), 2, "no broker is left"),
    ((pool("c", 0), pool("c"), kafka("c"), topic("c")), 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("resources", "code", "expected"), STRIMZI)
def test_strimzi_resources_must_belong_to_one_cluster(
    tmp_path: Path, resources: tuple[str, ...], code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yaml", "---\n".join(resources), "", COPIES, code, expected)


@pytest.mark.parametrize(("minimum", "code", "expected"), [
    (1, 1, "min.insync.replicas: 1 -> 2"), (2, 0, "YES"),
])  # fmt: skip
def test_resources_in_json_are_read_like_yaml(
    tmp_path: Path, minimum: int, code: int, expected: str
) -> None:
    spec = {"replicas": 3, "config": {"min.insync.replicas": minimum}}
    resource = {"apiVersion": "kafka.strimzi.io/v1", "kind": "KafkaTopic", "spec": spec}
    resource_list = {"apiVersion": "v1", "kind": "List", "items": [resource]}
    for number, text in enumerate((resource, resource_list)):
        file = tmp_path / f"{number}.json"
        assert_file(file, json.dumps(text, indent=4), "", COPIES, code, expected)


def brokers(
    *more: str, logs: str = LOGS, image: str = IMAGE, id_of: str = "KAFKA_NODE_ID: %d"
) -> str:
    """Returns a compose file with a broker for each text in `more`; `%d` is the broker's number."""
    text = "services:\n"
    for number, variables in enumerate(more, 1):
        text += f"  kafka{number}:\n    {image}\n    volumes: ['d{number}:{logs}']\n"
        text += "    environment:\n      KAFKA_MIN_INSYNC_REPLICAS: 2\n"
        text += "      KAFKA_DEFAULT_REPLICATION_FACTOR: 3\n"
        id_line = id_of % number if "%" in id_of else id_of
        text += f"      {id_line}\n      {variables.replace('%d', str(number))}\n"
    return text


CLUSTER = "CLUSTER_ID: %s\n      KAFKA_PROCESS_ROLES: broker,controller"
VOTERS = "KAFKA_PROCESS_ROLES: broker,controller\n      KAFKA_CONTROLLER_QUORUM_VOTERS: %s"
ZOOKEEPER, BY_ID = "KAFKA_ZOOKEEPER_CONNECT: %s", "KAFKA_BROKER_ID: %d"
ABC = "1@kafka1:9093,2@kafka2:9093,3@kafka3:9093"
DEF = "4@kafka4:9093,5@kafka5:9093,6@kafka6:9093"
COMPOSE = [
    (brokers(*[CLUSTER % "a"] * 3), 0, "YES"),
    (brokers(CLUSTER % "a", CLUSTER % "b", CLUSTER % "c"), 2, ANOTHER),
    (brokers(*[CLUSTER % "${ID:-a}"] * 2, CLUSTER % "b"), 2, ANOTHER),
    (brokers(*[CLUSTER % "${ID}"] * 2, CLUSTER % "b"), 0, "YES"),
    (brokers(*[VOTERS % ABC] * 3), 0, "YES"),
    (brokers(*[VOTERS % ABC] * 3, *[VOTERS % DEF] * 3), 2, "names none of those on line .* to "
     "another cluster"),
    (brokers(*[ZOOKEEPER % "z1:2181,z2:2181", ZOOKEEPER % "z2:2181"] * 2, id_of=BY_ID), 0, "YES"),
    (brokers(*[ZOOKEEPER % f"z{number}:2181" for number in (1, 2, 3)], id_of=BY_ID), 2,
     "names none of those on line"),
    (brokers(*[ZOOKEEPER % f"z:2181/{name}" for name in "abc"], id_of=BY_ID), 2,
     "names none of those on line"),
    # DUPLICATE_BROKER_REGISTRATION
    (brokers(*[CLUSTER % "a"] * 3, id_of="KAFKA_NODE_ID: 1"), 1, "services of one id: brokers "
     "refuse the second|only 1 broker.s. are registered"),
    # KafkaDockerWrapper.prepareServerConfigs: with a variable set, Kafka's own default counts
    (brokers(*[VOTERS % ABC] * 3, logs="/tmp/kraft-combined-logs"), 1,
     "no volume holds a broker's logs"),
    (brokers(*[f"{VOTERS % ABC}\n      KAFKA_LOG_DIRS: /d/a,/e"] * 3, logs="/d"), 1,
     "no volume holds a broker's logs"),
    (brokers(*[f"{VOTERS % ABC}\n      KAFKA_LOG_DIRS: /d/a,/d/b"] * 3, logs="/d"), 0, "YES"),
    # the metadata are in the first folder (KafkaConfig.metadataLogDir)
    (brokers(*[f"{VOTERS % ABC}\n      KAFKA_LOG_DIRS: /d,/e"] * 3, logs="/d"), 1,
     "^NO(?!.*holds a controller)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), COMPOSE)
def test_services_must_belong_to_one_cluster(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "docker-compose.yml", text, "", COPIES, code, expected)


def with_line(*services: int, line: str) -> str:
    """Returns three brokers, and adds `line` to the services with these numbers."""
    text = brokers(*[VOTERS % ABC] * 3)
    for number in services:
        heading = f"  kafka{number}:\n"
        text = text.replace(heading, f"{heading}    {line}\n")
    return text


@pytest.mark.parametrize(("text", "code", "expected"), [
    (with_line(2, 3, line="profiles: [more]"), 1, "CANNOT WORK.*only 1 broker.s. are registered"),
    (with_line(1, 2, 3, line="profiles: [kafka]"), 0, "YES"),
    (with_line(2, 3, line="scale: 0"), 1, "CANNOT WORK.*only 1 broker.s. are registered"),
    (with_line(3, line="deploy: {replicas: 0}"), 1, "CANNOT WORK.*only 2 broker.s. are registered"),
])  # fmt: skip
def test_only_services_that_start_count(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    settings = f"{COPIES} topic.replication.factor=3"
    assert_file(tmp_path / "docker-compose.yml", text, "", settings, code, expected)


SINGLE = "services:\n  broker:\n    image: apache/kafka:4.1.0\n"
VOLUME = "    volumes: ['d:/tmp/kraft-combined-logs']\n"
BARE_IMAGES = [
    # without a variable the image starts with the file of Kafka's release
    (SINGLE, 0, "offsets.topic.replication.factor=1.*no volume holds a broker's logs"),
    (SINGLE + VOLUME, 0, "^YES(?!.*no volume)"),
    (SINGLE + VOLUME + "    environment: {KAFKA_HEAP_OPTS: -Xmx1g}\n", 0, "^YES(?!.*no volume)"),
    (SINGLE + "    environment: {KAFKA_NODE_ID: 1}\n", 1, "CANNOT WORK.*offsets.topic.replication"),
    (SINGLE + "    env_file: broker.env\n", 1, "CANNOT WORK"),
]


@pytest.mark.parametrize(("text", "code", "expected"), BARE_IMAGES)
def test_an_image_without_variables_uses_its_own_file(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    file = tmp_path / "docker-compose.yml"
    assert_file(file, text, "--survive 0", COPIES, code, expected)


WORKLOAD = """apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: {name}}}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: kafka
        image: apache/kafka:3.9.0
        volumeMounts: [{{name: data, mountPath: {kept}}}]
        env:
        - {{name: CLUSTER_ID, value: "{cluster}"}}
        - {{name: KAFKA_PROCESS_ROLES, value: "broker,controller"}}
        - {{name: KAFKA_DEFAULT_REPLICATION_FACTOR, value: "3"}}
        - {{name: KAFKA_MIN_INSYNC_REPLICAS, value: "{least}"}}
  volumeClaimTemplates:
  - metadata: {{name: data}}
    spec: {{resources: {{requests: {{storage: 1Gi}}}}}}
"""


def workload(name: str = "a", *, logs: str = LOGS, minimum: int = 2) -> str:
    return WORKLOAD.format(name=name, cluster=f"id-{name}", kept=logs, least=minimum)


@pytest.mark.parametrize(("text", "code", "expected"), [
    (workload(), 0, "YES"),
    (workload(logs="/tmp/kraft-combined-logs"), 1, "logs without a volume"),
    (workload(minimum=1) + "---\n" + workload("b"), 2, ANOTHER),
])  # fmt: skip
def test_workloads_must_belong_to_one_cluster(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yaml", text, "", COPIES, code, expected)


TERRAFORM = """resource "kafka_topic" "t" {
  name               = "t"
  replication_factor = 3
  config = {
%s
  }
}
"""
MSK = """resource "aws_msk_configuration" "%s" {
  server_properties = <<PROPERTIES
default.replication.factor=3
min.insync.replicas=%d
unclean.leader.election.enable=false
PROPERTIES
}
"""
MIN_ISR = '"min.insync.replicas" = "2"'


@pytest.mark.parametrize(("text", "code", "expected"), [
    (TERRAFORM % MIN_ISR, 0, "YES"),
    (TERRAFORM % f"/* {MIN_ISR} */", 1, "min.insync.replicas: 1 -> 2"),
    (TERRAFORM % f"/*\n{MIN_ISR}\n", 1, "min.insync.replicas: 1 -> 2"),
    (TERRAFORM % f"# /*\n{MIN_ISR}", 0, "YES"),
    (f'locals {{ every = "a/*" }}\n{TERRAFORM % MIN_ISR}locals {{ all = "b*/" }}\n', 0, "YES"),
    (MSK % ("a", 2), 0, "YES"),
    (MSK % ("a", 1) + MSK % ("b", 2), 2, "a second aws_msk_configuration, after"),
])  # fmt: skip
def test_terraform_gets_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    topic = f"{COPIES} topic.replication.factor=3" if "msk" in text else COPIES
    assert_file(tmp_path / "main.tf", text, "", topic, code, expected)


def test_only_assigned_partitions_are_read() -> None:
    assigned = 'consumer.startingOffsets=earliest consumer.assign={"t":[0]}'
    assert_answer(
        "--client spark", f"{TOPIC} {assigned}", 2, "none that is added to the topic later"
    )


LISTED = "Topic: %s\tPartitionCount: 1\tReplicationFactor: 3\tConfigs: min.insync.replicas=%d\n"
DYNAMIC = "Dynamic configs for topic %s are:\n  min.insync.replicas=%d sensitive=false "
DYNAMIC += "synonyms={DYNAMIC_TOPIC_CONFIG:x=0}\n"
MIN_1, MIN_2 = (f"  config: {{min.insync.replicas: {minimum}}}\n" for minimum in (1, 2))
READER = "bootstrap.servers=k\ngroup.id=%s\nmax.poll.records=%d\nauto.offset.reset=earliest\n"
IN_KRAFT = (
    "process.roles=broker,controller\nbroker.id=%d\ncontroller.quorum.voters=%s\nlog.dirs=/d\n"
)
IN_KRAFT += "default.replication.factor=3\nmin.insync.replicas=%d\n"
LOCAL = "1@localhost:9093,2@localhost:9094,3@localhost:9095"
WITH_ZK = "broker.id=%d\nzookeeper.connect=%s\nlog.dirs=/d\ndefault.replication.factor=3\n"
WITH_ZK += "min.insync.replicas=%d\n"
RAISE, TWO_TOPICS = (
    "min.insync.replicas: 1 -> 2",
    "belongs to another topic than .*: a pipeline has one",
)
TOPICS_DIFFER = (
    "not every topic that is created here has the same. A pipeline has one topic; leave only that "
    "one here. \\S+:2: min.insync.replicas: this is a topic with another value"
)


@pytest.mark.parametrize(("texts", "code", "expected"), [
    # it is unknown which of two printed outputs is newer
    ((LISTED % ("a", 1), DYNAMIC % ("a", 2)), 1, RAISE),
    ((LISTED % ("a", 2), DYNAMIC % ("a", 1)), 1, RAISE),
    ((LISTED % ("a", 2), DYNAMIC % ("a", 2)), 0, "YES"),
    ((LISTED % ("a", 1), LISTED % ("b", 2)), 2, TWO_TOPICS),
    ((LISTED % ("a", 2), LISTED % ("b", 2)), 0, "YES"),
    ((topic("c", MIN_1), topic("c", MIN_2).replace("name: t", "name: u")), 2, TOPICS_DIFFER),
    ((topic("c", MIN_1), topic("d", MIN_2)), 2, TOPICS_DIFFER),
    ((kafka("c", 1), kafka("d") + "---\n" + topic("d")), 2, "belongs to another cluster than"),
    ((kafka("c"), topic("d")), 2, "belongs to another cluster than"),
    ((kafka("c"), topic("c")), 0, "YES"),
    ((TERRAFORM % MIN_ISR, (TERRAFORM % "").replace('"t"', '"u"')), 2, TWO_TOPICS),
    ((TERRAFORM % MIN_ISR, LISTED % ("a", 2)), 0, "YES"),
    # brokers with other voters, or another ZooKeeper
    ((IN_KRAFT % (1, ABC, 1), IN_KRAFT % (4, DEF, 2)), 2, "belongs to another cluster than"),
    ((IN_KRAFT % (1, ABC, 2), IN_KRAFT % (2, ABC, 2)), 0, "YES"),
    ((IN_KRAFT % (1, ABC, 2), IN_KRAFT % (2, LOCAL, 2)), 0, "YES"),
    ((WITH_ZK % (1, "z:2181/a", 1), WITH_ZK % (2, "z:2181/b", 2)), 2, "another cluster"),
    ((WITH_ZK % (1, "y:2181,z:2181", 2), WITH_ZK % (2, "z:2181", 2)), 0, "YES"),
    # several consumers; of two files of one group, one may override the other
    ((LISTED % ("a", 2), READER % ("g", 5), READER % ("h", 6)), 2, "another consumer than"),
    ((LISTED % ("a", 2), READER % ("g", 5), READER % ("h", 5)), 0, "YES"),
    ((LISTED % ("a", 2), READER % ("g", 5), READER % ("g", 6)), 2, "where it is laid over"),
])  # fmt: skip
def test_files_must_belong_to_one_pipeline(
    tmp_path: Path, texts: tuple[str, ...], code: int, expected: str
) -> None:
    """The order of the files does not matter unless one overrides the other."""
    files = {f"{number}.txt": text for number, text in enumerate(texts)}
    assert_in_any_order(tmp_path, files, COPIES, code, expected)


KRAFT = "process.roles=broker,controller\nnode.id=1\nlog.dirs=/data\nmin.insync.replicas=2\n"
KRAFT += "default.replication.factor=3\ncontroller.quorum.voters=1@a:9093,2@b:9093,3@c:9093\n"
OUTAGE = "application.outage.ms=7200000"
HOUR = "      KAFKA_LOG_RETENTION_HOURS: 1\n"


@pytest.mark.parametrize(("one", "other", "more"), [
    ("log.retention.ms=604800000", "log.retention.ms=1000", ""),
    ("log.retention.bytes=-1", "log.retention.bytes=1000", ""),
    ("log.cleanup.policy=delete", "log.cleanup.policy=compact", "application.history=every"),
    ("message.max.bytes=1048588", "message.max.bytes=1000", "application.message.bytes=9"),
    ("min.insync.replicas=2", "min.insync.replicas=1", ""),
    ("unclean.leader.election.enable=false", "unclean.leader.election.enable=true", ""),
])  # fmt: skip
def test_the_last_of_two_lines_with_one_setting_counts(
    tmp_path: Path, one: str, other: str, more: str
) -> None:
    """Properties.load; this includes the settings that topics inherit from brokers."""
    settings, file = f"{COPIES} topic.replication.factor=3 {more}", tmp_path / "server.properties"
    limits = " application.largest.message.bytes=9000" if "message.max" in one else ""
    assert_file(file, f"{KRAFT}{one}\n{other}\n", "", settings + limits, 1, "^NO")
    assert_file(file, f"{KRAFT}{other}\n{one}\n", "", settings + limits, 0, "^YES")


@pytest.mark.parametrize(("hours", "milliseconds", "code"), [
    ((1, 2, 3), (1, 2, 3), 0), ((1, 2, 3), (1, 2), 1), ((1, 2, 3), (2, 3), 1), ((), (), 0),
    ((2,), (), 1), ((2,), (2,), 0),
])  # fmt: skip
def test_setting_names_are_resolved_for_each_broker(
    tmp_path: Path, hours: tuple[int, ...], milliseconds: tuple[int, ...], code: int
) -> None:
    """log.retention.ms overrides log.retention.hours of the same broker, not of another."""
    text = brokers(*[VOTERS % ABC] * 3)
    for number in (1, 2, 3):
        retention = HOUR if number in hours else ""
        retention += "      KAFKA_LOG_RETENTION_MS: 604800000\n" if number in milliseconds else ""
        text = text.replace(
            f"      KAFKA_NODE_ID: {number}\n", f"      KAFKA_NODE_ID: {number}\n{retention}"
        )
    file = tmp_path / "docker-compose.yml"
    assert_file(file, text, "", f"{COPIES} {OUTAGE}", code, "^YES" if code == 0 else "^NO")


MAKE = "kafka-topics.sh --create --topic a --replication-factor 3 --config min.insync.replicas=%d"


@pytest.mark.parametrize(("command", "code"), [
    (f"{MAKE % 2} --config min.insync.replicas=1", 1),
    (f"{MAKE % 1} --config min.insync.replicas=2", 0),
    (f"{MAKE % 2} --replication-factor 1", 1),
])  # fmt: skip
def test_the_last_of_two_equal_options_counts(tmp_path: Path, command: str, code: int) -> None:
    file = tmp_path / "make.sh"
    assert_file(file, f"#!/bin/sh\n{command}\n", "", COPIES, code, "^YES" if code == 0 else "^NO")


POLLS = """import org.apache.kafka.clients.consumer.*;
class A { void run() {
Properties p = new Properties();
p.put("group.id", "g");
p.put("auto.offset.reset", "earliest");
p.put("enable.auto.commit", "false");
KafkaConsumer<String, String> c = new KafkaConsumer<>(p);
%s
while (true) { for (var r : c.poll(d)) work(r); c.commitSync(); }
} }
"""
PYTHON = """from confluent_kafka import Consumer, TopicPartition
c = Consumer({"group.id": "g", "auto.offset.reset": "earliest", "enable.auto.commit": False})
%s
while True:
    m = c.poll(1)
    if m is None:
        continue
    work(m)
    c.commit(m)
"""
ON_ASSIGN = (
    "def given(c, parts):\n    c.assign([TopicPartition(p.topic, p.partition) for p in parts])\n"
)


@pytest.mark.parametrize(("name", "text", "code", "expected"), [
    ("A.java", POLLS % 'c.subscribe(List.of("t"));', 0, "YES"),
    ("A.java", POLLS % 'c.assign(List.of(new TopicPartition("t", 0)));', 2, ":8: .*assign.. reads"),
    ("A.java", POLLS % '// c.subscribe(x)\nc.assign(List.of(new TopicPartition("t", 0)));', 2,
     ":9: .*assign.. reads only the partitions"),
    ("a.py", PYTHON % "c.subscribe(['t'])", 0, "YES"),
    ("a.py", PYTHON % "c.assign([TopicPartition('t', 0)])", 2, ":3: .*assign.. reads"),
    ("a.py", PYTHON % f"{ON_ASSIGN}c.subscribe(['t'], on_assign=given)", 0, "YES"),
    ("a.py", PYTHON % "d = frame.assign(a=1)\nc.subscribe(['t'])", 0, "YES"),
])  # fmt: skip
def test_a_program_that_assigns_partitions_reads_no_others(
    tmp_path: Path, name: str, text: str, code: int, expected: str
) -> None:
    settings = f"{TOPIC} application.restart=resumes"
    if name == "a.py":
        settings += " producer.enable.idempotence=true"
    assert_file(tmp_path / name, text, "", settings, code, expected)
