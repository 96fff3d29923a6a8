"""Exports as YAML, JSON, HCL and scripts: their shape, and the escaping of hostile values."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Component, Family, Kind, Setting, Value, lookup, parse
from advisor.catalog.model import SettingError
from advisor.export import Stamp, exports_for, find
from advisor.export.choice import Chosen
from advisor.export.terraform import quoted
from advisor.export.yaml_document import document, scalar
from advisor.reasoning.pipeline import Pipeline

STAMP = Stamp("7", "4.3", "java 4.3", "http://127.0.0.1:8000/pipelines/abc/")
Settings = dict[Component, dict[str, Value]]

HOSTILE = [
    "no", "yes", "null", "~", "1e3", "0x10", "012", "1_000", ".inf", "12:30:45", "2026-11-21",
    "-", "-x", "---", "...", "=", "<<", "true", "NaN", "a: b", "a #b", "'", '"', "\\", "{{x}}",
    "${HOME}", "$${x}", "%{if true}", "#{x}", "$(reboot)", "`id`", "!!python/object:x", "&a", "*a",
    "é", "日本", "\U0001f600", "\u2028", "\x85", "'; rm -rf / #", '"]}, "x": "',
    "%", "@x", "|", ">",
]  # fmt: skip
YOURS = "YOUR-transactional.id"
ANY_TEXT = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=40))


def _rendered(name: str, settings: Settings, family: Family = Family.JAVA) -> str:
    version = "2.16" if family is Family.LIBRDKAFKA else "4.3"
    pipeline = Pipeline(family, version, settings=settings)
    export = find(name)
    assert export is not None
    assert export.applies(pipeline)
    return export.render(pipeline, STAMP)


def text_setting(text: str) -> Chosen:
    """A text setting with this value, without validation by the catalog."""
    setting = Setting(Component.PRODUCER, "transactional.id", Kind.TEXT, None, "", "")
    return Chosen(setting, text, stated=True)


@given(ANY_TEXT)
def test_yaml_reads_every_text_back_as_text(text: str) -> None:
    written = document({"key": scalar(text_setting(text))})
    assert written.isascii()
    assert len(written.splitlines()) == 1
    assert yaml.safe_load(written) == {"key": text}


@given(ANY_TEXT)
def test_hcl_text_contains_no_template_and_no_unescaped_quote(text: str) -> None:
    written = quoted(text)
    assert re.fullmatch(r'"(?:[^"\\\n]|\\[nrt"\\]|\\u[0-9a-f]{4}|\\U[0-9a-f]{8})*"', written)
    assert "${" not in written
    assert "%{" not in written
    assert _read_hcl(written) == text


def _read_hcl(literal: str) -> str:
    """Reads HCL's quoted template by its specification, with the result of hashicorp/hcl 2.25."""
    escapes = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}

    def unescape(match: re.Match[str]) -> str:
        kind, digits = match[0][1], match[0][2:]
        return escapes.get(kind) or chr(int(digits, 16))

    return re.sub(r"\\u[0-9a-f]{4}|\\U[0-9a-f]{8}|\\.", unescape, literal[1:-1])


@pytest.mark.parametrize("text", HOSTILE)
@pytest.mark.parametrize("family", [Family.JAVA, Family.LIBRDKAFKA])
def test_a_hostile_transactional_id_is_in_no_export(family: Family, text: str) -> None:
    version = "2.16" if family is Family.LIBRDKAFKA else "4.3"
    setting = lookup(family, version, "4.3", Component.PRODUCER, "transactional.id")
    try:
        value = parse(setting, text)
    except SettingError:
        return
    assert value == "stated"
    pipeline = Pipeline(family, version, settings={Component.PRODUCER: {"transactional.id": value}})
    for export in exports_for(pipeline):
        assert _transactional_id(export.name, export.render(pipeline, STAMP)) in (YOURS, None)


def _transactional_id(name: str, text: str) -> object:
    match name:
        case "spring-boot":
            return yaml.safe_load(text)["spring"]["kafka"]["producer"]["transaction-id-prefix"]
        case "librdkafka-json":
            return json.loads(text)["producer"]["transactional.id"]
        case "confluent-python":
            names: dict[str, Any] = {}
            exec(text.split("def ")[0], names)
            return names["PRODUCER"]["transactional.id"]
        case _:
            return None


def test_spring_is_not_offered_for_a_value_with_a_placeholder() -> None:
    export = find("spring-boot")
    assert export is not None
    for text, offered in (("orders", True), ("${HOME}", False)):
        settings: Settings = {Component.PRODUCER: {"transactional.id": text}}
        assert export.applies(Pipeline(settings=settings)) is offered


def test_spring_boot_uses_springs_names_and_properties_for_the_rest() -> None:
    settings: Settings = {
        Component.PRODUCER: {"acks": "1", "linger.ms": 20},
        Component.CONSUMER: {"enable.auto.commit": False, "max.poll.interval.ms": 9000},
        Component.APPLICATION: {"commit": "after-processing"},
    }
    kafka = yaml.safe_load(_rendered("spring-boot", settings))["spring"]["kafka"]
    assert kafka["producer"]["acks"] == "1"
    assert kafka["producer"]["properties"]["[linger.ms]"] == 20
    assert kafka["producer"]["properties"]["[enable.idempotence]"] is False
    assert kafka["consumer"]["enable-auto-commit"] is False
    assert kafka["consumer"]["properties"] == {"[max.poll.interval.ms]": 9000}
    assert kafka["listener"] == {"ack-mode": "batch"}


