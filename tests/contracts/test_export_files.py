"""Exported YAML, JSON and broker files, read by SnakeYAML, Strimzi, librdkafka and KafkaConfig.

Spring Boot reads `application.yml` with SnakeYAML, and Strimzi reads its resources with it, through
Jackson; it comes with Kafka's own jars. Spring itself is tested in test_spring.py.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from advisor.catalog import Component, Family, Value, settings_of
from advisor.export import Stamp, find
from advisor.export.base import Revision
from advisor.export.choice import chosen
from advisor.export.yaml_document import document, scalar
from advisor.reasoning.pipeline import Pipeline
from labs.engine.distributions.distribution import install, kafka
from tests.advisor.test_export_formats import HOSTILE, text_setting
from tests.contracts import librdkafka
from tests.contracts.configurations import accepted, assert_in_force, texts
from tests.contracts.jvm import Jvm, jvm

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


def load_yaml(running: Jvm, text: str) -> Any:
    """A YAML text as SnakeYAML reads it, converted through JSON."""
    yaml = running.java.org.yaml.snakeyaml.Yaml()
    mapper = running.java.com.fasterxml.jackson.databind.ObjectMapper()
    return json.loads(mapper.writeValueAsString(yaml.load(text)))


def test_snakeyaml_reads_hostile_texts_as_texts(kafka_jvm: Jvm) -> None:
    for text in HOSTILE:
        assert load_yaml(kafka_jvm, document({"key": scalar(text_setting(text))})) == {"key": text}


@pytest.fixture(scope="module")
def strimzi() -> Iterator[Jvm]:
    """The classes of Strimzi's resources, of the first release with v1."""
    with jvm((*install("strimzi-0.49.0"), *kafka("4.3.1").jars)) as running:
        yield running


def _resource(running: Jvm, text: str, kind: str) -> Any:
    """A resource as Strimzi reads it. Raises Py4JJavaError for a value of another type."""
    jackson = running.java.com.fasterxml.jackson
    mapper = jackson.databind.ObjectMapper(jackson.dataformat.yaml.YAMLFactory())
    name = f"io.strimzi.api.kafka.model.{kind}"
    return mapper.readValue(text, running.java.java.lang.Class.forName(name))


def _unknown_fields(*parts: Any) -> list[str]:
    """The names in a resource for which the model has no field."""
    return [str(name) for part in parts for name in part.getAdditionalProperties()]


def test_strimzi_has_a_field_for_everything_in_the_exported_topic(strimzi: Jvm) -> None:
    text = _rendered(Pipeline(settings=TOPIC), "strimzi-topic")
    topic = _resource(strimzi, text, "topic.KafkaTopic")
    assert (topic.getApiVersion(), topic.getKind()) == ("kafka.strimzi.io/v1", "KafkaTopic")
    assert _unknown_fields(topic, topic.getSpec()) == []
    assert topic.getSpec().getReplicas() == 3
    expected = {
        setting.name: setting.text
        for setting in chosen(Revision(Pipeline(settings=TOPIC)), Component.TOPIC)
    }
    del expected["replication.factor"]
    assert texts(dict(topic.getSpec().getConfig())) == expected
    wrong = _resource(strimzi, text.replace("replicas:", "replikas:"), "topic.KafkaTopic")
    assert _unknown_fields(wrong.getSpec()) == ["replikas"]
    with pytest.raises(Py4JJavaError, match="Cannot deserialize"):
        _resource(strimzi, text.replace("replicas: 3", "replicas: three"), "topic.KafkaTopic")


def test_strimzi_allows_every_broker_setting_in_the_exported_patch(strimzi: Jvm) -> None:
    stated: dict[str, Value] = {
        setting.name: setting.default
        for setting in settings_of(Family.JAVA, "4.3", "4.3", Component.BROKER)
        if setting.default is not None
    }  # fmt: skip
    text = _rendered(Pipeline(settings={Component.BROKER: stated}), "strimzi-kafka")
    spec = _resource(strimzi, text, "kafka.Kafka").getSpec()
    assert _unknown_fields(spec, spec.getKafka()) == []
    config = texts(dict(spec.getKafka().getConfig()))
    assert config.keys() == stated.keys() - {"log.dirs", "controller.quorum.append.linger.ms"}
    rules = strimzi.java.io.strimzi.api.kafka.model.kafka.KafkaClusterSpec
    exceptions = rules.FORBIDDEN_PREFIX_EXCEPTIONS.split(", ")
    forbidden = tuple(rules.FORBIDDEN_PREFIXES.split(", "))
    assert not [name for name in config if name.startswith(forbidden) and name not in exceptions]


def test_log_config_accepts_the_settings_that_strimzi_passes_on(kafka_jvm: Jvm) -> None:
    pipeline = Pipeline(settings=TOPIC)
    spec = load_yaml(kafka_jvm, _rendered(pipeline, "strimzi-topic"))["spec"]
    assert spec["replicas"] == 3
    config = texts(spec["config"])
    log = kafka_jvm.kafka.storage.internals.log.LogConfig
    log.validate(kafka_jvm.properties(config))
    assert_in_force(pipeline, Component.TOPIC, kafka_jvm.parsed(log.configDefCopy(), config))


def test_the_broker_config_accepts_the_exported_fragment_and_patch(kafka_jvm: Jvm) -> None:
    pipeline = Pipeline(settings=TOPIC)
    fragment = kafka_jvm.read(_rendered(pipeline, "server-properties"))
    patch = load_yaml(kafka_jvm, _rendered(pipeline, "strimzi-kafka"))
    assert texts(patch["spec"]["kafka"]["config"]) == fragment
    needed = {"process.roles": "broker", "node.id": "1", "controller.listener.names": "C"}
    config = kafka_jvm.kafka.server.config.AbstractKafkaConfig.CONFIG_DEF
    assert_in_force(pipeline, Component.BROKER, kafka_jvm.parsed(config, fragment | needed))
    assert set(fragment) == {
        setting.name for setting in chosen(Revision(pipeline), Component.BROKER)
    }


def test_librdkafka_reads_the_exported_json_as_intended() -> None:
    for pipeline in accepted(Family.LIBRDKAFKA, "2.16", 40):
        content = json.loads(_rendered(pipeline, "librdkafka-json"))
        assert librdkafka.producer_refusal(content["producer"]) is None
        assert librdkafka.consumer_refusal(content["consumer"]) is None
        real = librdkafka.values(librdkafka.PRODUCER, texts(content["producer"]))
        assert_in_force(pipeline, Component.PRODUCER, real)
