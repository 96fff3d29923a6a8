"""One JVM for the newest locked Kafka release, one for the client in Spark's connector."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from py4j import java_gateway, protocol

from labs.engine.distributions.distribution import kafka, spark_connector
from tests.contracts.jvm import Jvm, jvm


@pytest.fixture(scope="session")
def kafka_jvm() -> Iterator[Jvm]:
    """Kafka 4.3.1: clients and broker."""
    with jvm(kafka("4.3.1").jars) as running:
        yield running


@pytest.fixture(scope="session")
def spark_jvm() -> Iterator[Jvm]:
    """The Kafka client 3.9 of Spark's connector."""
    with jvm(spark_connector()) as running:
        yield running


@pytest.fixture(autouse=True)
def without_spark_exception_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undoes a patch of py4j: a Spark session looks up every Java exception in its own JVM."""
    monkeypatch.setattr(java_gateway, "get_return_value", protocol.get_return_value)
