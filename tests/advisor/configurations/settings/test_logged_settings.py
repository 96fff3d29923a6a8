"""What clients and brokers log when they start, with all defaults."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from advisor.catalog.facts import facts
from tests.advisor.configurations.asking import TOPIC, assert_file

READS = f"{TOPIC} application.commit=after-processing application.restart=resumes"
SERVER = {
    "process.roles": "[broker, controller]", "node.id": "1", "log.dirs": "/data",
    "controller.quorum.voters": "[1@a:9093, 2@b:9093, 3@c:9093]", "min.insync.replicas": "2",
    "controller.listener.names": "CONTROLLER", "default.replication.factor": "3",
    "listeners": "PLAINTEXT://:9092,CONTROLLER://:9093",
}  # fmt: skip
SENDER = {"bootstrap.servers": "[k:9092]", "key.serializer": "class a.B", "acks": "-1"}
READER = {
    "bootstrap.servers": "[k:9092]", "group.id": "g", "auto.offset.reset": "earliest",
    "enable.auto.commit": "false",
}  # fmt: skip


def _logged(config: str, product: str, line: str, stated: Mapping[str, str]) -> str:
    """The lines of AbstractConfig.logAll at a release line, with all defaults."""
    lines = [f"2026-12-01 10:00:00 INFO  a.b.{config} : {config} values: "]
    for fact in facts(product, line).values():
        text = "null" if fact.default in (None, "required") else str(fact.default)
        text = {"boolean": text.lower(), "list": f"[{text}]"}.get(fact.type or "", text)
        text = "[hidden]" if fact.type == "password" else text
        lines.append(f"\t{fact.name} = {stated.get(fact.name, text.replace('[null]', 'null'))}")
    return "\n".join([*lines, "", ""])


def _clients(line: str, sender: Mapping[str, str], reader: Mapping[str, str]) -> str:
    producer = _logged("ProducerConfig", "java_producer", line, {**SENDER, **sender})
    return producer + _logged("ConsumerConfig", "java_consumer", line, {**READER, **reader})


@pytest.mark.parametrize("line", ["2.8", "3.0", "3.9", "4.0", "4.3", "4.4"])
def test_all_settings_that_clients_log_are_read(tmp_path: Path, line: str) -> None:
    options = f"--kafka 4.0 --client-version {line}"
    assert_file(tmp_path / "a.log", _clients(line, {}, {}), options, READS, 0, "^YES")


@pytest.mark.parametrize("line", ["3.3", "3.9", "4.0", "4.3"])
def test_all_settings_that_brokers_log_are_read(tmp_path: Path, line: str) -> None:
    text = _logged("KafkaConfig", "broker", line, SERVER)
    settings = READS.replace(TOPIC, "") + " consumer.auto.offset.reset=earliest"
    settings += " consumer.enable.auto.commit=false"
    assert_file(tmp_path / "a.log", text, f"--kafka {line}", settings, 0, "^YES.*controllers=3")
    weak = text.replace("min.insync.replicas = 2", "min.insync.replicas = 1")
    assert_file(tmp_path / "a.log", weak, f"--kafka {line}", settings, 1, "replicas: 1 -> 2")


STREAMS = "StreamsConfig values:\n\tapplication.id = a\n\tprocessing.guarantee = exactly_once_v2\n"
ADMIN = "AdminClientConfig values:\n\tbootstrap.servers = [k:9092]\n\tretries = 2147483647\n"
WORKER = "DistributedConfig values:\n\tbootstrap.servers = [k:9092]\n\tgroup.id = connect\n"
CLIENTS = _clients("4.3", {}, {})
OTHER = _clients("4.3", {"acks": "1", "enable.idempotence": "false"}, {})
CASES = [
    (_clients("4.3", {"acks": "1", "enable.idempotence": "false"}, {}), "", 1, "acks: 1 -> all"),
    (_clients("4.3", {}, {"auto.offset.reset": "latest"}), "", 1, "latest -> earliest"),
    # a client that has started was not refused
    (_clients("4.3", {}, {"group.protocol": "consumer"}), "", 0, "^YES"),
    (_clients("4.3", {"linger.ms": "100000"}, {}), "", 1, "delivery.timeout.ms: 130000 -> "),
    # no id of transactions, and no static member
    (CLIENTS, "", 0, "^YES(?!.*group.instance.id)(?!.*transactional.id)"),
    (CLIENTS + OTHER, "", 2, "several producers with different settings.*--only \"line 1\""),
    (CLIENTS + CLIENTS, "", 0, "^YES"),
    (CLIENTS + ADMIN, "", 0, "^YES.*AdminClientConfig belongs to another client and is not read"),
    (ADMIN, "", 2, "no producer, consumer or broker logs its settings here"),
    (CLIENTS + STREAMS, "", 2, "settings of Kafka Streams, which does not log"),
    (CLIENTS + WORKER, "", 2, "settings of Kafka Connect"),
    (CLIENTS.replace("ConsumerConfig values", "ShareConsumerConfig values"), "", 2, "share group"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options", "code", "expected"), CASES)
def test_logged_settings_get_the_expected_answer(
    tmp_path: Path, text: str, options: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "app.log", text, options, READS, code, expected)
