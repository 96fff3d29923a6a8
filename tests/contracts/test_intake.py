"""Our reading of properties files and our lists of keys, held against the products'."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from advisor.catalog import Component, Family
from advisor.intake.java_properties import properties
from advisor.intake.known import known_keys
from advisor.intake.text import IntakeError
from labs.engine.products import librdkafka, releases
from tests.contracts.jvm import Jvm

pytestmark = pytest.mark.contract


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.text(alphabet=" \\\n\r\f\t=:#!u0aé€", max_size=40))
def test_we_read_what_java_reads(kafka_jvm: Jvm, text: str) -> None:
    try:
        ours = {found.key: found.value for found in properties(text)}
    except IntakeError:
        assert kafka_jvm.unreadable(text)
        return
    real = kafka_jvm.read(text)
    if "" not in ours and real.get("") == "":
        del real[""]  # a lone backslash at the end: no name, no value
    assert ours == real


def test_the_keys_that_are_tolerated_are_those_of_the_products(
    kafka_jvm: Jvm, spark_jvm: Jvm
) -> None:
    for component, name in ((Component.PRODUCER, "Producer"), (Component.CONSUMER, "Consumer")):
        real: set[str] = set()
        for running in (kafka_jvm, spark_jvm):
            package = getattr(running.kafka.clients, component)
            real |= running.keys(getattr(package, f"{name}Config").configDef())
        assert known_keys(Family.JAVA, component) == real
    topic = kafka_jvm.kafka.storage.internals.log.LogConfig.configDefCopy()
    assert known_keys(Family.JAVA, Component.TOPIC) == kafka_jvm.keys(topic)
    broker = kafka_jvm.kafka.server.config.AbstractKafkaConfig.CONFIG_DEF
    assert known_keys(Family.JAVA, Component.BROKER) == kafka_jvm.keys(broker)
    properties_ = librdkafka.settings(releases.installed_table()[1])
    assert known_keys(Family.LIBRDKAFKA, Component.PRODUCER) == properties_.keys()