def test_spring_gets_no_ack_mode_for_automatic_commits() -> None:
    settings: Settings = {Component.CONSUMER: {"enable.auto.commit": True}}
    assert "listener" not in yaml.safe_load(_rendered("spring-boot", settings))["spring"]["kafka"]


def test_strimzi_has_a_topic_and_a_patch_of_the_cluster() -> None:
    settings: Settings = {
        Component.TOPIC: {"replication.factor": 3, "cleanup.policy": "compact,delete"},
        Component.BROKER: {"unclean.leader.election.enable": False, "log.dirs": "/data"},
    }
    topic = yaml.safe_load(_rendered("strimzi-topic", settings))
    assert (topic["apiVersion"], topic["kind"]) == ("kafka.strimzi.io/v1", "KafkaTopic")
    assert topic["metadata"]["labels"] == {"strimzi.io/cluster": "my-cluster"}
    assert topic["spec"]["replicas"] == 3
    assert topic["spec"]["config"]["cleanup.policy"] == "compact,delete"
    assert "replication.factor" not in topic["spec"]["config"]
    patch = yaml.safe_load(_rendered("strimzi-kafka", settings))
    assert patch == {"spec": {"kafka": {"config": {"unclean.leader.election.enable": False}}}}


def test_terraform_has_the_topic_with_the_names_of_the_provider() -> None:
    settings: Settings = {Component.TOPIC: {"replication.factor": 3, "min.insync.replicas": 2}}
    text = _rendered("terraform", settings)
    assert text.endswith("""
resource "kafka_topic" "this" {
  name               = var.topic
  partitions         = var.partitions
  replication_factor = 3

  config = {
    "min.insync.replicas"            = "2"
    "unclean.leader.election.enable" = "false"
  }
}
""")


DESCRIBED = (
    "Topic: orders\tTopicId: x\tPartitionCount: 3\tReplicationFactor: 1\tConfigs: a=b\n"
    "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\tElr: \tLastKnownElr: \n"
    "\tTopic: orders\tPartition: 1\tLeader: 3\tReplicas: 3,1\tIsr: 3,1\tAdding Replicas: 2\n"
    "\tTopic: ordersX\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    "\tTopic: orders\tPartition: 2\tLeader: none\tReplicas: 2\tIsr: \n"
)


def reassign(folder: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    script = folder / "reassign.sh"
    script.write_text(_rendered("reassignment", {Component.TOPIC: {"replication.factor": 3}}))
    (folder / "described").write_text(DESCRIBED)
    for command, body in (
        ("kafka-topics.sh", f"cat {folder}/described"),
        ("kafka-reassign-partitions.sh", 'printf "%s\\n" "$@"'),
    ):
        stand_in = folder / command
        stand_in.write_text(f"#!/bin/sh\n{body}\n")
        stand_in.chmod(0o755)
    environment = {"PATH": f"{folder}:/usr/bin:/bin", "BOOTSTRAP_SERVERS": "127.0.0.1:1", **more}
    return subprocess.run(
        ["sh", script, *words], env=environment, cwd=folder, text=True, capture_output=True,
        check=False,
    )  # fmt: skip


def test_the_plan_keeps_copies_and_leaders_and_adds_brokers_in_turn(tmp_path: Path) -> None:
    done = reassign(tmp_path, "plan", TOPIC="orders", BROKERS="1,2,3")
    assert done.returncode == 0, done.stderr
    plan = json.loads((tmp_path / "reassignment.json").read_text())
    assert plan["version"] == 1
    assert [(partition["topic"], partition["partition"]) for partition in plan["partitions"]] == [
        ("orders", 0), ("orders", 1), ("orders", 2)
    ]  # fmt: skip
    replicas = [partition["replicas"] for partition in plan["partitions"]]
    assert replicas == [[1, 2, 3], [3, 1, 2], [2, 3, 1]]


@pytest.mark.parametrize(("more", "words"), [
    ({"TOPIC": "orders", "BROKERS": "1,3"}, "Too few brokers for partition 0"),
    ({"TOPIC": "order.", "BROKERS": "1,2,3"}, "There is no topic order."),
    ({"BROKERS": "1,2,3"}, "the name of the topic"),
    ({"TOPIC": "orders"}, "the ids of all brokers"),
])  # fmt: skip
def test_an_impossible_plan_is_refused_and_writes_no_file(
    tmp_path: Path, more: dict[str, str], words: str
) -> None:
    done = reassign(tmp_path, "plan", **more)
    assert done.returncode != 0
    assert words in done.stderr
    assert not (tmp_path / "reassignment.json").exists()


def test_kafka_reassign_partitions_executes_and_verifies_the_plan(tmp_path: Path) -> None:
    done = reassign(tmp_path, "execute", THROTTLE="1000000")
    assert done.stdout.split() == [
        "--bootstrap-server", "127.0.0.1:1", "--reassignment-json-file", "reassignment.json",
        "--throttle", "1000000", "--execute",
    ]  # fmt: skip
    assert reassign(tmp_path, "verify").stdout.split()[-1] == "--verify"
    assert reassign(tmp_path, "now").returncode == 2
