"""More realistic configurations of producers, topics, brokers and their images."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, LRK, STREAMS, C, assert_answer, assert_file

LARGE = "application.largest.message.bytes=5000000 producer.max.request.size=10485760 "
LARGE += "topic.max.message.bytes=10485760"
OFFSETS = "broker.offsets.topic.replication.factor"
LOG = "broker.transaction.state.log"
TRANSACTION = f"{C} producer.transactional.id=a application.commit=in-transaction"
TRANSACTION = TRANSACTION.replace("application.commit=after-processing ", "")
NO_VERSIONS = "api.version.request=false"
MEMORY = "/dev/shm/kafka"
SETTINGS = [
    # linger.ms passes before a record is sent for the first time (RecordAccumulator.ready), and
    # delivery.timeout.ms counts from send() (KIP-91)
    ("", f"{C} producer.linger.ms=110000 producer.request.timeout.ms=5000 "
     "producer.delivery.timeout.ms=120000", 1, "delivery.timeout.ms: 120000 -> 156000"),
    ("", f"{C} producer.linger.ms=89000", 1, "given_up in .*followers-slow"),
    ("", f"{C} producer.linger.ms=60000 producer.delivery.timeout.ms=106000", 0, "YES"),
    ("", f"{C} producer.linger.ms=60000 producer.delivery.timeout.ms=105999", 1,
     "delivery.timeout.ms: 105999 -> 120000"),
    (LRK, f"{C} producer.linger.ms=230000", 0, "YES"),
    (LRK, f"{C} producer.linger.ms=50000 producer.transactional.id=a", 1, "linger.ms: 50000 -> 5 "),
    # a batch that does not fit into a log segment (UnifiedLog.append) is not split
    ("", f"{C} topic.segment.bytes=1048576 {LARGE}", 1, "segment.bytes: 1048576 -> 1073741824"),
    ("", f"{C} {LARGE}", 0, "YES"),
    ("", f"{C} topic.segment.bytes=1048576", 0, "YES"),
    ("", f"{C} topic.segment.bytes=1048575", 2, "segment.bytes must be from 1048576"),
    ("", f"{C} topic.segment.bytes=1048576 topic.max.message.bytes=9000000 "
     "producer.batch.size=2000000", 1, "a Java client does not split a batch for that error"),
    ("--kafka 3.9", f"{C} topic.segment.bytes=1000", 1, "batch.size: 16384 -> 1000 "),
    # more copies than brokers (ReplicationControlManager): valid input, but nothing works
    ("--brokers 2 --format text", f"{C} {OFFSETS}=2", 1,
     "CANNOT WORK.*factor of 3 cannot be reached because only 2 .*Set replication.factor to 2"),
    ("", f"{C} topic.replication.factor=4", 1, "CANNOT WORK.*because only 3 broker.s. are regis"),
    ("--brokers 4", f"{C} topic.replication.factor=4", 0, "YES"),
    ("--brokers 2 --json", f"{C} {OFFSETS}=2", 1, '"obstacles": . . "setting": "topic.replicat'),
    ("--brokers 2 --format sarif", f"{C} {OFFSETS}=2", 1, "cannot-work/replication.factor"),
    ("--client streams", f"{STREAMS} streams.replication.factor=4", 1, "CANNOT WORK.*4 copies"),
    ("--client streams", f"{STREAMS} streams.replication.factor=0", 2, "cannot have 0 copies"),
    ("", f"{COPIES} topic.min.insync.replicas=2 broker.default.replication.factor=4", 1,
     "CANNOT WORK.*Set default.replication.factor to 3"),
    # before 3.7 a minimum above the number of copies refuses all writes, even a default one
    ("--kafka 3.6", f"{TRANSACTION} {LOG}.replication.factor=1", 1,
     "CANNOT WORK.*min.isr=2 by default is above transaction.state.log.replication.factor=1"),
    ("--kafka 3.7", f"{TRANSACTION} {LOG}.replication.factor=1", 1, "^NO(?!.*CANNOT WORK)"),
    ("--kafka 3.6", f"{C} {LOG}.replication.factor=1", 0, "YES"),
    ("--kafka 3.9", f"{C} topic.segment.bytes=14", 1, "CANNOT WORK.*segment.bytes: 14 -> 107374"),
    (f"{LRK} --kafka 3.9", f"{C} broker.log.segment.bytes=500000", 1, "1000000 -> 500000"),
    # librdkafka that does not request the API versions (rd_kafka_ApiVersion_is_queryable)
    (LRK, f"{C} producer.{NO_VERSIONS} producer.broker.version.fallback=0.9.0", 2, "before 0.10"),
    (LRK, f"{C} consumer.{NO_VERSIONS} consumer.broker.version.fallback=0.8.2", 2, "before 0.10"),
    (LRK, f"{C} producer.{NO_VERSIONS}", 0, "YES"),
    (LRK, f"{C} producer.{NO_VERSIONS} producer.broker.version.fallback=2.0", 0, "YES"),
    (LRK, f"{C} producer.broker.version.fallback=0.9.0", 0, "YES"),
    # brokers that accept no connections, or do not start (KafkaConfig.validateValues)
    ("", f"{C} broker.max.connections=0", 2, "lets no client connect"),
    ("", f"{C} broker.max.connections=2", 2, "fewer than a writer, a reader and a follower"),
    ("", f"{C} broker.max.connections=3", 0, "YES"),
    ("", f"{C} broker.max.connections.per.ip=0", 2, "can be set to zero only if"),
    ("", f"{C} broker.max.connections.per.ip=0 "
     "broker.max.connections.per.ip.overrides=10.0.0.1:9", 0, "YES"),
    ("", f"{C} broker.connection.failed.authentication.delay.ms=600000", 2, "always be less"),
    ("", f"{C} broker.connections.max.idle.ms=-1", 0, "YES"),
    # a folder in memory is empty after a reboot
    ("--kafka 3.9", f"{C} broker.log.dirs={MEMORY}", 1, "B007 high: .*log.dirs is in memory"),
    ("--kafka 3.9", f"{C} broker.log.dirs=/data,/run/kafka", 1, "disk.lost=returns-empty"),
    ("--kafka 3.9", f"{C} broker.log.dirs=/runner/kafka", 0, "YES"),
    ("--kafka 3.9", f"{C} broker.log.dirs={MEMORY} application.disk.lost=replica-elected", 0,
     "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, settings, code, expected)


HEAD = "Topic: t\tTopicId: x\tPartitionCount: 2\tReplicationFactor: 3\tConfigs: "
HEAD += "min.insync.replicas=2\n"
ROW = "\tTopic: t\tPartition: {0}\tLeader: 1\tReplicas: {1}\tIsr: {1}{2}\n"
IN_SYNC = HEAD + ROW.format(0, "1,2,3", "")
DYNAMIC = "Dynamic configs for broker {} are:\n  min.insync.replicas={} sensitive=false synonyms={{"
DYNAMIC += "DYNAMIC_BROKER_CONFIG:min.insync.replicas={}}}\n"


def compose(*brokers: str, image: str = "apache/kafka:4.1.0") -> str:
    """Returns a broker with a volume for each text of variables, `NAME=value NAME=value`."""
    logs = "KAFKA_CFG_LOG_DIRS" if image == BITNAMI else "KAFKA_LOG_DIRS"
    lines = ["services:"]
    for number, variables in enumerate(brokers):
        lines += [f"  k{number}:", f"    image: {image}", f"    volumes: ['d{number}:/var/k']"]
        lines += ["    environment:", f"      - {logs}=/var/k"]
        common = f"KAFKA_NODE_ID={number} KAFKA_DEFAULT_REPLICATION_FACTOR=3"
        lines += [f"      - {row}" for row in f"{common} {variables}".split()]
    return "\n".join(lines) + "\n"


MIN_ISR, CFG = "KAFKA_MIN_INSYNC_REPLICAS", "KAFKA_CFG_MIN_INSYNC_REPLICAS"
UNCLEAN = "KAFKA_UNCLEAN_LEADER_ELECTION_ENABLE"
BITNAMI = "docker.io/bitnamilegacy/kafka:3.9.0"
FILES = [
    # the first line states only the copies of the first partition (TopicCommand)
    (IN_SYNC + ROW.format(1, "2,3,1", ""), 0, "YES"),
    (IN_SYNC + ROW.format(1, "2", ""), 1, "replication.factor: 1 -> 3"),
    (IN_SYNC + ROW.format(1, "2,3,1", "\tAdding Replicas: \tRemoving Replicas: 3,1"), 1, "1 -> 3"),
    (IN_SYNC + ROW.format(1, "1,2,3,4", "\tAdding Replicas: 4\tRemoving Replicas: 1"), 0, "YES"),
    # if brokers differ, any of them may decide
    (DYNAMIC.format(1, 1, 1) + DYNAMIC.format(2, 2, 2), 1, "another broker's on line 2 is weaker"),
    (DYNAMIC.format(1, 2, 2) + DYNAMIC.format(2, 1, 1), 1, "weaker than another broker's on line"),
    (compose(f"{MIN_ISR}=1", f"{MIN_ISR}=2", f"{MIN_ISR}=2"), 1, "min.insync.replicas: 1 -> 2"),
    (compose(*(f"{MIN_ISR}=2 {UNCLEAN}={word}" for word in ("true", "false", "false"))), 1,
     "weaker"),
    (compose(*(f"{MIN_ISR}=2 KAFKA_LOG_RETENTION_MS={ms}" for ms in (9, -1, -1))), 1,
     "retention.ms"),
    (compose(*[f"{MIN_ISR}=2"] * 3), 0, "YES"),
    (compose(f"{MIN_ISR}=2", f"{MIN_ISR}=2", ""), 1, "is not set on every server, so that its def"),
    # libkafka.sh of Bitnami's image, kafka_create_alias_environment_variables
    (compose(*[f"{CFG}=2"] * 3, image=BITNAMI), 0, "YES"),
    (compose(*[f"{MIN_ISR}=2"] * 3, image=BITNAMI), 1,
     "reads KAFKA_CFG_MIN_INSYNC_REPLICAS instead"),
    (compose(*[f"{CFG}=2"] * 3), 1, "does not read KAFKA_CFG_"),
    (compose(*[f"{CFG}=2"] * 3, image="registry.example/ours:1"), 0, "YES"),
    # each container has its own /dev/shm
    (compose(*[f"{MIN_ISR}=2"] * 3, image="apache/kafka:3.9.0").replace("=/var/k", f"={MEMORY}"), 1,
     "disk.lost=each-restart"),
    # during a rolling upgrade, the oldest broker is the weakest
    (compose(*[f"{MIN_ISR}=2"] * 3).replace("4.1.0", "3.7.0", 1), 0, "of Kafka 3.7.*the oldest is"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code", "expected"), FILES)
def test_files_get_the_expected_answer(tmp_path: Path, text: str, code: int, expected: str) -> None:
    path = tmp_path / ("docker-compose.yml" if text.startswith("services") else "t.txt")
    factor = "" if "Replicas: " in text else "topic.replication.factor=3"
    assert_file(path, text, "--brokers 3", f"{COPIES} {factor}", code, expected)


def test_a_bitnami_container_reads_only_cfg_variables(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(
        "apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: k}\nspec:\n  replicas: 3\n"
        "  template:\n    spec:\n      containers:\n      - name: k\n"
        f"        image: {BITNAMI}\n        env:\n"
        f"        - {{name: {MIN_ISR}, value: '2'}}\n"
        "        - {name: KAFKA_DEFAULT_REPLICATION_FACTOR, value: '3'}\n"
        "  volumeClaimTemplates: [{metadata: {name: d}}]\n"
    )
    assert_answer(str(path), f"{COPIES} topic.replication.factor=3", 1, "Bitnami's image reads")


VOLUMES = """
apiVersion: apps/v1
kind: StatefulSet
metadata: {{name: k}}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: k
        image: apache/kafka:3.9.0
        env:
        - {{name: KAFKA_MIN_INSYNC_REPLICAS, value: '2'}}
        - {{name: KAFKA_LOG_DIRS, value: {folder}}}
        volumeMounts: [{{name: d, mountPath: /data}}, {{name: l, mountPath: /lasting}}]
      volumes: [{{name: d, emptyDir: {{}}}}]
  volumeClaimTemplates: [{{metadata: {{name: l}}}}]
