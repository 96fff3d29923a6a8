"""Whether KRaft or ZooKeeper keeps the metadata, as files and live clusters of 3.3 to 3.9 imply."""

from __future__ import annotations

import pytest

from advisor.catalog import Family
from advisor.intake import Entry, Intake, Product
from advisor.intake.cluster.config_sources import STATIC_BROKER
from advisor.intake.registry import read
from tests.advisor.intake import test_live as live

MODE = "application.metadata.mode"
ROLES, CONNECT = "process.roles=broker,controller\n", "zookeeper.connect=zk-1:2181\n"
COMPOSE = "services: {k: {image: 'apache/kafka:%s', environment: {KAFKA_BROKER_ID: 1, %s}}}"
STRIMZI = """apiVersion: kafka.strimzi.io/v1beta2
kind: Kafka
metadata: {annotations: {%s}}
spec:
  kafka: {version: %s, replicas: 3}
  zookeeper: {replicas: 3}
"""


def product_of(line: str) -> Product:
    return Product(Family.JAVA, "4.3", line)


def mode(intake: Intake) -> object:
    assert not intake.problems
    return intake.settings.get(MODE)


@pytest.mark.parametrize(("line", "text", "message"), [
    ("3.3", CONNECT, "zookeeper"), ("3.9", CONNECT, "zookeeper"), ("3.9", ROLES, "kraft"),
    # A controller that takes over from ZooKeeper has both; its roles state what it runs as.
    ("3.9", CONNECT + ROLES, "kraft"), ("3.9", ROLES + CONNECT, "kraft"),
    ("3.9", "process.roles=\n" + CONNECT, "zookeeper"), ("3.9", "min.insync.replicas=2\n", None),
    ("3.2", CONNECT, None), ("4.0", ROLES, None),
])  # fmt: skip
def test_a_broker_file_states_the_mode_of_a_version_that_has_both(
    line: str, text: str, message: str | None
):
    intake = read(f"{text}log.retention.hours=9\n", product_of(line), "broker-properties")
    assert mode(intake) == message
    assert not any("metadata.mode" in note for note in intake.notes)
    if message:
        evidence = "process.roles=b" if message == "kraft" else "zookeeper.connect"
        assert text.splitlines()[intake.lines[MODE] - 1].startswith(evidence)
        assert not any(f"{evidence.partition('=')[0]} is not" in note for note in intake.notes)


@pytest.mark.parametrize(("line", "variable", "message"), [
    ("3.6.1", "KAFKA_ZOOKEEPER_CONNECT: 'zk:2181'", "zookeeper"),
    ("3.6.1", "KAFKA_CFG_ZOOKEEPER_CONNECT: 'zk:2181'", "zookeeper"),
    ("3.6.1", "KAFKA_CFG_PROCESS_ROLES: 'broker'", "kraft"),
    ("4.1.0", "KAFKA_PROCESS_ROLES: 'broker'", None),
    ("3.1.0", "KAFKA_ZOOKEEPER_CONNECT: 'zk:2181'", None),
])  # fmt: skip
def test_the_environment_of_a_container_states_the_mode(
    line: str, variable: str, message: str | None
):
    text = COMPOSE % (line, variable)
    if "CFG" in variable:
        text = text.replace("apache/", "bitnami/")
    assert mode(read(text, product_of("4.3"), "compose")) == message


@pytest.mark.parametrize(("note", "line", "message"), [
    ("", "3.6.1", "zookeeper"), ("strimzi.io/kraft: enabled", "3.6.1", None), ("", "3.2.3", None),
])  # fmt: skip
def test_a_strimzi_resource_states_the_mode(note: str, line: str, message: str | None):
    assert mode(read(STRIMZI % (note, line), product_of("4.3"), "strimzi")) == message


@pytest.mark.parametrize(("line", "name", "message"), [
    ("3.6", "zookeeper.connect", "zookeeper"), ("3.6", "process.roles", "kraft"),
    ("3.1", "zookeeper.connect", None), ("4.3", "process.roles", None),
])  # fmt: skip
def test_a_live_cluster_states_the_mode(line: str, name: str, message: str | None):
    entries = live.broker(line, Entry(name, "zk:2181", STATIC_BROKER))
    intake, places = live.read(live.cluster_state(brokers=[entries, entries]))
    assert mode(intake) == message
    assert places.get(MODE) == (f"{name} in the broker's file" if message else None)
    assert not any(f"{name} is not" in note for note in intake.notes)
    assert live.has_note(intake, "settings that are set") == (message is None)


def test_each_service_of_a_compose_file_has_its_own_role_and_settings() -> None:
    """With dedicated controllers the brokers' own minimum has no effect from 4.1 on."""
    service = "  {name}:\n    image: apache/kafka:4.3.1\n    environment:\n{own}"
    broker = service.format(
        name="broker",
        own="      KAFKA_NODE_ID: 2\n      KAFKA_PROCESS_ROLES: broker\n"
        "      KAFKA_MIN_INSYNC_REPLICAS: 2\n",
    )
    controller = service.format(
        name="controller",
        own="      KAFKA_NODE_ID: 1\n      KAFKA_PROCESS_ROLES: controller\n{more}",
    )
    product = Product(Family.JAVA, "4.3", "4.3")
    without_minimum = read(f"services:\n{controller.format(more='')}{broker}", product)
    assert "broker.min.insync.replicas" not in without_minimum.settings
    assert any("min.insync.replicas is not read" in note for note in without_minimum.notes)
    text = "      KAFKA_MIN_INSYNC_REPLICAS: 2\n"
    with_minimum = read(f"services:\n{controller.format(more=text)}{broker}", product)
    assert with_minimum.settings["broker.min.insync.replicas"] == 2
