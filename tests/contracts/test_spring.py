"""Spring Boot's own binder reads the `application.yml` that we export, and files that we read.

The Binder binds properties, variables and placeholders to KafkaProperties, which build the settings
of the clients.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from advisor.catalog import Component, Family
from advisor.catalog.texts import kept_text
from advisor.export import Stamp, find
from advisor.intake import Product, read
from labs.engine.distributions.distribution import install, kafka
from tests.advisor.intake.test_spring import VARIABLES
from tests.advisor.intake_examples import EXAMPLES
from tests.contracts.configurations import accepted, assert_in_force
from tests.contracts.jvm import Jvm, jvm

pytestmark = pytest.mark.contract

JAVA = Product(Family.JAVA, "4.3", "4.3")
STAMP = Stamp("1", "4.3", "the client", "http://127.0.0.1/")
ClientSettings = dict[str, dict[str, str]]


@pytest.fixture(scope="module")
def spring() -> Iterator[Jvm]:
    with jvm((*install("spring-boot-4.1.1"), *kafka("4.3.1").jars)) as running:
        yield running


def _bound(spring: Jvm, application: str = "", variables: Mapping[str, str] = {}) -> ClientSettings:
    """The settings of each client in an application with this file and these variables."""
    core = spring.java.org.springframework.core
    environment = core.env.StandardEnvironment()
    sources = environment.getPropertySources()
    for name in ("systemProperties", "systemEnvironment"):
        sources.remove(name)  # those of this machine
    java_variables = spring.java.java.util.HashMap()
    for variable, text in variables.items():
        java_variables.put(variable, text)
    sources.addFirst(core.env.SystemEnvironmentPropertySource("systemEnvironment", java_variables))
    boot = spring.java.org.springframework.boot
    resource = core.io.ByteArrayResource(application.encode())
    loader = (
        boot.env.YamlPropertySourceLoader
        if ": " in application
        else (boot.env.PropertiesPropertySourceLoader)
    )
    for source in loader().load("application", resource):
        sources.addLast(source)
    kind = "org.springframework.boot.kafka.autoconfigure.KafkaProperties"
    binder = boot.context.properties.bind.Binder.get(environment)
    properties = binder.bindOrCreate("spring.kafka", spring.java.java.lang.Class.forName(kind))
    built = {
        "producer": properties.buildProducerProperties(),
        "consumer": properties.buildConsumerProperties(),
        "streams": properties.buildStreamsProperties(),
    }  # fmt: skip
    settings_by_client = {part: spring.strings(settings) for part, settings in built.items()}
    if prefix := properties.getProducer().getTransactionIdPrefix():
        # the producer factory adds it
        settings_by_client["producer"]["transactional.id"] = str(prefix)
    ignored = re.compile(r"(key|value)\.(de)?serializer|bootstrap\.servers")
    return {
        part: {name: text for name, text in settings.items() if not ignored.fullmatch(name)}
        for part, settings in settings_by_client.items()
    }


def test_spring_passes_on_the_settings_of_the_exported_application_yml(spring: Jvm) -> None:
    export = find("spring-boot")
    assert export is not None
    for pipeline in accepted(Family.JAVA, "4.3", 20):
        bound = _bound(spring, export.render(pipeline, STAMP))
        assert spring.producer_refusal(bound["producer"]) is None
        assert_in_force(pipeline, Component.PRODUCER, spring.producer_values(bound["producer"]))
        assert_in_force(pipeline, Component.CONSUMER, spring.consumer_values(bound["consumer"]))


def _assert_agrees(spring: Jvm, settings: Mapping[str, Any], bound: ClientSettings) -> None:
    """Asserts that Spring gives each client the settings that we read.

    Settings of Spring itself are not among the clients' settings.
    """
    for field, ours in settings.items():
        part, _, name = field.partition(".")
        if part != "application" and field != "consumer.enable.auto.commit":
            text = str(ours).lower() if isinstance(ours, bool) else str(ours)
            assert kept_text(name, bound[part][name]) == text, field


@pytest.mark.parametrize(("variable", "settings"), VARIABLES)
def test_spring_binds_a_variable_as_we_read_it(
    spring: Jvm, variable: str, settings: Mapping[str, Any]
) -> None:
    name, _, text = variable.partition("=")
    bound = _bound(spring, variables={f"SPRING_KAFKA_{name}": text})
    _assert_agrees(spring, settings, bound)


@pytest.mark.parametrize("text", [
    "spring.kafka.producer.acks=${ACKS:all}", "spring.kafka.producer.retries=${A:${B:3}}",
    "spring.kafka.producer.properties[linger.ms]=7",
    "spring.kafka.producer.transaction-id-prefix=${app.name:a}-${N:1}",
    next(example.text.partition("---")[0] for example in EXAMPLES if example.kind == "spring"),
])  # fmt: skip
def test_spring_reads_a_file_as_we_do(spring: Jvm, text: str) -> None:
    _assert_agrees(spring, read(text, JAVA).settings, _bound(spring, text))
