"""Topologies of Kafka Streams in their own class, with the settings in a framework's file."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.advisor.configurations.asking import (
    TOPIC,
    assert_answer,
    assert_in_any_order,
    write_files,
)

SPRING = """
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.kstream.KStream;
import org.springframework.context.annotation.Bean;
import org.springframework.kafka.annotation.EnableKafkaStreams;
import org.springframework.kafka.support.serializer.JsonSerde;

@EnableKafkaStreams
class Topology {
    @Bean
    KStream<String, Order> enrich(StreamsBuilder builder) {
        KStream<String, Order> orders = builder.stream("orders");
        orders.mapValues(order -> %s).to("enriched");
        return orders;
    }
}
"""
QUARKUS = """
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.Topology;

class TopologyProducer {
    @Produces
    Topology build() {
        var builder = new StreamsBuilder();
        builder.stream("orders").mapValues(v -> v.trim()).to("out");
        return builder.build();
    }
}
"""
YML = "spring.kafka.streams:\n  application-id: a\n  replication-factor: 3\n  properties:\n"
YML += "    topic.min.insync.replicas: 2\n"
QUARKUS_FILE = "quarkus.kafka-streams.application-id=a\nkafka-streams.replication.factor=3\n"
QUARKUS_FILE += "kafka-streams.topic.min.insync.replicas=2\n"
PLAIN = "application.id=a\nreplication.factor=3\ntopic.min.insync.replicas=2\n"
SOUND = SPRING % "order.enriched()"
SKIPS = SPRING % ("{ try { return repo.save(order); } catch (Exception e) { log.warn(e); return "
                  "null; } }")  # fmt: skip
YES_IF = "^YES, if the program does what is assumed"


@pytest.mark.parametrize(("files", "code", "expected"), [
    ({"Topology.java": SOUND, "application.yml": YML}, 0, YES_IF),
    ({"Topology.java": SKIPS, "application.yml": YML}, 1, "NO.*processing.errors: skip -> retry"),
    ({"T.java": QUARKUS, "application.properties": QUARKUS_FILE}, 0, YES_IF),
    ({"T.java": QUARKUS, "s.properties": PLAIN}, 0, YES_IF),
    ({"T.java": QUARKUS}, 2, "T.java:1: .*its settings are in another file"),
    ({"T.java": QUARKUS, "p.properties": "acks=all\nlinger.ms=5\n"}, 2, "in another file"),
    # other classes of Spring set up clients themselves
    ({"T.java": SOUND.replace("annotation.EnableKafkaStreams", "core.KafkaTemplate"),
      "application.yml": YML}, 2, "Kafka Streams beside the clients that"),
])  # fmt: skip
def test_a_topology_is_read_with_its_settings(
    tmp_path: Path, files: dict[str, str], code: int, expected: str
) -> None:
    assert_in_any_order(tmp_path, files, TOPIC, code, expected)


def test_a_problem_between_two_files_names_both(tmp_path: Path) -> None:
    server = "node.id=1\nprocess.roles=broker\nleader.replication.throttled.rate=100\n"
    topic = "replication.factor=3\nleader.replication.throttled.replicas=*\n"
    write_files(tmp_path, {"topic.properties": topic, "server.properties": server})
    paths = f"{tmp_path}/topic.properties {tmp_path}/server.properties"
    words = r"server.properties: leader\S+=\* with .* is in \S+topic.properties:2\."
    assert_answer(paths, TOPIC, 2, words)
