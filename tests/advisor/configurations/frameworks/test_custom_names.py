"""Client settings under a team's own names, next to those of a framework.

Only the code that reads them shows how they are used: `app.producer.acks: 1` may be for a producer
that the code creates itself.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import TOPIC, assert_file

SPRING = "spring.kafka:\n  consumer: {group-id: g, auto-offset-reset: earliest}\n"
QUARKUS = "mp.messaging.incoming.o.connector=smallrye-kafka\n"
QUARKUS += "mp.messaging.incoming.o.auto.offset.reset=earliest\n"
MICRONAUT = "kafka:\n  consumers:\n    default: {auto.offset.reset: earliest}\n"
READS = f"{TOPIC} application.processing.errors=retry"
CUSTOM = "of a client, under a name that only your code knows"


@pytest.mark.parametrize(("more", "code", "expected"), [
    ("app.producer.acks: 1\n", 2, f"app.producer.acks is acks {CUSTOM}"),
    ("app:\n  producer:\n    config: {enable.idempotence: false}\n", 2, CUSTOM),
    ("app.consumer.auto-offset-reset: latest\n", 2, f"is auto.offset.reset {CUSTOM}"),
    ("app.autoOffsetReset: latest\n", 2, CUSTOM),
    ("app.reader.isolation-level: read_uncommitted\n", 2, CUSTOM),
    ("app.producer.acks: all\napp.consumer.auto-offset-reset: earliest\n", 0, "^YES"),
    ("app.producer.retries: 3\napp.isolation-level: read_uncommitted\n", 0, "^YES"),
    ("app.rabbitmq.acks: 1\nspring.rabbitmq.listener.simple.acknowledge-mode: none\n", 0, "^YES"),
    # a value that a framework's setting refers to
    ("own.acks: 1\nspring.kafka.producer.acks: ${own.acks}\n", 1, "acks: 1 -> all"),
])  # fmt: skip
def test_custom_settings_next_to_spring_get_the_expected_answer(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "application.yml", SPRING + more, "", READS, code, expected)


@pytest.mark.parametrize(("more", "code", "expected"), [
    ("app.producer.acks=1\n", 2, CUSTOM),
    ("kafka.producer.acks=1\n", 2, CUSTOM),
    ("kafka.acks=1\n", 0, "^YES"),
    ("quarkus.datasource.jdbc.transaction-isolation-level=read-committed\n", 0, "^YES"),
    ("%dev.app.producer.acks=1\n", 0, "^YES"),
])  # fmt: skip
def test_custom_settings_next_to_quarkus_get_the_expected_answer(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    assert_file(tmp_path / "application.properties", QUARKUS + more, "", TOPIC, code, expected)


@pytest.mark.parametrize(("more", "code", "expected"), [
    ("app.producer.acks: 1\n", 2, CUSTOM), ("  producer: {acks: 1}\n", 2, CUSTOM), ("", 0, "^YES"),
])  # fmt: skip
def test_custom_settings_next_to_micronaut_get_the_expected_answer(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    settings = f"{READS} application.commit=after-processing consumer.enable.auto.commit=false"
    assert_file(tmp_path / "application.yml", MICRONAUT + more, "", settings, code, expected)


@pytest.mark.parametrize(("more", "code", "expected"), [
    ("spring.kafka.acks=1\n", 2, "no spring.kafka.acks. Did you mean spring.kafka.producer.acks"),
    ("spring.kafka.enableAutoCommit=true\n", 2, "mean spring.kafka.consumer.enable-auto-commit"),
    ("spring.kafka.enable.idempotence=false\n", 2,
     "mean spring.kafka.producer.properties.enable.idempotence"),
    ("spring.kafka.acks=1\nspring.kafka.producer.acks=${spring.kafka.acks}\n", 1, "acks: 1 -> all"),
    ("spring.kafka.topic=orders\nspring.kafka.client-id=a\nspring.kafka.admin.fail-fast=true\n"
     "spring.kafka.ssl.key-password=a\nspring.kafka.template.default-topic=a\n", 0, "^YES"),
])  # fmt: skip
def test_names_at_another_place_of_spring_get_the_expected_answer(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    reader = "spring.kafka.consumer.group-id=g\nspring.kafka.consumer.auto-offset-reset=earliest\n"
    assert_file(tmp_path / "application.properties", reader + more, "", READS, code, expected)


@pytest.mark.parametrize(("more", "code", "expected"), [
    ("processing-guarantee=exactly_once_v2", 2, "streams.properties.processing.guarantee"),
    ("client-id=a\nspring.kafka.streams.auto-startup=true", 0, "^YES"),
    ("properties.processing.guarantee=exactly_once_v2", 0, "^YES"),
])  # fmt: skip
def test_names_of_streams_at_another_place_get_the_expected_answer(
    tmp_path: Path, more: str, code: int, expected: str
) -> None:
    application = "spring.kafka.streams.application-id=a\nspring.kafka.streams.replicationFactor=3"
    text = f"{application}\nspring.kafka.streams.{more}\n"
    settings = f"{TOPIC} streams.topic.min.insync.replicas=2"
    assert_file(tmp_path / "application.properties", text, "", settings, code, expected)
