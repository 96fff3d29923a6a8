"""Exports: their contents, and that they never contain a value that the catalog refuses."""

from __future__ import annotations

import ast
import json
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.catalog import Component, Family, SettingError, Value
from advisor.export import Export, Stamp, all_exports, exports_for, find
from advisor.export.java_properties import escape
from advisor.intake.formats.java_properties import properties
from advisor.reasoning.pipeline import Pipeline

STAMP = Stamp("7", "4.3", "java 4.3", "http://127.0.0.1:8000/pipelines/abc/")
_STAMPED = ("rules_version", "client", "kafka", "permalink")
VERSIONS = {
    Family.JAVA: "4.3", Family.LIBRDKAFKA: "2.16", Family.SPARK: "4.2", Family.STREAMS: "4.3",
}  # fmt: skip
TOPIC_EXPORTS = ("kafka-commands", "reassignment", "strimzi-topic", "terraform")
ALL_EXPORTS = [
    (family, export)
    for family, version in VERSIONS.items()
    for export in exports_for(Pipeline(family, version))
]


def _export(name: str) -> Export:
    export = find(name)
    assert export is not None
    return export


def _pipeline(family: Family, settings: dict[Component, dict[str, Value]]) -> Pipeline:
    return Pipeline(family, VERSIONS[family], settings=settings)


def test_each_client_gets_its_files_and_those_of_the_topic() -> None:
    topic_exports = ["kafka-commands", "reassignment", "strimzi-topic", "terraform"]
    families = {
        "java-producer": {Family.JAVA}, "java-consumer": {Family.JAVA},
        "spring-boot": {Family.JAVA, Family.STREAMS}, "java-streams": {Family.STREAMS},
        "confluent-python": {Family.LIBRDKAFKA}, "librdkafka-json": {Family.LIBRDKAFKA},
        "spark-options": {Family.SPARK}, **{name: {*VERSIONS} for name in topic_exports},
    }  # fmt: skip
    offered = {
        family: [export.name for export in exports_for(Pipeline(family, version))]
        for family, version in VERSIONS.items()
    }
    for name, expected in families.items():
        assert {family for family in offered if name in offered[family]} == expected, name
    assert find("rust-properties") is None


def test_options_of_spark_keep_their_names_and_kafka_settings_get_a_prefix() -> None:
    stated: dict[str, Value] = {
        "maxOffsetsPerTrigger": 100, "minPartitions": 3, "isolation.level": "read_committed",
    }  # fmt: skip
    pipeline = _pipeline(Family.SPARK, {Component.CONSUMER: stated})
    text = _export("spark-options").render(pipeline, STAMP)
    for option in ("maxOffsetsPerTrigger", "minPartitions", "kafka.isolation.level"):
        assert f"{option!r}: " in text
    assert "kafka.maxOffsetsPerTrigger" not in text


def test_broker_files_are_offered_if_a_broker_setting_is_stated() -> None:
    pipeline = _pipeline(Family.JAVA, {Component.BROKER: {"min.insync.replicas": 2}})
    names = {export.name for export in exports_for(pipeline)}
    assert {"server-properties", "strimzi-kafka"} <= names


def test_a_reassignment_is_offered_only_if_the_replication_factor_changes() -> None:
    one, three = (
        _pipeline(Family.JAVA, {Component.TOPIC: {"replication.factor": copies}})
        for copies in (1, 3)
    )
    assert "reassignment" in {export.name for export in exports_for(three, described=one)}
    assert "reassignment" not in {export.name for export in exports_for(three, described=three)}
    for name in ("kafka-commands", "strimzi-topic"):
        assert "reassign.sh" in _export(name).render(three, STAMP, one)
        assert "reassign.sh" not in _export(name).render(three, STAMP, three), (
            "there is no such file"
        )


def test_names_and_file_names_are_unique() -> None:
    assert len({export.name for export in all_exports()}) == len(all_exports())
    assert len({export.filename for export in all_exports()}) == len(all_exports())
    assert all(Path(export.filename).name == export.filename for export in all_exports())


def test_stated_and_decisive_settings_are_written() -> None:
    pipeline = _pipeline(Family.JAVA, {Component.PRODUCER: {"acks": "1", "batch.size": 65536}})
    text = _export("java-producer").render(pipeline, STAMP)
    written = {entry.key: entry.value for entry in properties(text)}
    assert written == {
        "acks": "1", "enable.idempotence": "false", "retries": "2147483647",
        "max.in.flight.requests.per.connection": "5", "delivery.timeout.ms": "120000",
        "batch.size": "65536",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("family", "export"), ALL_EXPORTS, ids=lambda case: getattr(case, "name", case)
)
def test_the_head_names_the_origin_of_the_file(family: Family, export: Export) -> None:
    text = export.render(Pipeline(family, VERSIONS[family]), STAMP)
    if export.media_type == "application/json":
        about = json.loads(text)["about"]
        words = [about[key] for key in ("made_by", "rules", "client", "kafka", "reasons")]
        assert words == ["Delivery Lab", *(getattr(STAMP, name) for name in _STAMPED)]
        return
    assert "# Made by Delivery Lab, rules 7, for java 4.3 and Kafka 4.3." in text
    assert "# The reasons: http://127.0.0.1:8000/pipelines/abc/" in text
    assert max(map(len, text.splitlines())) <= 130


