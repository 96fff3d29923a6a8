"""Realistic configurations of controllers, their number, and where they store metadata."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import C, assert_answer, assert_file

LOSE_TWO = "--survive 2 --brokers 5"
FIVE_COPIES = C.replace("factor=3", "factor=5").replace("replicas=2", "replicas=3")
FIVE_COPIES += (
    " broker.offsets.topic.replication.factor=5 application.offsets.topic.min.insync.replicas=3"
)

SETTINGS = [
    # for a single stated setting, the only mode of the cluster shows whose voters these are
    ("", f"{C} broker.controller.quorum.voters=1@a:9093", 1, "controllers: 1 -> 3 "),
    ("", f"{C} broker.controller.quorum.voters=1@a:9093,2@b:9093,3@c:9093", 0, "YES"),
    ("--kafka 3.9", f"{C} broker.controller.quorum.voters=1@a:9093", 0, "not taken into account"),
    # brokers delete replicas that the metadata do not contain (KAFKA-14616)
    ("", f"{C} application.controllers=1", 1, "controllers: 1 -> 3 .*is on this machine only"),
    ("--survive 0", f"{C} application.controllers=1", 0, "YES"),
    ("--survive 0", f"{C} application.controllers=1 application.disk.lost=each-restart", 1,
     "is on this machine only"),
    ("", f"{C} application.controllers=2", 0, "YES.*1 of these may be lost for good"),
    ("--survive 2 --brokers 5", f"{C} topic.replication.factor=5 topic.min.insync.replicas=3 "
     "application.controllers=2", 1, "controllers: 2 -> 5 "),
    ("", f"{C} application.controllers=3", 0, "YES.*1 may be down"),
    # records on a majority are committed (kraft.md: 3 controllers tolerate the loss of one)
    (LOSE_TWO, f"{FIVE_COPIES} application.controllers=3", 1,
     "controllers: 3 -> 5 .*been on these only"),
    (LOSE_TWO, f"{FIVE_COPIES} application.controllers=4", 0,
     "YES.*2 of these may be lost for good"),
    (LOSE_TWO, f"{FIVE_COPIES} application.controllers=5", 0, "YES.*2 may be down"),
    (f"{LOSE_TWO} --kafka 3.2", f"{FIVE_COPIES} application.zookeeper.servers=3", 1,
     "servers: 3 -> 5 "),
    ("--kafka 3.2", C, 0, "YES"),
    # the broker that dies is also the active controller
    ("", f"{C} broker.broker.session.timeout.ms=100000", 1,
     "^NO(?!.*Not possible).*max.block.ms: 60000 -> 105025"),
    ("", f"{C} broker.broker.session.timeout.ms=400000", 1,
     "^NO(?!.*Not possible).*delivery.timeout.ms: 120000 -> 405025"),
    # a broker shuts down before it is registered (BrokerLifecycleManager)
    ("", f"{C} broker.controller.quorum.append.linger.ms=60000", 1,
     "linger.ms to 25, the product's default, or leave it unset. What breaks"),
    ("", f"{C} broker.controller.quorum.append.linger.ms=30000 "
     "broker.initial.broker.registration.timeout.ms=20000", 2, "leave both lines out"),
    ("", f"{C} broker.initial.broker.registration.timeout.ms=20000", 0, "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "settings", "code", "expected"), SETTINGS)
def test_settings_get_the_expected_answer(
    options: str, settings: str, code: int, expected: str
) -> None:
    assert_answer(options, settings, code, expected)


COMBINED = "process.roles=broker,controller\n"
VOTERS = "controller.quorum.voters="
SHM, TEMPORARY = "/dev/shm/kafka", "/tmp/kafka"
FILES = [
    ("", f"{COMBINED}{VOTERS}1@a:9093\n", 1, "controllers: 1 -> 3 "),
    ("", f"{COMBINED}{VOTERS}1@a:9093,2@b:9093,3@c:9093\n", 0, "YES.*controllers=3"),
    ("--survive 0", f"{COMBINED}{VOTERS}1@a:9093\n", 0, "YES"),
    # bootstrap servers do not show how many controllers there are (KIP-853)
    ("", f"{COMBINED}controller.quorum.bootstrap.servers=a:9093\n", 0, "YES.*controllers=unknown"),
    ("", f"{COMBINED}{VOTERS}a:9093\n", 2, "Each entry should be in the form `.id.@.host.:.port.`"),
    # during a migration from ZooKeeper
    ("--kafka 3.9", f"zookeeper.connect=z:2181\nzookeeper.metadata.migration.enable=true\n{VOTERS}"
     "1@a:9093\n", 0, "YES"),
    # a preview (KIP-833)
    ("--kafka 3.2", f"{COMBINED}{VOTERS}1@a:9093\n", 2, "for production since 3.3"),
    ("--kafka 2.8", "process.roles=broker\n", 2, "for production since 3.3"),
    ("--kafka 3.3", f"{COMBINED}{VOTERS}1@a:1,2@b:1,3@c:1\n", 0, "YES"),
    # the metadata are in metadata.log.dir, else in the first of log.dirs
    ("", f"{COMBINED}metadata.log.dir={SHM}\nlog.dirs=/data\n", 1, "metadata.log.dir is in memory"),
    ("", f"process.roles=controller\nlog.dirs={SHM}\n", 1, "log.dirs is in memory"),
    ("", f"process.roles=controller\nmetadata.log.dir={TEMPORARY}\n", 0, "copy of the metadata"),
    ("", "process.roles=controller\nmetadata.log.dir=/data\n", 0, "YES"),
    # log.dirs overrides log.dir (ServerLogConfigs)
    ("", f"log.dir={TEMPORARY}\n", 0, "B007 high"),
    ("", f"log.dir={TEMPORARY}\nlog.dirs=/data\n", 0, "log.dir is not taken"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "text", "code", "expected"), FILES)
def test_a_server_file_gets_the_expected_answer(
    tmp_path: Path, options: str, text: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "server.properties", text, f"{options} --broker", C, code, expected)


MIN_ISR = "      KAFKA_MIN_INSYNC_REPLICAS: 2\n"


def services(kafka: str, brokers: str, *controllers: str) -> str:
    """Returns a compose file with three brokers and dedicated controllers, with these variables."""
    rows = [(f"b{number}", number, "broker", brokers) for number in (1, 2, 3)]
    rows += [
        (f"c{at}", at, "controller", variables) for at, variables in enumerate(controllers, 101)
    ]
    texts = "".join(
        f"  {name}:\n    image: apache/kafka:{kafka}\n    environment:\n"
        f"      KAFKA_NODE_ID: {number}\n      KAFKA_PROCESS_ROLES: {role}\n"
        "      KAFKA_CONTROLLER_QUORUM_VOTERS: 101@c101:1,102@c102:1,103@c103:1\n"
        f"      KAFKA_DEFAULT_REPLICATION_FACTOR: 3\n      KAFKA_LOG_DIRS: /d\n{variables}"
        f"    volumes: ['{name}:/d']\n"
        for name, number, role, variables in rows
    )
    return f"services:\n{texts}volumes: {{{', '.join(f'{name}: ' for name, *_ in rows)}}}\n"


@pytest.mark.parametrize(("kafka", "brokers", "controllers", "code", "expected"), [
    ("4.3.0", MIN_ISR, (MIN_ISR, MIN_ISR, MIN_ISR), 0, "YES"),
    # any controller may be the active one
    ("4.3.0", MIN_ISR, (MIN_ISR, "", MIN_ISR), 1, "not set on every server, so that its default"),
    ("4.3.0", MIN_ISR, ("", MIN_ISR, MIN_ISR), 1, "not set on every server, so that its default"),
    ("4.3.0", "", (MIN_ISR, MIN_ISR, MIN_ISR), 0, "YES"),
    # before 4.1 the brokers decide
    ("4.0.0", MIN_ISR, ("", "", ""), 0, "YES"),
    ("4.0.0", "", (MIN_ISR, MIN_ISR, MIN_ISR), 1, "^NO"),
])  # fmt: skip
def test_a_controller_service_without_a_minimum_has_the_default(
    tmp_path: Path, kafka: str, brokers: str, controllers: tuple[str, ...], code: int, expected: str
) -> None:
    text = services(kafka, brokers, *controllers)
    rest = C.replace("topic.min.insync.replicas=2 ", "")
    assert_file(tmp_path / "compose.yml", text, "", rest, code, expected)
