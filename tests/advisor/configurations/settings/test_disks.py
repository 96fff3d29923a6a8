"""Realistic configurations with disks that are lost with a container, a pod or a machine."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import COPIES, TOPIC, assert_answer, assert_file

SAFE = "KAFKA_MIN_INSYNC_REPLICAS: 2\n      KAFKA_DEFAULT_REPLICATION_FACTOR: 3\n"
APACHE, CONFLUENT = "apache/kafka:4.1.0", "confluentinc/cp-kafka:8.1.0"
OLD = "confluentinc/cp-kafka:7.9.2"
DATA = "/var/lib/kafka/data"
NO_VOLUME, EMPTY = "no volume holds a broker's logs", "disk.lost=returns-empty"
KRAFT, WITH_ZOOKEEPER = "PROCESS_ROLES: broker,controller", "ZOOKEEPER_CONNECT: z1:2181"


def volume_at(path: str) -> str:
    """Returns a named volume for each broker, mounted at this path; `{}` is the broker's number."""
    return f"    volumes: ['d{{}}:{path}']\n"


def compose(image: str, volumes: str, *, mode: str = KRAFT, more: str = "", tail: str = "") -> str:
    """Returns three brokers with these volumes and settings; `tail` follows them."""
    text = "services:\n"
    for number in (1, 2, 3):
        text += f"  k{number}:\n    image: {image}\n{volumes.format(number)}    environment:\n"
        text += f"      KAFKA_NODE_ID: {number}\n      KAFKA_{mode}\n      {SAFE}{more}"
    return text + tail


def controllers(volumes: str) -> str:
    text = ""
    for number in (1, 2, 3):
        text += f"  c{number}:\n    image: {APACHE}\n{volumes.format(number)}    environment:\n"
        text += f"      KAFKA_NODE_ID: 1{number}\n      KAFKA_PROCESS_ROLES: controller\n"
        text += f"      {SAFE}"
    return text


def ensemble(servers: int, volumes: str, image: str = "confluentinc/cp-zookeeper:7.9.2") -> str:
    return "".join(
        f"  z{number}:\n    image: {image}\n{volumes.format(number)}"
        for number in range(1, servers + 1)
    )


AT_LOGS, AT_DATA = volume_at("/tmp/kafka-logs"), volume_at(DATA)
AT_ZOOKEEPER = volume_at("/var/lib/zookeeper")
BROKERS = "PROCESS_ROLES: broker"
COMPOSE = [
    # KafkaDockerWrapper: if a variable is set, the default folder of Kafka counts, below /tmp
    ("", compose(APACHE, AT_LOGS), 0, "YES"),
    ("", compose(APACHE, volume_at("/tmp")), 0, "YES.*run on one machine"),
    ("", compose(APACHE, ""), 1, EMPTY),
    ("--survive 0", compose(APACHE, ""), 0, "YES"),
    ("", compose(APACHE, AT_DATA), 1, NO_VOLUME),
    ("", compose(APACHE, AT_DATA, more=f"      KAFKA_LOG_DIRS: {DATA}\n"), 0, "YES"),
    ("", compose(APACHE, "    volumes: ['./a.properties:/etc/a.properties']\n"), 1, NO_VOLUME),
    ("", compose(APACHE, "    extends: {{file: a.yml, service: k}}\n"), 2, "extends another"),
    # the volume of an image has no name, and is replaced after `down`
    ("", compose(CONFLUENT, ""), 1, NO_VOLUME),
    ("", compose(CONFLUENT, f"    volumes: [{DATA}]\n"), 1, NO_VOLUME),
    ("", compose(CONFLUENT, "    volumes: ['./s:/etc/kafka/secrets']\n"), 1, NO_VOLUME),
    ("", compose(CONFLUENT, AT_DATA), 0, "YES"),
    ("", compose(CONFLUENT, f"    volumes: ['${{{{DIR:-./d}}}}/{{}}:{DATA}:rw']\n"), 0, "YES"),
    ("", compose(CONFLUENT, f"    volumes: ['C:\\d{{}}:{DATA}']\n"), 0, "YES"),
    ("", compose(CONFLUENT, "    volumes:\n    - type: volume\n      source: d{}\n"
                            "      target: /var/lib/kafka\n"), 0, "YES"),
    ("", compose(CONFLUENT, f"    volumes:\n    - type: volume\n      target: {DATA}\n"), 1,
     NO_VOLUME),
    ("", compose("bitnamilegacy/kafka:4.0.0", volume_at("/bitnami/kafka")).replace(
        "KAFKA_MIN", "KAFKA_CFG_MIN"), 0, "YES"),
    ("", compose("registry.example.com/own:1", volume_at("/own")), 0, "YES"),
    # dedicated controllers
    ("", compose(APACHE, AT_LOGS, mode=BROKERS, tail=controllers(AT_LOGS)), 0, "YES"),
    ("", compose(APACHE, AT_LOGS, mode=BROKERS, tail=controllers("")), 1,
     "metadata.disk.lost: returns-empty -> rebuilt"),
    ("--survive 0", compose(APACHE, AT_LOGS, mode=BROKERS, tail=controllers("")), 0, "YES"),
    ("--survive 0", compose(APACHE, AT_LOGS, mode=BROKERS,
                            tail=controllers("    tmpfs: [/tmp]\n")), 1,
     "metadata.disk.lost: each-restart -> rebuilt"),
    # ZooKeeper must survive the loss of a server
    ("", compose(OLD, AT_DATA, mode=WITH_ZOOKEEPER, tail=ensemble(3, AT_ZOOKEEPER)), 0, "YES"),
    ("", compose(OLD, AT_DATA, mode=WITH_ZOOKEEPER, tail=ensemble(1, AT_ZOOKEEPER)), 1,
     "zookeeper.servers: 1 -> 3"),
    ("", compose(OLD, AT_DATA, mode=WITH_ZOOKEEPER, tail=ensemble(3, "")), 1,
     "metadata.disk.lost: returns-empty -> rebuilt"),
    ("", compose(OLD, AT_DATA, mode=WITH_ZOOKEEPER,
                 tail=ensemble(3, volume_at("/data"), "zookeeper:3.9")), 0, "YES"),
    # a ZooKeeper that the brokers do not use
    ("", compose(APACHE, AT_LOGS, tail=ensemble(1, "")), 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "text", "code", "expected"), COMPOSE)
