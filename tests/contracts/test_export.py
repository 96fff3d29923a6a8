"""Every export, read by the product for which it is made."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from py4j.protocol import Py4JJavaError

from advisor.catalog import Component, Family, Value, settings_of
from advisor.export import Stamp, find
from advisor.export.kafka_commands import DYNAMIC
from advisor.reasoning.guarantees import Guarantee
from advisor.reasoning.pipeline import Pipeline
from advisor.reasoning.recommend import recommend
from labs.maintenance.products import releases
from tests.contracts import librdkafka
from tests.contracts.configurations import accepted, assert_in_force, texts
from tests.contracts.jvm import Jvm, jvm

pytestmark = pytest.mark.contract

STAMP = Stamp("1", "4.3", "the client", "http://127.0.0.1/")
CONSUMERS: list[dict[str, Value]] = [
    {},
    {"enable.auto.commit": False, "auto.offset.reset": "earliest"},
    {"isolation.level": "read_committed", "max.poll.interval.ms": 600000},
]


def _rendered(pipeline: Pipeline, name: str, described: Pipeline | None = None) -> str:
    export = find(name)
    assert export is not None
    assert export.applies(pipeline)
    return export.render(pipeline, STAMP, described)


def test_java_reads_exported_producer_properties_as_intended(kafka_jvm: Jvm) -> None:
    for pipeline in accepted(Family.JAVA, "4.3", 60):
        settings = kafka_jvm.read(_rendered(pipeline, "java-producer"))
        assert kafka_jvm.producer_refusal(settings) is None
        assert_in_force(pipeline, Component.PRODUCER, kafka_jvm.producer_values(settings))


@pytest.mark.parametrize("stated", CONSUMERS, ids=str)
def test_java_reads_exported_consumer_properties_as_intended(
    kafka_jvm: Jvm, stated: dict[str, Value]
) -> None:
    pipeline = Pipeline(settings={Component.CONSUMER: stated})
    settings = kafka_jvm.read(_rendered(pipeline, "java-consumer"))
    assert kafka_jvm.consumer_refusal(settings) is None
    assert_in_force(pipeline, Component.CONSUMER, kafka_jvm.consumer_values(settings))


def _module(text: str) -> dict[str, Any]:
    names: dict[str, Any] = {}
    exec(compile(text, "exported", "exec"), names)
    return names


def test_confluent_kafka_reads_the_exported_producer_as_intended() -> None:
    for pipeline in accepted(Family.LIBRDKAFKA, "2.16", 60):
        module = _module(_rendered(pipeline, "confluent-python"))
        assert librdkafka.producer_refusal(module["PRODUCER"]) is None
        real = librdkafka.values(librdkafka.PRODUCER, texts(module["PRODUCER"]))
        assert_in_force(pipeline, Component.PRODUCER, real)


@pytest.mark.parametrize("stated", CONSUMERS, ids=str)
def test_confluent_kafka_reads_the_exported_consumer_as_intended(stated: dict[str, Value]) -> None:
    pipeline = Pipeline(Family.LIBRDKAFKA, "2.16", settings={Component.CONSUMER: stated})
    module = _module(_rendered(pipeline, "confluent-python"))
    assert librdkafka.consumer_refusal(module["CONSUMER"]) is None
    settings = {"group.id": "contract"} | texts(module["CONSUMER"])
    assert_in_force(pipeline, Component.CONSUMER, librdkafka.values(librdkafka.CONSUMER, settings))


def test_the_exported_python_sends_and_reports_failures() -> None:
    settings: dict[Component, dict[str, Value]] = {Component.PRODUCER: {"delivery.timeout.ms": 50}}
    pipeline = Pipeline(Family.LIBRDKAFKA, "2.16", settings=settings)
    module = _module(_rendered(pipeline, "confluent-python"))
    errors: list[object] = []
    producer = module["new_producer"]("127.0.0.1:1")
    module["send"](producer, "t", b"k", b"v", lambda error, message: errors.append(error))
    module["finish"](producer)
    assert [error.name() for error in errors] == ["_MSG_TIMED_OUT"]  # type: ignore[attr-defined]


_DESCRIBED: dict[str, dict[Component, dict[str, Value]]] = {
    "left alone": {},
    "acks=1": {Component.PRODUCER: {"acks": "1"}, Component.TOPIC: {"replication.factor": 3}},
    "weak, and not on the way": {
        Component.PRODUCER: {
            "enable.idempotence": False,
            "max.in.flight.requests.per.connection": 9,
        },
        Component.BROKER: {"unclean.leader.election.enable": True},
    },
    "acks=0 in a hurry": {
        Component.PRODUCER: {"acks": "0", "retries": 0, "linger.ms": 50},
        Component.APPLICATION: {"delivery.errors": "ignored", "resend": "on-error"},
    },
}


@pytest.mark.parametrize(
    "guarantee", [guarantee for guarantee in Guarantee if guarantee is not Guarantee.NONE]
)
@pytest.mark.parametrize("described", _DESCRIBED)
def test_real_clients_start_with_the_recommended_settings(
    kafka_jvm: Jvm, described: str, guarantee: Guarantee
) -> None:
    described_pipeline = Pipeline(settings=_DESCRIBED[described])
    java_pipeline = recommend(described_pipeline, guarantee).pipeline
    producer, consumer = (
        kafka_jvm.read(_rendered(java_pipeline, name, described_pipeline))
        for name in ("java-producer", "java-consumer")
    )
    assert kafka_jvm.producer_refusal(producer) is None
    assert kafka_jvm.consumer_refusal(consumer) is None
    described_pipeline = Pipeline(Family.LIBRDKAFKA, "2.16", settings=_DESCRIBED[described])
    librdkafka_pipeline = recommend(described_pipeline, guarantee).pipeline
    module = _module(_rendered(librdkafka_pipeline, "confluent-python", described_pipeline))
    assert librdkafka.producer_refusal(module["PRODUCER"]) is None
    assert librdkafka.consumer_refusal(module["CONSUMER"]) is None


def test_the_kafka_client_of_spark_accepts_the_exported_options(spark_jvm: Jvm) -> None:
    for pipeline in accepted(Family.SPARK, "4.2", 30):
        module = _module(_rendered(pipeline, "spark-options"))
        settings = {key.removeprefix("kafka."): text for key, text in texts(module["SINK"]).items()}
        assert spark_jvm.producer_refusal(settings) is None
        assert_in_force(pipeline, Component.PRODUCER, spark_jvm.producer_values(settings))


_VALIDATE = "org$apache$spark$sql$kafka010$KafkaSourceProvider$$validateStreamOptions"


def test_the_kafka_source_of_spark_accepts_the_exported_options() -> None:
    cases: list[dict[str, Value]] = [
        {}, {"startingOffsets": "earliest", "failOnDataLoss": True},
        {"isolation.level": "read_committed", "maxOffsetsPerTrigger": 1000, "minPartitions": 4},
    ]  # fmt: skip
    with jvm(releases.spark_class_path("4.2")) as running:
        provider = running.java.org.apache.spark.sql.kafka010.KafkaSourceProvider()
        for settings in cases:
            pipeline = Pipeline(Family.SPARK, "4.2", settings={Component.CONSUMER: settings})
            source = texts(_module(_rendered(pipeline, "spark-options"))["SOURCE"])
            getattr(provider, _VALIDATE)(_options(running, source))
            client = {k.removeprefix("kafka."): v for k, v in source.items() if "kafka." in k}
            assert running.consumer_refusal(client) is None
        refused = _options(running, {"kafka.enable.auto.commit": "true"})
        with pytest.raises(Py4JJavaError, match=r"enable\.auto\.commit"):
            getattr(provider, _VALIDATE)(refused)


def _options(running: Jvm, settings: dict[str, str]) -> Any:
    """Options in the case-insensitive map that a query has."""
    complete = settings | {"kafka.bootstrap.servers": "127.0.0.1:1", "subscribe": "t"}
    java_options = running.java.java.util.HashMap(complete)
    scala = running.java.scala.jdk.javaapi.CollectionConverters.asScala(java_options)
    hash_map = running.java.scala.collection.immutable.HashMap
    options = running.java.org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
    return options(getattr(hash_map, "from")(scala))


def test_kafka_accepts_the_settings_in_the_exported_commands(
    kafka_jvm: Jvm, tmp_path: Path
) -> None:
    settings: dict[Component, dict[str, Value]] = {
        Component.TOPIC: {
            "replication.factor": 3, "cleanup.policy": "compact,delete", "retention.ms": -1,
        },
        Component.BROKER: {"min.insync.replicas": 2, "replica.lag.time.max.ms": 10000},
    }  # fmt: skip
    pipeline = Pipeline(settings=settings)
    script = tmp_path / "topic.sh"
    script.write_text(_rendered(pipeline, "kafka-commands"))
    create = script_arguments(script, "create")
    assert create[create.index("--topic") + 1] == "a topic; $(rm)"
    assert create[create.index("--replication-factor") + 1] == "3"
    pairs = [create[index + 1] for index, word in enumerate(create) if word == "--config"]
    topic = dict(pair.split("=", 1) for pair in pairs)
    log = kafka_jvm.kafka.storage.internals.log.LogConfig
    log.validate(kafka_jvm.properties(topic))
    assert_in_force(pipeline, Component.TOPIC, kafka_jvm.parsed(log.configDefCopy(), topic))
    alter = script_arguments(script, "alter")
    assert "cleanup.policy=[compact,delete]" in alter[alter.index("--add-config") + 1]
    brokers = script_arguments(script, "brokers")
    assert brokers[brokers.index("--add-config") + 1] == "min.insync.replicas=2"
    kafka_jvm.kafka.server.config.DynamicBrokerConfig.validateConfigs(
        kafka_jvm.properties({"min.insync.replicas": "2"}), False
    )


def test_dynamic_broker_settings_are_those_of_kafka(kafka_jvm: Jvm) -> None:
    real = set(kafka_jvm.kafka.server.config.DynamicBrokerConfig.ALL_DYNAMIC_CONFIGS)
    ours = {setting.name for setting in settings_of(Family.JAVA, "4.3", "4.3", Component.BROKER)}
    assert ours & real == DYNAMIC


def script_arguments(script: Path, branch: str) -> list[str]:
    """The arguments that the script passes to Kafka's command; a stand-in prints them."""
    for command in ("kafka-topics.sh", "kafka-configs.sh"):
        stand_in = script.with_name(command)
        stand_in.write_text('#!/bin/sh\nprintf "%s\\n" "$@"\n')
        stand_in.chmod(0o755)
    environment = {
        "PATH": f"{script.parent}{os.pathsep}{os.environ['PATH']}",
        "BOOTSTRAP_SERVERS": "127.0.0.1:1", "TOPIC": "a topic; $(rm)", "PARTITIONS": "6",
    }  # fmt: skip
    done = subprocess.run(
        ["sh", script, branch], env=environment, text=True, capture_output=True, check=True
    )
    return done.stdout.splitlines()
