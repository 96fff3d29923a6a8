"""The versions that a pasted text mentions."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.advisories import Part, VersionError
from advisor.advisories.api_versions import _REQUESTS, _SPOKEN
from advisor.advisories.mentions import mentions


@pytest.mark.parametrize(
    ("text", "part", "version"),
    [
        ("3.6.1", Part.BROKER, "3.6.1"),
        (" v3.6 \n", Part.CONSUMER, "3.6"),
        ("0.10.2.1", Part.PRODUCER, "0.10.2.1"),
        ("apache/kafka:3.9.0", Part.BROKER, "3.9.0"),
        ("apache/kafka-native:4.0.0", Part.BROKER, "4.0.0"),
        ("bitnami/kafka:3.6.1-debian-11-r4", Part.BROKER, "3.6.1"),
        ("wurstmeister/kafka:2.13-2.8.1", Part.BROKER, "2.8.1"),
        ("quay.io/strimzi/kafka:0.38.0-kafka-3.6.0", Part.BROKER, "3.6.0"),
        ("image: confluentinc/cp-kafka:7.6.0", Part.BROKER, "3.6"),
        ("confluentinc/cp-server:6.2.1", Part.BROKER, "2.8"),
        ("cp-kafka:8.0.0", Part.BROKER, "4.0"),
        ("cp-kafka-connect:7.6.0", Part.CONNECT, "3.6"),
        ("kafka-clients-3.2.0.jar", Part.PRODUCER, "3.2.0"),
        ("org.apache.kafka:kafka-streams:2.1.0", Part.STREAMS, "2.1.0"),
        ("kafka_2.13-3.7.0.tgz", Part.BROKER, "3.7.0"),
        ("3.6.1 (Commit:5e3c2b738d253ff5)", Part.BROKER, "3.6.1"),
        ("pyspark==3.3.1", Part.SPARK, "3.3.1"),
        ("spark-sql-kafka-0-10_2.12:3.3.1", Part.SPARK, "3.3.1"),
        ("confluent-kafka==2.3.0", Part.LIBRDKAFKA, "2.3.0"),
        ("librdkafka v2.1.0", Part.LIBRDKAFKA, "2.1.0"),
        ("Kafka version: kafka 3.2.0", Part.BROKER, "3.2.0"),
        ("Kafka version: 3.5.1", Part.CONSUMER, "3.5.1"),
        ("Amazon MSK 3.5.1", Part.BROKER, "3.5.1"),
        ("cp-kafka:5.5.1", Part.BROKER, "2.5"),
        ("cp-kafka:5.0.0", Part.BROKER, "2.0"),
        ("cp-kafka:4.1.2", Part.BROKER, "1.1"),
        ("cp-kafka:3.3.0", Part.BROKER, "0.11.0"),
        ("cp-kafka:3.2.1", Part.BROKER, "0.10.2"),
        (
            "<artifactId>kafka-clients</artifactId>\n  <version>3.4.0</version>",
            Part.CONSUMER,
            "3.4.0",
        ),
        ("github.com/confluentinc/confluent-kafka-go/v2 v2.3.0", Part.LIBRDKAFKA, "2.3.0"),
        (
            '<PackageReference Include="Confluent.Kafka" Version="2.3.0" />',
            Part.LIBRDKAFKA,
            "2.3.0",
        ),
        ('rdkafka-sys = "4.7.0+2.3.0"', Part.LIBRDKAFKA, "2.3.0"),
        ("librdkafka1=2.0.2-1", Part.LIBRDKAFKA, "2.0.2"),
        ("spring-kafka:3.1.0, kafka-clients:3.6.1", Part.PRODUCER, "3.6.1"),
        ("confluentinc/cp-server-connect-base:7.6.0", Part.CONNECT, "3.6"),
        ("confluentinc/confluent-local:7.6.0", Part.BROKER, "3.6"),
        ("confluentinc/cp-ksqldb-server:7.6.0", Part.STREAMS, "3.6"),
        ("kafka-clients-7.6.0-ccs.jar", Part.PRODUCER, "3.6"),
        ("7.5.1-ce", Part.BROKER, "3.5"),
        ("7.6.0-ccs (Commit:5e3c2b738d253ff5)", Part.BROKER, "3.6"),
        ("INFO Kafka version: 7.6.0-ccs (o.a.k.common.utils.AppInfoParser)", Part.CONSUMER, "3.6"),
        ("kafka-clients-3.4.1.7.1.9.0-387.jar", Part.CONSUMER, "3.4"),
        ("name: 'kafka-clients', version: '2.8.0'", Part.CONSUMER, "2.8.0"),
        ("amq-streams/kafka-37-rhel9:2.7.0", Part.BROKER, "3.7"),
        ('"KafkaVersion": "3.6.0"', Part.BROKER, "3.6.0"),
        ("3.7.x.kraft", Part.BROKER, "3.7"),
        ('"KafkaVersion": "2.8.2.tiered"', Part.BROKER, "2.8.2"),
        ('kafka_version = "3.5.1"', Part.BROKER, "3.5.1"),
        ("Amazon MSK version 2.8.1", Part.BROKER, "2.8.1"),
        ("spec:\n  kafka:\n    version: 3.7.0", Part.BROKER, "3.7.0"),
        ("librdkafka-dev 2.3.0-1build2", Part.LIBRDKAFKA, "2.3.0"),
    ],
)
def test_a_version_is_recognised_in_a_text(text, part, version):
    (mention,) = mentions(text)
    assert part in mention.parts
    assert mention.version == version


def test_a_text_may_mention_several_versions():
    rows = mentions("image: apache/kafka:3.9.0\nconfluent-kafka==2.1.0\n")
    assert [(mention.parts[0], mention.version) for mention in rows] == [
        (Part.BROKER, "3.9.0"), (Part.LIBRDKAFKA, "2.1.0"),
    ]  # fmt: skip


def test_the_version_of_kafka_does_not_apply_to_a_part_with_another_version():
    rows = mentions("Kafka 2.4.0, clients 3.2.0")
    assert [(mention.version, Part.BROKER in mention.parts) for mention in rows] == [
        ("3.2.0", False), ("2.4.0", True),
    ]  # fmt: skip
    assert all(Part.PRODUCER not in mention.parts for mention in rows if mention.version == "2.4.0")


@pytest.mark.parametrize("text", [
    "org.springframework.kafka:spring-kafka:2.8.0", "debezium/kafka:2.4", "node-rdkafka@3.0.0",
    "org.apache.flink:flink-connector-kafka:3.0.0-1.17", "org.apache.camel:camel-kafka:4.0.0",
    "io.projectreactor.kafka:reactor-kafka:2.3.0", "gem 'rdkafka', '0.15.0'", "kafkajs 2.2.4",
])  # fmt: skip
def test_a_product_with_other_version_numbers_is_refused(text):
    with pytest.raises(VersionError, match="has version numbers of its own"):
        mentions(text)


@pytest.mark.parametrize("text", [
    "redpandadata/redpanda:v23.3.1", "vectorized/redpanda:v22.1", "redpandadata/console:v2.3.1",
    "warpstream/agent:v500", "Azure Event Hubs 1.0",
])  # fmt: skip
def test_another_broker_that_speaks_the_protocol_is_refused(text):
    with pytest.raises(VersionError, match=r"is not Apache Kafka.*state the version of"):
        mentions(text)


@pytest.mark.parametrize("text", [
    "7.6.0", "kafka-clients-7.6.0.jar", "bitnami/kafka-26.8.5", "kafka 4.9", "4.9.1", "0.8.2",
    "cp-kafka:2.0.1", "cp-kafka:9.9.9", "librdkafka 9.1.0", "pyspark==9.0.0",
])  # fmt: skip
def test_an_unknown_release_line_is_refused(text):
    with pytest.raises(VersionError, match=r"No release of \w+ [\d.]+ is known here, only"):
        mentions(text)


def test_a_bare_confluent_platform_version_is_refused_with_the_form_to_write():
    with pytest.raises(VersionError, match=r"brings Kafka 3\.6: write cp-kafka:7\.6\.0\."):
        mentions("7.6.0")


@pytest.mark.parametrize("text", ["", "latest", "apache/kafka:latest", "99.1.2.3.4", "kafka 9.9"])
def test_a_text_without_a_version_is_refused(text):
    with pytest.raises(VersionError):
        mentions(text)


def api_versions_output(line):
    """The output of `kafka-broker-api-versions` for a broker of this line."""
    versions = zip(_REQUESTS, _SPOKEN[line].split(), strict=True)
    return "localhost:9092 (id: 1 rack: null) -> (\n" + ",\n".join(
        f"\t{name}({key}): 0 to {version} [usable: 1]"
        for key, (name, version) in enumerate(versions)
    )


@pytest.mark.parametrize("line", _SPOKEN)
def test_the_api_versions_of_a_broker_show_its_line(line):
    rows = mentions(api_versions_output(line))
    assert line in [mention.version for mention in rows]
    assert {mention.parts for mention in rows} == {(Part.BROKER,)}


def test_lines_with_the_same_api_versions_are_all_named():
    assert [mention.version for mention in mentions(api_versions_output("3.3"))] == [
        "3.4",
        "3.3",
        "3.2",
    ]


def test_unknown_api_versions_are_refused():
    with pytest.raises(VersionError):
        mentions(api_versions_output("3.9").replace("Fetch(1): 0 to 17", "Fetch(1): 0 to 99"))


@pytest.mark.wide
@given(st.text(max_size=200))
def test_any_text_gives_mentions_or_a_version_error(text):
    with suppress(VersionError):
        assert mentions(text)
