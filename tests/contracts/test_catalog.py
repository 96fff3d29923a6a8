"""The catalog's defaults and implicit changes of settings, compared with the products."""

from __future__ import annotations

import pytest

from advisor.catalog import Component, Family, Value, effective, lookup, parse, settings_of
from tests.contracts import librdkafka
from tests.contracts.configurations import Texts, our_refusal, parsed, producers
from tests.contracts.jvm import Jvm

pytestmark = pytest.mark.contract


def _defaults(family: Family, version: str, component: Component) -> dict[str, Value]:
    settings = settings_of(family, version, "4.3", component)
    return {setting.name: setting.default for setting in settings if setting.default is not None}


def _read(
    family: Family, version: str, component: Component, real: dict[str, str]
) -> dict[str, Value]:
    """The product's values, parsed by the catalog, for the settings that it models."""
    settings = settings_of(family, version, "4.3", component)
    names = {name: setting for setting in settings for name in (setting.name, *setting.aliases)}
    return {names[key].name: parse(names[key], text) for key, text in real.items() if key in names}


@pytest.mark.parametrize("component", [Component.PRODUCER, Component.CONSUMER])
def test_java_defaults_are_those_of_the_newest_release(
    kafka_jvm: Jvm, component: Component
) -> None:
    clients = kafka_jvm.kafka.clients
    configs = {
        Component.PRODUCER: clients.producer.ProducerConfig,
        Component.CONSUMER: clients.consumer.ConsumerConfig,
    }
    real = kafka_jvm.defaults(configs[component].configDef())
    ours = _defaults(Family.JAVA, "4.3", component)
    assert ours == _read(Family.JAVA, "4.3", component, real)


def test_spark_defaults_are_those_of_its_kafka_client(spark_jvm: Jvm) -> None:
    real = spark_jvm.defaults(spark_jvm.kafka.clients.producer.ProducerConfig.configDef())
    for version in ("4.2", "4.1", "4.0"):
        ours = _defaults(Family.SPARK, version, Component.PRODUCER)
        assert ours == _read(Family.SPARK, version, Component.PRODUCER, real)


@pytest.mark.parametrize("component", [Component.PRODUCER, Component.CONSUMER])
def test_librdkafka_defaults_are_those_of_the_installed_library(component: Component) -> None:
    ours = _defaults(Family.LIBRDKAFKA, "2.16", component)
    assert ours == _read(Family.LIBRDKAFKA, "2.16", component, librdkafka.defaults())


def test_topic_and_broker_defaults_are_those_of_kafka(kafka_jvm: Jvm) -> None:
    log = kafka_jvm.kafka.storage.internals.log.LogConfig.configDefCopy()
    topic = _defaults(Family.JAVA, "4.3", Component.TOPIC)
    # The replication factor is an argument of a topic's creation, not one of its settings.
    assert topic.pop("replication.factor") == 1
    assert topic == _read(Family.JAVA, "4.3", Component.TOPIC, kafka_jvm.defaults(log))
    server = kafka_jvm.kafka.server.config.AbstractKafkaConfig.CONFIG_DEF
    broker = _defaults(Family.JAVA, "4.3", Component.BROKER)
    assert broker == _read(Family.JAVA, "4.3", Component.BROKER, kafka_jvm.defaults(server))


def test_every_alias_is_the_same_setting_to_librdkafka() -> None:
    for component in (Component.PRODUCER, Component.CONSUMER):
        kind = librdkafka.PRODUCER if component is Component.PRODUCER else librdkafka.CONSUMER
        group = {} if component is Component.PRODUCER else {"group.id": "contract"}
        for setting in settings_of(Family.LIBRDKAFKA, "2.16", "4.3", component):
            for alias in setting.aliases:
                acks = {"acks": "all"} if setting.name != "acks" else {}
                text = "900" if setting.unit == "ms" else "1"
                by_name = librdkafka.values(kind, group | acks | {setting.name: text})
                by_alias = librdkafka.values(kind, group | acks | {alias: text})
                assert by_name == by_alias


@pytest.mark.parametrize("version", ["4.3", "3.9"])
def test_java_has_the_predicted_values_in_force(
    kafka_jvm: Jvm, spark_jvm: Jvm, version: str
) -> None:
    running = {"4.3": kafka_jvm, "3.9": spark_jvm}[version]
    accepted = _accepted(Family.JAVA, version)
    for texts in accepted:
        _assert_same(Family.JAVA, version, texts, running.producer_values(texts))
    assert len(accepted) > 150


def test_librdkafka_has_the_predicted_values_in_force() -> None:
    accepted = _accepted(Family.LIBRDKAFKA, "2.16")
    for texts in accepted:
        # It finalizes topic-level settings immediately only if one of them is stated.
        real = librdkafka.values(librdkafka.PRODUCER, {"acks": "all"} | texts)
        # librdkafka keeps an unstated linger.ms a tenth below a shorter delivery timeout, and an
        # unstated socket.timeout.ms within the transaction timeout. Neither decides a guarantee.
        adjusted = {"queue.buffering.max.ms": "linger.ms", "socket.timeout.ms": "socket.timeout.ms"}
        by_name = {key: text for key, text in real.items() if adjusted.get(key, key) in texts
                 or key not in adjusted}  # fmt: skip
        _assert_same(Family.LIBRDKAFKA, "2.16", texts, by_name)
    assert len(accepted) > 150


def _accepted(family: Family, version: str) -> list[Texts]:
    producer = Component.PRODUCER
    return [t for t in producers(family) if our_refusal(family, version, producer, t) is None]


def _assert_same(family: Family, version: str, texts: Texts, real: dict[str, str]) -> None:
    settings = parsed(family, version, Component.PRODUCER, texts)
    actual = _read(family, version, Component.PRODUCER, real)
    for name in actual:
        ours = effective(family, version, "4.3", settings, Component.PRODUCER, name)
        assert ours == actual[name], f"{name} of {texts}"


def test_java_accepts_the_spellings_that_the_catalog_accepts(kafka_jvm: Jvm) -> None:
    spellings = {
        "acks": ["all", "-1", "1", "0"], "enable.idempotence": ["true", "TRUE", "False"],
        "retries": ["0", "+7", "2147483647"], "linger.ms": ["0"], "transaction.timeout.ms": ["1"],
        "transactional.id": ["a", "A-b_c.9"],
    }  # fmt: skip
    for name, texts in spellings.items():
        setting = lookup(Family.JAVA, "4.3", "4.3", Component.PRODUCER, name)
        others = {"enable.idempotence": "false"} if name in ("acks", "retries") else {}
        for text in texts:
            value = parse(setting, text)
            assert kafka_jvm.producer_refusal({name: text} | others) is None
            assert parse(setting, kafka_jvm.producer_values({name: text} | others)[name]) == value
