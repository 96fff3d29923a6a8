"""The generated facts of the catalog, compared with the installed products."""

from __future__ import annotations

import pytest

from advisor.catalog.facts import raw_facts
from labs.maintenance.products import configdef, librdkafka, releases, spark_options
from labs.maintenance.products.gateway import gateway
from tests.contracts.jvm import Jvm

pytestmark = pytest.mark.contract

HELP = "the products say otherwise than the catalog's facts: `make catalog` writes them anew"


@pytest.mark.parametrize("product", ["java_producer", "java_consumer", "topic", "broker"])
def test_the_facts_are_those_of_the_newest_kafka(kafka_jvm: Jvm, product: str) -> None:
    assert raw_facts(product, "4.3") == configdef.settings(kafka_jvm.gateway, product), HELP


@pytest.mark.parametrize("product", ["java_producer", "java_consumer"])
def test_the_facts_are_those_of_the_client_in_spark(spark_jvm: Jvm, product: str) -> None:
    assert raw_facts(product, "3.9") == configdef.settings(spark_jvm.gateway, product), HELP


def test_the_facts_are_those_of_the_installed_librdkafka() -> None:
    version, table = releases.installed_table()
    line = version.rpartition(".")[0]
    assert raw_facts("librdkafka", line) == librdkafka.settings(table), HELP


@pytest.mark.parametrize("line", releases.SPARK)
def test_the_facts_are_those_of_the_connector_of_spark(line: str) -> None:
    with gateway(releases.spark_class_path(line)) as jvm:
        assert raw_facts("spark", line) == spark_options.settings(jvm), HELP


def test_only_options_of_a_connector_are_documented() -> None:
    names = {name for line in releases.SPARK for name in raw_facts("spark", line)}
    assert spark_options.DOCUMENTED.keys() <= names
