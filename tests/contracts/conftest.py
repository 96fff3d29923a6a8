"""One JVM for Kafka's newest locked release, one for the client that Spark brings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from labs.engine.kafka.distribution import kafka, spark_connector
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