def test_a_compose_file_gets_the_expected_answer(
    tmp_path: Path, options: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "docker-compose.yml", text, options, COPIES, code, expected)


WORKLOAD = """apiVersion: apps/v1
kind: StatefulSet
metadata: {name: k}
spec:
  replicas: 3
  template:
    spec:
      containers:
      - name: k
        image: confluentinc/cp-kafka:8.1.0
        volumeMounts: [{name: d, mountPath: PLACE}]
        env:
        - {name: KAFKA_PROCESS_ROLES, value: 'WHO'}
        - {name: KAFKA_MIN_INSYNC_REPLICAS, value: '2'}
        - {name: KAFKA_DEFAULT_REPLICATION_FACTOR, value: '3'}
"""
CLAIM = "  volumeClaimTemplates: [{metadata: {name: d}}]\n"
COMBINED = WORKLOAD.replace("WHO", "broker,controller").replace("PLACE", DATA)
QUORUM = WORKLOAD.replace("WHO", "controller").replace("PLACE", DATA)
ON_NODE = "      volumes: [{name: d, hostPath: {path: /srv}}]\n"
ONE_CLAIM = "      volumes: [{name: d, persistentVolumeClaim: {claimName: x}}]\n"


def with_spec(more: str) -> str:
    """Returns the workload with this text added to the spec of its pods."""
    return COMBINED.replace("      containers:", f"{more}      containers:")


STRIMZI = """apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {name: k}
spec:
  kafka:
    version: 3.9.0
    replicas: 3
    storage: {type: persistent-claim}
    config: {min.insync.replicas: 2, default.replication.factor: 3}
  zookeeper: {replicas: %s, storage: {type: %s}}
"""
MANIFESTS = [
    (COMBINED + CLAIM, 0, "YES"),
    (COMBINED, 1, "logs without a volume that outlives its pod"),
    # the claim is mounted elsewhere
    (
        COMBINED.replace(DATA, "/elsewhere") + CLAIM,
        1,
        "logs without a volume that outlives its pod",
    ),
    (f"{COMBINED}{CLAIM}---\n{QUORUM}", 1, "metadata.disk.lost: each-restart -> rebuilt"),
    (f"{COMBINED}{CLAIM}---\n{QUORUM}{CLAIM}", 0, "YES"),
    # a folder of a node is lost when the pod moves to another node
    (with_spec(ON_NODE), 1, "logs without a volume that outlives"),
    (with_spec(ON_NODE + "      nodeSelector: {disk: ssd}\n"), 0, "YES"),
    # one volume for three brokers
    (with_spec(ONE_CLAIM), 1, "CANNOT WORK.*only 1 broker.s. are registered"),
    (STRIMZI % (3, "persistent-claim"), 0, "YES"),
    (STRIMZI % (1, "persistent-claim"), 1, "zookeeper.servers: 1 -> 3"),
    (STRIMZI % (3, "ephemeral"), 1, "metadata.disk.lost: each-restart -> rebuilt"),
]


@pytest.mark.parametrize(("text", "code", "expected"), MANIFESTS)
def test_manifests_get_the_expected_answer(
    tmp_path: Path, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "k.yaml", text, "", COPIES, code, expected)


SETTINGS = [
    ("--kafka 3.9", "application.zookeeper.servers=3", 2, "in KRaft mode state controllers"),
    ("--kafka 3.9", "application.metadata.mode=zookeeper application.controllers=3", 2,
     "State zookeeper.servers"),
    ("--kafka 3.2", "application.zookeeper.servers=1", 1, "zookeeper.servers: 1 -> 3"),
    ("--kafka 3.2", "application.zookeeper.servers=2", 0, r"\(0 may be down\)"),
    ("--kafka 3.2 --survive 0", "application.zookeeper.servers=1", 0, "YES"),
    ("", "application.metadata.disk.lost=returns-empty", 1, "votes for one that is behind"),
    ("--survive 0", "application.metadata.disk.lost=returns-empty", 0, "YES"),
    ("--survive 0", "application.metadata.disk.lost=each-restart", 1, "each-restart -> rebuilt"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, f"{COPIES} {TOPIC} {settings}", code, expected)


SHM = "/dev/shm/kafka"
METADATA = f"log.dirs=/data\nmetadata.log.dir={SHM}\n"
FILES = [
    (f"process.roles=controller\nlog.dirs={SHM}\n", "metadata.disk.lost: returns-empty"),
    (f"process.roles=broker,controller\n{METADATA}", "metadata.disk.lost: returns-empty"),
    (f"process.roles=broker\nlog.dirs={SHM}\n", "application.disk.lost=returns-empty"),
]


@pytest.mark.parametrize(("text", "expected"), FILES)
def test_a_server_file_gets_the_expected_answer(tmp_path: Path, text: str, expected: str) -> None:
    path = tmp_path / "server.properties"
    assert_file(path, text, "--broker", f"{COPIES} {TOPIC}", 1, expected)
