"""YAML, JSON and broker files, fed to what reads them: SnakeYAML, librdkafka, KafkaConfig.

SnakeYAML is what Spring Boot reads `application.yml` with, and Strimzi, through Jackson, its
resources; it comes with Kafka's own jars.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from advisor.catalog import Component, Family, Value
from advisor.export import Stamp, find
from advisor.export.choice import chosen
from advisor.export.yaml_document import document, scalar
from advisor.reasoning.pipeline import Pipeline
from tests.advisor.test_export_formats import HOSTILE, typed_text
from tests.contracts import librdkafka
from tests.contracts.configurations import accepted, in_force, texts
from tests.contracts.jvm import Jvm

pytestmark = pytest.mark.contract

STAMP = Stamp("1", "4.3", "the client", "http://127.0.0.1/")
TOPIC: dict[Component, dict[str, Value]] = {
    Component.TOPIC: {
        "replication.factor": 3, "cleanup.policy": "compact,delete", "retention.ms": 2**63 - 1,
    },
    Component.BROKER: {"min.insync.replicas": 2, "unclean.leader.election.enable": False},
}  # fmt: skip


def _rendered(pipeline: Pipeline, name: str) -> str:
    export = find(name)
    assert export is not None
    return export.render(pipeline, STAMP)


def _loaded(running: Jvm, text: str) -> Any:
    """What SnakeYAML reads, by way of JSON."""
    yaml = running.java.org.yaml.snakeyaml.Yaml()
    mapper = running.java.com.fasterxml.jackson.databind.ObjectMapper()
    return json.loads(mapper.writeValueAsString(yaml.load(text)))


def _springs_client(names: dict[str, str], client: dict[str, Any]) -> dict[str, str]:
    """The client's settings as Spring Boot's KafkaProperties hand them on."""
    others = {key.strip("[]"): value for key, value in client.pop("properties", {}).items()}
    return texts({names[key]: value for key, value in client.items()} | others)


_PRODUCER = {
    "acks": "acks", "retries": "retries", "batch-size": "batch.size",
    "transaction-id-prefix": "transactional.id",
}  # fmt: skip


def test_springs_parser_and_the_java_client_take_application_yml(kafka_jvm: Jvm) -> None:
    for pipeline in accepted(Family.JAVA, "4.3", 40):
        loaded = _loaded(kafka_jvm, _rendered(pipeline, "spring-boot"))
        settings = _springs_client(_PRODUCER, loaded["spring"]["kafka"]["producer"])
        assert kafka_jvm.producer_refusal(settings) is None
        in_force(pipeline, Component.PRODUCER, kafka_jvm.producer_values(settings))


def test_snakeyaml_reads_hostile_texts_as_texts(kafka_jvm: Jvm) -> None:
    for text in HOSTILE:
        assert _loaded(kafka_jvm, document({"key": scalar(typed_text(text))})) == {"key": text}


def test_log_config_takes_what_strimzi_would_hand_on(kafka_jvm: Jvm) -> None:
    pipeline = Pipeline(settings=TOPIC)
    spec = _loaded(kafka_jvm, _rendered(pipeline, "strimzi-topic"))["spec"]
    assert spec["replicas"] == 3
    config = texts(spec["config"])
    log = kafka_jvm.kafka.storage.internals.log.LogConfig
    log.validate(kafka_jvm.properties(config))
    in_force(pipeline, Component.TOPIC, kafka_jvm.parsed(log.configDefCopy(), config))


def test_the_brokers_config_takes_the_fragment_and_the_patch(kafka_jvm: Jvm) -> None:
    pipeline = Pipeline(settings=TOPIC)
    fragment = kafka_jvm.read(_rendered(pipeline, "server-properties"))
    patch = _loaded(kafka_jvm, _rendered(pipeline, "strimzi-kafka"))
    assert texts(patch["spec"]["kafka"]["config"]) == fragment
    needed = {"process.roles": "broker", "node.id": "1", "controller.listener.names": "C"}
    config = kafka_jvm.kafka.server.config.AbstractKafkaConfig.CONFIG_DEF
    in_force(pipeline, Component.BROKER, kafka_jvm.parsed(config, fragment | needed))
    assert set(fragment) == {each.name for each in chosen(pipeline, Component.BROKER)}


def test_librdkafka_takes_the_json_as_we_mean_it() -> None:
    for pipeline in accepted(Family.LIBRDKAFKA, "2.16", 40):
        loaded = json.loads(_rendered(pipeline, "librdkafka-json"))
        assert librdkafka.producer_refusal(loaded["producer"]) is None
        assert librdkafka.consumer_refusal(loaded["consumer"]) is None
        real = librdkafka.values(librdkafka.PRODUCER, texts(loaded["producer"]))
        in_force(pipeline, Component.PRODUCER, real)