@pytest.mark.parametrize(
    ("family", "export"), ALL_EXPORTS, ids=lambda case: getattr(case, "name", case)
)
@given(words=st.text(max_size=300))
def test_a_stamp_cannot_end_its_comment(family: Family, export: Export, words: str) -> None:
    pipeline = Pipeline(family, VERSIONS[family])
    bare = export.render(pipeline, Stamp("", "", "", ""))
    stamped = export.render(pipeline, Stamp(words, words, words, words))
    if export.media_type == "application/json":
        bare, stamped = (json.dumps(json.loads(text) | {"about": 0}) for text in (bare, stamped))
    assert _code_lines(stamped) == _code_lines(bare)


def _code_lines(text: str) -> list[str]:
    return [line for line in text.split("\n") if not line.startswith("#")]


@pytest.mark.parametrize("value", ["all\nacks=0", "$(reboot)", "'; import os", 7, True, None])
@pytest.mark.parametrize("family", list(Family))
def test_an_invalid_value_is_not_exported(family: Family, value: Value) -> None:
    pipeline = _pipeline(family, {Component.PRODUCER: {"acks": value}})
    exports = [export for export in exports_for(pipeline) if export.name not in TOPIC_EXPORTS]
    refused = 0
    for export in exports:
        try:
            text = export.render(pipeline, STAMP)
        except SettingError:
            refused += 1
        else:
            assert str(value) not in text or export.name == "java-consumer" or value is None
    assert refused or value is None


@given(st.text())
def test_an_escaped_value_is_read_back_unchanged(text: str) -> None:
    written = f"key={escape(text)}\n"
    assert written.isascii()
    units = [entry.value.encode("utf-16-be", "surrogatepass") for entry in properties(written)]
    assert units == [text.encode("utf-16-be", "surrogatepass")]


@pytest.mark.parametrize(
    ("settings", "steps"),
    [
        ({}, ["process(message)"]),
        (
            {Component.APPLICATION: {"commit": "after-processing"},
             Component.CONSUMER: {"enable.auto.commit": False}},
            ["process(message)", "consumer.commit(message=message, asynchronous=False)"],
        ),
        (
            {Component.APPLICATION: {"commit": "before-processing"},
             Component.CONSUMER: {"enable.auto.commit": False}},
            ["consumer.commit(message=message, asynchronous=False)", "process(message)"],
        ),
        (
            {Component.CONSUMER: {"enable.auto.offset.store": False}},
            ["process(message)", "consumer.store_offsets(message=message)"],
        ),
    ],
)  # fmt: skip
def test_the_python_code_commits_at_the_stated_place(
    settings: dict[Component, dict[str, Value]], steps: list[str]
) -> None:
    text = _export("confluent-python").render(_pipeline(Family.LIBRDKAFKA, settings), STAMP)
    functions = {
        node.name: node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)
    }
    body = [ast.unparse(node) for node in functions["receive"].body]
    assert body[-len(steps) - 1 :] == [*steps, "return True"]


def test_the_commands_are_a_valid_shell_script() -> None:
    settings: dict[Component, dict[str, Value]] = {
        Component.TOPIC: {"replication.factor": 3, "cleanup.policy": "compact,delete"},
        Component.BROKER: {"min.insync.replicas": 2, "broker.session.timeout.ms": 6000},
    }
    text = _export("kafka-commands").render(_pipeline(Family.JAVA, settings), STAMP)
    checked = subprocess.run(["sh", "-n"], input=text, text=True, capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert "# broker.session.timeout.ms=6000" in text


def test_the_commands_set_min_insync_replicas_of_the_offsets_topic() -> None:
    """A recommendation needs a file that carries it out."""
    settings: dict[Component, dict[str, Value]] = {
        Component.APPLICATION: {"offsets.topic.min.insync.replicas": 2}
    }
    described = _pipeline(Family.JAVA, {})
    export = _export("kafka-commands")
    text = export.render(_pipeline(Family.JAVA, settings), STAMP, described)
    checked = subprocess.run(["sh", "-n"], input=text, text=True, capture_output=True, check=False)
    assert checked.returncode == 0, checked.stderr
    offsets = text.partition("\noffsets)\n")[2]
    assert "--entity-name __consumer_offsets" in offsets
    assert "--add-config min.insync.replicas=2" in offsets
    assert (
        "--add-config"
        not in export.render(described, STAMP, described).partition("\noffsets)\n")[2]
    )