"""


@pytest.mark.parametrize(("folder", "code", "expected"), [
    ("/data/kafka", 1, "logs without a volume that outlives its pod"), ("/lasting/kafka", 0, "YES"),
    ("/lasting,/data", 1, "logs without a volume"), ("/elsewhere", 1, "logs without a volume"),
])  # fmt: skip
def test_the_volume_that_holds_the_logs_counts(
    tmp_path: Path, folder: str, code: int, expected: str
) -> None:
    text = VOLUMES.format(folder=f'"{folder}"').lstrip()
    settings = f"{COPIES} topic.replication.factor=3"
    assert_file(tmp_path / "s.yaml", text, "", settings, code, expected)


@pytest.mark.parametrize("name", ["producer.acks", "app.kafka.producer.acks"])
def test_client_settings_with_a_prefix_are_not_skipped(tmp_path: Path, name: str) -> None:
    text = f"bootstrap.servers=x\nkey.serializer=y\n{name}=0\n"
    message = "State acks in a file of the producer"
    assert_file(tmp_path / "c.properties", text, "--producer", C, 2, message)


@pytest.mark.parametrize(("number", "code", "expected"), [
    ("604_800_000", 0, "YES"), ("0x240c8400", 0, "YES"), ("0_1", 1, "retention.ms: 1 -> "),
    ("1:30", 2, "whole number"), ("6.048e+8", 2, "whole number"),
])  # fmt: skip
def test_yaml_numbers_are_read_as_numbers(
    tmp_path: Path, number: str, code: int, expected: str
) -> None:
    """Strimzi and Kubernetes read these values as numbers, and pass the numbers on."""
    path = tmp_path / "k.yaml"
    path.write_text(
        "apiVersion: kafka.strimzi.io/v1\nkind: KafkaTopic\nmetadata: {name: t}\nspec:\n"
        f"  replicas: 3\n  config: {{min.insync.replicas: 02, retention.ms: {number}}}\n"
    )
    assert_answer(str(path), f"{COPIES} application.outage.ms=3600000", code, expected)
